"""What an answer has to say beside its figures: what was assumed, and where it may mislead."""

from collections.abc import Sequence

from rewear.advice.advice import Advice
from rewear.advice.row import LEAST_RESPONSE_NS, Row
from rewear.advice.traits import Traits
from rewear.core.shared_notes import shared_notes
from rewear.core.trace_proposals import SAMPLE
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time

_TIMELESS = "No time was kept"
"""A note of reports of wear; response times come from replays of their own."""
_NAMED = 4
"""Volumes that a note names."""


def notes_of(advice: Advice) -> list[str]:
    """The notes on a workload and on the drives as sold."""
    plan, traits = advice.plan, advice.traits
    found = [volume_note(traits), *plan.notes]
    found.append(
        f"The replayed drives export {format_bytes(plan.exported_bytes)}: the channels, dies, planes and the share of "
        f"spare space of the whole ones, in smaller units. Bytes are those of the replay times "
        f"{format_number(plan.scale)}. This assumes that a larger drive has the same shares of hot and cold data, and "
        "that the host goes on as it was recorded; a drive that mostly holds what never changes lives longer."
    )
    if traits.bytes_per_second and not advice.years_unknown:
        found.append(
            f"Years are at the recorded rate, {format_bytes(traits.bytes_per_second)} written a second over "
            f"{format_time(traits.duration_ns or 0)}, day and night."
        )
    found.append(
        "A range of lives has the least and the most P/E cycles that are published for the class. Lives are those of "
        "the replayed drive, carried on to the erase units of the whole one by what half as many change. The range is "
        "wider on both sides by as much, and by what had not settled."
    )
    if answered := [row for row in advice.sold if row.mean_response_ns is not None]:
        found.append(_responses(answered))
    late = [row.label for row in advice.sold if not row.follows]
    if late:
        found.append(f"{', '.join(late)}: requests pile up at the recorded times, so no response is given.")
    restless = [row.label for row in advice.sold if not row.steady]
    if restless:
        found.append(f"{', '.join(restless)}: not steady when the replay ended; no drive of these is the one to buy.")
    told = ((row.label, [note for note in row.report.notes if not note.startswith(_TIMELESS)]) for row in advice.sold)
    shared = shared_notes(told)
    found += [note if labels == "all drives" else f"{labels}: {note}" for labels, note in shared]
    return [note for note in found if note]


def _responses(rows: Sequence[Row]) -> str:
    """What a mean response leaves out: what a host and a controller cost, and flushes."""
    text = (
        f"Responses are those of reads and writes on the flash and its buffer. None below "
        f"{format_time(LEAST_RESPONSE_NS)} is told: the quickest of nine measured drives takes as long for a write. "
        "Flushes are not in them"
    )
    waits = [f"{row.label} {format_time(row.flushes['mean'])}" for row in rows if row.flushes is not None]
    if not waits:
        return f"{text}; the recording has none."
    count = next(row.flushes["count"] for row in rows if row.flushes is not None)
    return f"{text}. The recording has {format_count(count)}; a flush waits on average: {', '.join(waits)}."


def volume_note(traits: Traits) -> str | None:
    """That several disks lie on one drive, which they are, and how to ask about one of them."""
    if len(traits.volumes) < 2:
        return None
    names = ", ".join(traits.volumes[:_NAMED])
    more = len(traits.volumes) - _NAMED
    named = f"{names} and {more} more" if more > 0 else names
    text = (
        f"The recording is of {len(traits.volumes)} volumes (disks of their own): {named}. They lie side by side on "
        "one drive here, which serves all of them; a drive for one of them alone may want another technique. "
        ":volume=NAME behind the file's name takes one"
    )
    if traits.busiest_volume is None:
        return f"{text}."
    name, share = traits.busiest_volume
    of = "" if traits.requests <= SAMPLE else f" of the first {format_count(SAMPLE)} requests"
    return f"{text}; {name} has most of the bytes written{of}, {format_share(share)}."
