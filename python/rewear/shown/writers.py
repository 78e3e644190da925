"""The table of who writes, and what it says in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewear.advice.columns import terabytes
from rewear.advice.enough import LEAST_NS
from rewear.core.writers import Writer, Writers
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time
from rewear.page.blocks import Part, Table
from rewear.sold.catalogue import Rated, sold_classes

_SHOWN = 15
"""Rows of the table; the others are one."""
_MUCH = 0.05
"""Part of the bytes without a name that is worth a sentence."""
_DAY_NS, _YEAR_DAYS = 86_400 * 10**9, 365.25
_CLASS = "client TLC"
_MOST_YEARS = 1000


def writers_table(found: Writers) -> Table:
    """A row a file or kind, the most written first."""
    columns = ("", "written", "share", "writes", "mean", "pages rewritten in 30 s", "flushes", f"years, {_CLASS}")
    writers = [each for each in found.writers if each.written_bytes]
    rows = [_row(found, each.label, [each]) for each in writers[:_SHOWN]]
    if others := writers[_SHOWN:]:
        rows.append(_row(found, f"({format_count(len(others))} others)", others))
    return Table(columns, rows, "Who writes")


def writers_parts(found: Writers, clock_jump: Mapping[str, Any] | None = None) -> list[Part]:
    """The table, and sentences below it; no years of a recording whose clock jumped."""
    if clock_jump is not None:
        found = replace(found, duration_ns=0)
    return [writers_table(found), "", *(f"- {each}" for each in writers_findings(found))]


def writers_findings(found: Writers) -> list[str]:
    """What the drive takes for what was asked for, what was left out, and what would help."""
    said = [_asked(found), _rated(found), _flushes(found)]
    if found.preparation_bytes:
        said.append(f"mke2fs wrote {format_bytes(found.preparation_bytes)} before; no figure has them.")
    removed = sum(each.written_bytes for each in found.writers if each.kind == "free" and not each.name)
    if removed > _MUCH * found.written_bytes:
        said.append(
            f"{format_bytes(removed)} went to contents that were removed, replaced or truncated within the 5 s of a "
            "commit, so no name is left. ext4 writes a file out when it is renamed over another, or closed after it "
            "was truncated, with or without a sync."
        )
    if (most := found.most_forced) is not None:
        said.append(
            f"{most.label}: {format_count(most.rewrites_within_30_s)} rewrites of 4 KiB within 30 s of the write "
            f"before, forced out by {format_count(most.flushes)} flushes. "
            + (
                "The program writes the file anew each time: write it less often."
                if most.is_anew
                else "One flush for several writes would save them."
            )
        )
    return [each for each in said if each]


def _row(found: Writers, name: str, writers: Sequence[Writer]) -> list[str]:
    written = sum(each.written_bytes for each in writers)
    writes = sum(each.writes for each in writers)
    return [
        name,
        format_bytes(written),
        format_share(written / found.written_bytes if found.written_bytes else None),
        format_count(writes),
        format_bytes(written / writes) if writes else "-",
        format_count(sum(each.rewrites_within_30_s for each in writers)),
        format_count(sum(each.flushes for each in writers)),
        _years(found, written),
    ]


def _asked(found: Writers) -> str:
    if found.factor is None:
        return ""
    return (
        f"The command passed {format_bytes(found.asked_bytes or 0)} to write calls, terminals and pipes included; "
        f"{format_bytes(found.written_bytes)} reached the drive, {format_number(found.factor)} times as much."
    )


def _flushes(found: Writers) -> str:
    if sum(each.flushes for each in found.writers) <= found.flushes:
        return ""
    count = format_count(found.flushes)
    return f"The device had {count} flushes: one counts for every file written since the flush before."


def _rated(found: Writers) -> str:
    rated, years = _drive(), _years(found, found.written_bytes)
    if years == "-":
        return "" if not found.duration_ns else f"Years take a recording of {format_time(LEAST_NS)} at least."
    return (
        f"If it goes on so, {rated.name}, rated for {terabytes(rated.rated_bytes)}, lasts {years} years; the table has "
        "the years of each row alone."
    )


def _years(found: Writers, written_bytes: int) -> str:
    """Years until a client drive has its rated bytes from these writers alone; none where there is no rate."""
    if found.duration_ns < LEAST_NS or not written_bytes:
        return "-"
    years = _drive().rated_bytes / (written_bytes / found.duration_ns * _DAY_NS) / _YEAR_DAYS
    return f"over {_MOST_YEARS:,}" if years > _MOST_YEARS else format_number(years, 2)


def _drive() -> Rated:
    """The named drive that stands for the class."""
    return next(each.rated for each in sold_classes() if each.label == _CLASS and each.rated is not None)
