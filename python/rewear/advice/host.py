"""What the host can do for the drive, measured where a replay can measure it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.asked import Asked
from rewear.advice.plan import Plan, make_plan
from rewear.advice.row import Row
from rewear.advice.sold import Class, row_of
from rewear.advice.traits import Traits, traits_of
from rewear.core.drive import Source
from rewear.core.trace import Trace
from rewear.core.trace_proposals import PAGE_BYTES
from rewear.figures.units import format_count, format_number

_MOST_HANDLES = 32
_SMALL = 1.1
"""Bytes of pages touched for a byte written from which the size of records matters."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that the host may change."""

    name: str
    sentence: str
    life: float | None = None
    """The life of the drive with it over that without; `None` where it was not replayed."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"measure": self.name, "sentence": self.sentence, "life_over_now": self.life}


def measures(asked: Asked, drives: Sequence[tuple[Class, Row, Plan]]) -> list[Measure]:
    """Streams, alignment, trim and the size of records, on the first of these drives on which each works."""
    source, traits = asked.source, asked.traits

    def life(changed: Source, settings: dict[str, Any], at: int = 0) -> float | None:
        each, row, plan = drives[at]
        if changed is not source:
            # What is shifted may reach farther.
            plan = make_plan(traits_of(changed), plan.capacity_bytes, each.page_bytes)
        sized = each.sized(plan, settings)
        there = replace(asked, source=changed)
        report = there.until_steady([(each.rival.label, sized)], plan, **each.how)[each.rival.label]
        return row_of(each, sized, report, plan, None).life_over(row)

    return [
        _streams(traits, drives, lambda settings, at: life(source, settings, at)),
        _alignment(source, traits, life),
        Measure(
            "trim",
            f"The recording trims {format_count(traits.trims)} times; keep it so."
            if traits.trims
            else "The recording trims nothing. If its host deletes files, mount with discard or run fstrim: what is "
            "deleted and not trimmed is moved as if it were in use.",
        ),
        _record_size(traits),
    ]


def _streams(traits: Traits, drives: Sequence[tuple[Class, Row, Plan]], life: Any) -> Measure:
    if traits.streams < 2:
        return Measure("streams", "The recording names no streams, so what they would bring cannot be measured.")
    # A cache mixes what it takes, whatever stream it is of.
    at = next((at for at, (each, *_) in enumerate(drives) if not each.caches), None)
    if at is None:
        return Measure("streams", "All drives here have an SLC cache, which mixes streams.")
    handles = min(traits.streams, _MOST_HANDLES)
    found = life({"ftl": {"streams": {"scheme": "host", "handles": handles}}}, at)
    times = "" if found is None else f": {drives[at][1].label} lives {format_number(found)} times as long"
    return Measure(
        "streams", f"Pass the recording's {traits.streams} streams on to a drive without an SLC cache{times}.", found
    )


def _alignment(source: Source, traits: Traits, life: Any) -> Measure:
    if traits.shift_bytes is None or not isinstance(source, Trace):
        return Measure("alignment", f"Nothing to gain: {traits.alignment()}.")
    found = life(source.shifted(traits.shift_bytes), {})
    times = "" if found is None else f": the drive lives {format_number(found)} times as long"
    return Measure(
        "alignment",
        f"Align the partition to 4 KiB{times}. Here :shift_bytes={traits.shift_bytes} behind the file's name does it.",
        found,
    )


def _record_size(traits: Traits) -> Measure:
    times = traits.pages_written * PAGE_BYTES / traits.bytes_written
    if times < _SMALL:
        return Measure("record size", "Nothing to gain: nearly all writes are of whole pages of 4 KiB.")
    return Measure(
        "record size",
        f"Write records of whole pages of 4 KiB: each byte written touches {format_number(times)} bytes of pages.",
    )
