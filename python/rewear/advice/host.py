"""What the host can do for the drive, measured where a replay can measure it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewear.advice.asked import Asked
from rewear.advice.plan import Plan, make_plan
from rewear.advice.row import Row
from rewear.advice.sold import Class, row_of
from rewear.advice.traits import Traits, traits_of
from rewear.core.drive import Source
from rewear.core.leftovers import temporary_folder
from rewear.core.trace import Trace
from rewear.core.trace_proposals import PAGE_BYTES
from rewear.core.writers import Writers
from rewear.figures.units import format_count, format_number, format_share

_MOST_HANDLES = 32
BATCH = 16
"""Flushes of a file that a batch makes one."""
_SAME_WEAR = 1.25
"""Change of the wear of a byte beyond which batches change more than the bytes, so that no life is said."""
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


def measures(asked: Asked, drives: Sequence[tuple[Class, Row, Plan]], writers: Writers | None = None) -> list[Measure]:
    """Who writes, streams, alignment, trim, size of records, on the first of these drives on which each works."""
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
        *([] if writers is None else [_batches(asked, drives[0], writers)]),
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


def _batches(asked: Asked, drive: tuple[Class, Row, Plan], writers: Writers) -> Measure:
    """Batches of flushes of the file that was forced out most often, by a replay of the recording without the rest."""
    name, source, file = "who writes", asked.source, writers.most_forced
    if file is None or not isinstance(source, Trace):
        top = next((each for each in writers.writers if each.kind == "file"), None)
        most = (
            ""
            if top is None
            else f"; {top.label} writes most, {format_share(top.written_bytes / writers.written_bytes)}"
        )
        return Measure(name, f"No file is written again and again before the kernel would write it back{most}.")
    each, row, plan = drive
    with temporary_folder("rewear-batched-") as folder:
        changed = source.batched(file.name, BATCH, Path(folder, "batched.rwt"), anew=file.is_anew)
        traits = traits_of(changed)
        # On the same drive: life is in passes over the same work, and a pass writes less.
        shorter = replace(make_plan(traits, plan.capacity_bytes, each.page_bytes), exported_bytes=plan.exported_bytes)
        sized = each.sized(plan)
        there = replace(asked, source=changed._kept(), traits=traits)
        report = there.until_steady([(each.rival.label, sized)], shorter, **each.how)[each.rival.label]
        per_byte = row_of(each, sized, report, plan, None).life_over(row)
    fewer = asked.traits.bytes_written / traits.bytes_written
    # A changed program was recorded beside this: its bytes are as estimated, its wear of a byte is not where a cache
    # takes another share of so few writes.
    steady = per_byte is not None and 1 / _SAME_WEAR <= per_byte <= _SAME_WEAR
    times = per_byte * fewer if per_byte is not None and steady else None
    how = f"written once for every {BATCH} times" if file.is_anew else f"written in place with one flush for {BATCH}"
    lives = f": {how}, the host writes {format_number(fewer, 2)} times fewer bytes"
    if times is not None:
        lives += f", and {row.label} lives {format_number(times, 2)} times as long"
    return Measure(
        name,
        f"{file.label}: {format_count(file.rewrites_within_30_s)} rewrites of 4 KiB, forced out by "
        f"{format_count(file.flushes)} flushes{lives}.",
        times,
    )


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
