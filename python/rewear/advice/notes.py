"""What an answer has to say beside its figures: what was assumed, and where it may mislead."""

from collections.abc import Sequence

from rewear.advice.advice import Row
from rewear.advice.plan import Plan
from rewear.advice.traits import SAMPLE, Traits
from rewear.shared_notes import shared_notes
from rewear.units import format_bytes, format_count, format_share, format_time

__all__ = ["notes_of", "volume_note"]

_LEAST_NS = 3600 * 10**9
"""Length of a recording below which its rate says little of a life."""
_NAMED = 4
"""Volumes of which a note gives the names."""


def notes_of(traits: Traits, plan: Plan, rows: Sequence[Row]) -> list[str]:
    """The notes on a workload and on the drives of its answer."""
    notes = [note for note in (_short_note(traits, plan), _rate_note(traits)) if note]
    if plan.loops > 1 and traits.with_content:
        notes.append(
            f"The workload is replayed {plan.loops} times, and the contents of one pass come back in the "
            "next: recycling gains from that what a longer recording need not give."
        )
    notes += _report_notes(rows)
    idle = [row.label for row in rows if not row.wore]
    if idle and len(idle) < len(rows):
        notes.append(
            f"{', '.join(idle)}: nothing was erased, so nothing is known of the life, and this is not ranked; a "
            "longer recording would tell."
        )
    return notes


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


def _short_note(traits: Traits, plan: Plan) -> str | None:
    """What repeating a short recording does to its answer."""
    if not plan.is_short:
        return None
    return (
        f"The recording is short for this flash: it writes {format_bytes(traits.bytes_written)} and was repeated "
        f"{format_count(plan.loops)} times. Each pass writes the same pages in the same order, so data that is written "
        "once in the recording comes back as if it were hot. A longer recording may rank the drives otherwise."
    )


def _rate_note(traits: Traits) -> str | None:
    """How little of the time the life as recorded takes its rate from."""
    if traits.duration_ns is None or traits.bytes_per_second is None or traits.duration_ns >= _LEAST_NS:
        return None
    return (
        f"The life as recorded takes the rate of {format_time(traits.duration_ns)}, "
        f"{format_bytes(traits.bytes_per_second)} written a second; few hosts keep on like that, so go by the TBW."
    )


def _report_notes(rows: Sequence[Row]) -> list[str]:
    """Notes of the reports that say something about the answer; each once."""
    shared = shared_notes((row.label, row.reports[0].notes) for row in rows)
    return [note if labels == "all drives" else f"{labels}: {note}" for labels, note in shared]
