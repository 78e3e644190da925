"""What an answer has to say beside its figures: what was assumed, and where it may mislead."""

from collections.abc import Sequence

from rewear.advice.advice import Row
from rewear.advice.plan import Plan
from rewear.advice.traits import SAMPLE, Traits
from rewear.report import Report
from rewear.shared_notes import shared_notes
from rewear.units import format_bytes, format_count, format_number, format_share, format_time

__all__ = ["LEAST_NS", "notes_of", "pace_of", "volume_note"]

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
    plain = next(row for row in rows if row.rival.technique == "plain")
    found = (
        _short_note(traits, plan),
        _rate_note(traits),
        _pace_note(traits, plain, rows),
        _burst_note(plain.reports[0]),
    )
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


def _pace_note(traits: Traits, plain: Row, rows: Sequence[Row]) -> str | None:
    """That the recording writes faster than the plain drive can, and whether any drive can follow it."""
    rate, own = traits.bytes_per_second, pace_of(plain)
    if rate is None or own is None or plain.reports[0]["replay"]["arrival_used"] != "closed":
        return None
    if rate / own < _FASTER:
        return None
    paces = [(pace, row.label) for row in rows if row.complete and (pace := pace_of(row)) is not None]
    told = (
        f"The recording writes {format_bytes(rate)} a second, {format_number(rate / own, 2)} times what the plain "
        f"drive takes ({format_bytes(own)} a second)."
    )
    enough = [label for pace, label in paces if pace >= rate]
    if enough:
        return (
            f"{told} Of the drives here only {', '.join(enough)} can follow. The lives as recorded of the others are "
            "at a rate that they cannot take; a host that waits for the drive wears it so much more slowly."
        )
    pace, quickest = max(paces, default=(own, plain.label))
    return (
        f"{told} The quickest of the drives, {quickest}, takes {format_bytes(pace)} a second. Lives as recorded are at "
        "a rate that no drive here can follow; a host that waits for the drive wears it so much more slowly."
    )


def pace_of(row: Row) -> float | None:
    """Bytes that the drive that is asked about takes a second, with the requests in flight of its replay."""
    report = row.reports[0]
    written, took_ns = int(report["host_bytes_written"]), report.simulated_ns
    return written / took_ns * 1e9 * row.scale if written and took_ns else None


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
