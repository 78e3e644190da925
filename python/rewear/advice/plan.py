"""How large the drives are and how much is replayed, and what was cut for the sake of time."""

from dataclasses import dataclass
from typing import Literal

from rewear.advice.chips import Chip
from rewear.advice.traits import PAGE_BYTES, Traits
from rewear.errors import ConfigurationError
from rewear.units import format_bytes, format_count

__all__ = ["Plan", "make_plan"]

DEFAULT_RATIO = 2.14
"""Flash over capacity: twice the capacity, as WOM-v(2,4) needs it, and 7% spare space on top."""
_LEAST_RATIO, _MOST_RATIO = 1.05, 32.0
_LEAST_CAPACITY = 32 * 1024**2
_DRIVE_WRITES = 9
"""How often the flash is written over: a third warms up, the rest is two cycles of a code that writes six times."""
_MOST_PAGES = 12_000_000
"""Pages of 4 KiB that one replay writes: a few seconds."""
_MOST_WORK = 15_000_000
"""Pages written a replay, the filling of the drive included, above which one seed has to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and lengths, the same for every rival."""

    flash_bytes: int
    """Flash of the drive that is asked about."""
    capacity_bytes: int
    """What that drive exports."""
    model_flash_bytes: int
    """Flash of the drives that are replayed."""
    model_exported_bytes: int
    """What these export."""
    fit: Literal["dense"] | None
    loops: int
    max_requests: int | None
    warm_up: int
    """Requests that the figures leave out."""
    seeds: tuple[int, ...]
    notes: tuple[str, ...]
    """What was cut or changed."""

    @property
    def ratio(self) -> float:
        """Flash over capacity."""
        return self.flash_bytes / self.capacity_bytes

    @property
    def scale(self) -> float:
        """How many of the replayed drives the drive that is asked about amounts to; 1 where they are the same."""
        return self.capacity_bytes / self.model_exported_bytes

    @property
    def is_short(self) -> bool:
        """Whether a pass over the workload writes less than the flash holds, so that passes make the answer."""
        return self.loops > _DRIVE_WRITES

    @property
    def is_scaled(self) -> bool:
        """Whether the drive that is asked about is larger than those that are replayed."""
        return self.scale > 1.001


def make_plan(traits: Traits, chip: Chip, flash: int | None, capacity: int | None, seeds: int) -> Plan:
    """Sizes the drives to a workload, with the flash and the capacity that are given.

    Raises:
        ConfigurationError: The workload writes nothing, or flash, capacity and workload do not go together.
    """
    if not traits.pages_written:
        raise ConfigurationError(f"{traits.name} writes nothing, so no technique that spares erases can help it.")
    notes: list[str] = []
    needed, fit = _needed(traits, chip)
    model_exported = max(needed, _LEAST_CAPACITY // chip.page_bytes * chip.page_bytes)
    flash, capacity = _sizes(flash, capacity, model_exported, traits)
    if capacity <= model_exported * 1.001:
        model_exported = capacity // chip.page_bytes * chip.page_bytes
    model_flash = round(model_exported * flash / capacity)
    if traits.touched_bytes < model_exported * 0.9:
        note = (
            f"The workload touches {format_bytes(traits.touched_bytes)} of the {format_bytes(model_exported)} that the "
            "drives export; the rest stays filled with data that is never written again."
        )
        if fit and chip.page_bytes > PAGE_BYTES:
            note += (
                f" Each {format_bytes(PAGE_BYTES)} that it touches has room for a page of "
                f"{format_bytes(chip.page_bytes)}, since it may lie in one of its own; so lives are those of a drive "
                "with much cold data."
            )
        notes.append(note)
    if fit:
        notes.append(f"Addresses are numbered densely: they reach to {format_bytes(traits.end_bytes)}.")
    loops, most, cut = _length(traits, model_flash)
    notes += cut
    if model_exported // PAGE_BYTES + _MOST_PAGES > _MOST_WORK and seeds > 1:
        notes.append("One seed instead of several: filling drives of this size takes most of the time.")
        seeds = 1
    requests = most or traits.requests * loops
    return Plan(
        flash, capacity, model_flash, model_exported, fit, loops, most, requests // 3, tuple(range(1, seeds + 1)),
        tuple(notes),
    )  # fmt: skip


def _needed(traits: Traits, chip: Chip) -> tuple[int, Literal["dense"] | None]:
    """What drives must export for the workload, in whole pages, and whether addresses are renumbered for it."""
    page = chip.page_bytes
    extent = -(-traits.end_bytes // page) * page
    # A touched page of 4 KiB may lie in a larger one of its own.
    touched = min(extent * max(1, len(traits.volumes)), traits.touched_bytes * (page // PAGE_BYTES))
    if len(traits.volumes) > 1 or extent > 1.5 * touched:
        return -(-touched // page) * page, "dense"
    return extent, None


def _sizes(flash: int | None, capacity: int | None, needed: int, traits: Traits) -> tuple[int, int]:
    if capacity is None:
        capacity = needed if flash is None else round(flash / DEFAULT_RATIO)
    if flash is None:
        flash = round(capacity * DEFAULT_RATIO)
    if capacity < needed:
        raise ConfigurationError(
            f"{traits.name} needs a capacity of {format_bytes(needed)}, and {format_bytes(flash)} of flash "
            f"with {format_bytes(capacity)} exported have less. Give a capacity of {needed} and more flash, or neither."
        )
    if not _LEAST_RATIO <= flash / capacity <= _MOST_RATIO:
        raise ConfigurationError(
            f"{format_bytes(flash)} of flash for a capacity of {format_bytes(capacity)}: give {_LEAST_RATIO} to "
            f"{_MOST_RATIO:g} times the capacity."
        )
    return flash, capacity


def _length(traits: Traits, flash_bytes: int) -> tuple[int, int | None, list[str]]:
    """Passes over the workload, the request after which it ends, and what that cuts."""
    wanted = _DRIVE_WRITES * flash_bytes // PAGE_BYTES
    if traits.pages_written > _MOST_PAGES:
        most = round(traits.requests * _MOST_PAGES / traits.pages_written)
        return (
            1,
            most,
            [f"Only the first {format_count(most)} of {format_count(traits.requests)} requests were replayed."],
        )
    loops = max(1, min(-(-wanted // traits.pages_written), _MOST_PAGES // traits.pages_written))
    times = loops * traits.pages_written * PAGE_BYTES / flash_bytes
    if times < 3:
        return (
            loops,
            None,
            [
                f"The flash was written over {times:.1f} times only, in {format_count(loops)} passes over the "
                "workload, which is few for codes with long cycles."
            ],
        )
    return loops, None, []
