"""What an answer has to say beside its figures: what was assumed, and where it may mislead."""

from collections.abc import Sequence

from rewear.advice.advice import Row
from rewear.advice.plan import Plan
from rewear.advice.traits import SAMPLE, Traits
from rewear.report import Report
from rewear.shared_notes import shared_notes
from rewear.units import format_bytes, format_count, format_number, format_share, format_time

__all__ = ["LEAST_NS", "notes_of", "volume_note"]

LEAST_NS = 3600 * 10**9
"""Length of a recording below which its rate says little of a life."""
_FASTER = 1.5
"""How many times the plain drive's pace a recording must write at for a note."""
_BACKLOG_NS = 10**9
"""99th percentile of writes from which requests wait for each other and not for the flash."""
_NAMED = 4
"""Volumes of which a note gives the names."""


def notes_of(traits: Traits, plan: Plan, rows: Sequence[Row]) -> list[str]:
    """The notes on a workload and on the drives of its answer."""
    plain = next(row for row in rows if row.rival.technique == "plain").reports[0]
    found = (_short_note(traits, plan), _rate_note(traits), _pace_note(traits, plan, plain), _burst_note(plain))
    notes = [note for note in found if note]
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
    if traits.duration_ns is None or traits.bytes_per_second is None or traits.duration_ns >= LEAST_NS:
        return None
    return (
        f"The life as recorded takes the rate of {format_time(traits.duration_ns)}, "
        f"{format_bytes(traits.bytes_per_second)} written a second, which says little of years; go by the TBW."
    )


def _pace_note(traits: Traits, plan: Plan, plain: Report) -> str | None:
    """That the recording writes faster than the drive can, so that no drive dies as soon as its rate says."""
    written, took_ns = int(plain["host_bytes_written"]), plain.simulated_ns
    if traits.bytes_per_second is None or not written or not took_ns:
        return None
    pace = written / took_ns * 1e9 * plan.scale
    times = traits.bytes_per_second / pace
    if plain["replay"]["arrival_used"] != "closed" or times < _FASTER:
        return None
    return (
        f"The recording writes {format_bytes(traits.bytes_per_second)} a second, {format_number(times, 2)} times what "
        f"the plain drive takes ({format_bytes(pace)} a second). Lives as recorded are at a rate that no drive here "
        "can follow; a host that waits for the drive wears it so much more slowly."
    )


def _burst_note(plain: Report) -> str | None:
    """That requests of a burst wait for each other, where response times are the trace's own."""
    write = plain["latency_ns"]["write"]
    if plain["replay"]["arrival_used"] != "trace" or write is None or write["p99"] < _BACKLOG_NS:
        return None
    return (
        f"The recording has bursts that the drives answer late: one write in a hundred waits for "
        f"{format_time(write['p99'])} and more on the plain drive, most of it behind others."
    )


def _report_notes(rows: Sequence[Row]) -> list[str]:
    """Notes of the reports that say something about the answer; each once."""
    shared = shared_notes((row.label, row.reports[0].notes) for row in rows)
    return [note if labels == "all drives" else f"{labels}: {note}" for labels, note in shared]
