"""How large the replayed drives are and how much is replayed, and what was cut for the sake of time."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from rewear.advice.traits import Traits
from rewear.core.errors import ConfigurationError
from rewear.core.trace_proposals import PAGE_BYTES
from rewear.figures.units import format_bytes, format_count, format_number

_LEAST_CAPACITY = 32 * 1024**2
_DRIVE_WRITES = 4
"""How often the exported capacity is written over at least; the run then goes on until the drive is steady."""
_MOST_PAGES = 12_000_000
"""Pages of 4 KiB that one replay of a recording writes at most: a few seconds."""
_MOST_DRIVE_WRITES = 32
"""How often one of a made-up workload writes the exported capacity at most; until then it takes as long as it takes."""
_TRIAL = 2.0
"""How often a trial of settings writes the flash over: in the second half of it every block is written once more."""
_ALIKE_PASSES = 4
"""Passes after which the replay of a combination may end though it is not settled.

From the fourth on, whole passes are compared (`crates/sim/src/long_run.rs`), so the drift is no chance.
"""
_CYCLES = 2.1
"""Cycles of a block that it goes on for, where these take more passes: the second half is to have one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and lengths, the same for every drive."""

    capacity_bytes: int
    """Requested capacity in bytes."""
    exported_bytes: int
    """What the replayed drives export."""
    fit: Literal["dense", "modulo"] | None
    loops: int
    max_requests: int
    warm_up: int
    """Requests that the figures leave out."""
    notes: tuple[str, ...]
    """What was cut or changed."""
    requests: int
    """Those of a pass."""
    written_bytes: int
    """What a pass writes, in pages of 4 KiB."""

    @property
    def scale(self) -> float:
        """Requested over replayed capacity."""
        return self.capacity_bytes / self.exported_bytes

    def trial(self, flash_bytes: float) -> dict[str, Any]:
        """Options of a short replay on `flash` that chooses between settings of a technique."""
        passes = _TRIAL * flash_bytes / self.written_bytes
        most = min(self.max_requests, math.ceil(passes * self.requests))
        return {"loops": math.ceil(most / self.requests), "max_requests": most, "until": None, "warm_up": None}

    def most_requests(self, flash_bytes: float, erased_per_byte: float, passes: int) -> int:
        """Requests after which the replay of a combination ends if it was not steady before.

        Args:
            flash_bytes: Flash of the replayed drive.
            erased_per_byte: What it erases of that for each byte that the host writes, about.
            passes: Those of its parts, which it has at least.
        """
        cycled = math.ceil(_CYCLES * flash_bytes / (erased_per_byte * self.written_bytes))
        passes = max(_ALIKE_PASSES, cycled, passes)
        return min(self.max_requests, passes * self.requests)


def make_plan(traits: Traits, capacity: int, page_bytes: int = PAGE_BYTES) -> Plan:
    """Sizes drives that map `page_bytes` to a workload.

    Raises:
        ConfigurationError: The requested drive does not hold the workload.
    """
    extent = -(-traits.end_bytes // page_bytes) * page_bytes
    # A touched page of 4 KiB may lie in a larger one of its own.
    touched = min(extent * max(1, len(traits.volumes)), traits.touched_bytes * (page_bytes // PAGE_BYTES))
    fit: Literal["dense", "modulo"] | None = "modulo" if traits.made_up else None
    needed, notes = extent, []
    # Further passes over a made-up workload touch further pages: all of its region is live.
    if not traits.made_up and (len(traits.volumes) > 1 or extent > 1.5 * touched):
        needed, fit = -(-touched // page_bytes) * page_bytes, "dense"
        notes.append(f"Addresses reach to {format_bytes(traits.end_bytes)}; the pages touched are numbered densely.")
    if capacity < needed:
        raise ConfigurationError(
            f"{traits.name} needs a capacity of {format_bytes(needed)}; {format_bytes(capacity)} is less. "
            f"Give --capacity {needed} or more."
        )
    exported = min(max(needed, _LEAST_CAPACITY), capacity // page_bytes * page_bytes)
    if traits.touched_bytes < exported * 0.9 and not traits.made_up:
        notes.append(
            f"The workload touches {format_bytes(traits.touched_bytes)} of the {format_bytes(exported)} that the "
            "replayed drives export; the rest stays filled with data that is never written again."
        )
    loops = max(1, -(-_DRIVE_WRITES * exported // PAGE_BYTES // traits.pages_written))
    most_pages = max(_MOST_PAGES, _MOST_DRIVE_WRITES * exported // PAGE_BYTES if traits.made_up else 0)
    most = max(1, round(traits.requests * most_pages / traits.pages_written))
    if most < traits.requests:
        notes.append(f"Only the first {format_count(most)} of {format_count(traits.requests)} requests were replayed.")
    elif loops > 1:
        notes.append(
            f"The recording writes {format_number(traits.pages_written * PAGE_BYTES / exported)} times what the "
            "replayed drives export, so it is repeated; each pass has contents of its own."
        )
    return Plan(
        capacity, exported, fit, loops, most, min(most, traits.requests * loops) // 3, tuple(notes),
        requests=traits.requests, written_bytes=traits.pages_written * PAGE_BYTES,
    )  # fmt: skip
