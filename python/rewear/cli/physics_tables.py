"""The study of the cell model as tables, on a terminal or elsewhere."""

from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from rewear.cli.output import plain_table
from rewear.physics.study import PAPER_MODES, PAPER_SHARE, PROGRAMS
from rewear.units import format_number, format_share, format_time

__all__ = ["TextTable", "code_name", "format_hours", "mode_name", "physics_tables", "text_tables"]

_MOST_CYCLES = 1e6
_YEAR_HOURS, _DAY_HOURS = 8760.0, 24.0
_MODE_NAMES = {
    "normal": "normal (BCH)",
    "high": "high-cost (LDPC)",
    "medium": "medium-cost (LDPC)",
    "low": "low-cost (LDPC)",
}


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table whose cells are text."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def physics_tables(results: dict[str, Any]) -> list[RenderableType]:
    """The tables for a terminal, each followed by an empty line."""
    return [part for table in text_tables(results) for part in (_rendered(table), "")]


def text_tables(results: dict[str, Any]) -> list[TextTable]:
    """The tables of a study."""
    sections = results["sections"]
    extended = sections["extended_cycles"]
    return [
        _limits(sections["limits"]),
        _rber(sections["rber"]),
        _lives(sections["lives"]),
        _doubled_step(sections["doubled_step"]),
        _modes(sections["modes"]),
        _second_writes(sections["second_writes"]),
        *([_extended_cycles(extended)] if extended else []),
    ]


def code_name(code: dict[str, Any]) -> str:
    """A code with its way of reading: `BCH`, `LDPC hard`, `LDPC 3 references`."""
    if not code["ldpc"]:
        return "BCH"
    return "LDPC hard" if code["references"] == 1 else f"LDPC {code['references']} references"


def mode_name(name: str) -> str:
    """A programming mode with the code that reads it."""
    return _MODE_NAMES[name]


def _format_rber(rate: float) -> str:
    """A rate with two digits: `1.6e-03`."""
    return f"{rate:.1e}"


def format_hours(hours: float) -> str:
    """A retention time in the unit that it was given in: `1 y`, `30 d`, `5 h`."""
    if hours >= _YEAR_HOURS and hours % _YEAR_HOURS == 0:
        return f"{hours / _YEAR_HOURS:g} y"
    if hours >= _DAY_HOURS and hours % _DAY_HOURS == 0:
        return f"{hours / _DAY_HOURS:g} d"
    return f"{hours:g} h"


def _format_cycles(cycles: float) -> str:
    """Cycles with three digits; `never` and `over 1,000,000` at the ends."""
    if cycles == 0:
        return "never"
    return "over 1,000,000" if cycles >= _MOST_CYCLES else format_number(cycles)


def _rendered(table: TextTable) -> RenderableType:
    rendered = plain_table(*table.columns)
    for row in table.rows:
        rendered.add_row(*row)
    return Group(Text(table.title, style="bold"), rendered)


def _limits(rows: list[dict[str, Any]]) -> TextTable:
    title = "Raw bit error rate up to which each code keeps its UBER (LDPC: measured waterfall, extrapolated)"
    return TextTable(title, ["code", "RBER"], [[code_name(row), f"{row['rber']:.2e}"] for row in rows])


def _rber(rows: list[dict[str, Any]]) -> TextTable:
    cycles = [point["cycles"] for point in rows[0]["by_cycles"]]
    columns = ["retention", "step", *(f"{count:,g} cycles" for count in cycles)]
    lines = [
        [
            format_hours(row["retention_hours"]),
            f"{row['step_v']:g} V",
            *(_format_rber(point["rber"]) for point in row["by_cycles"]),
        ]
        for row in rows
    ]
    return TextTable("Raw bit error rate of the worst kind of page", columns, lines)


def _lives(rows: list[dict[str, Any]]) -> TextTable:
    columns = ["retention", "step", *(code_name(code) for code in rows[0]["by_code"])]
    lines = [
        [
            format_hours(row["retention_hours"]),
            f"{row['step_v']:g} V",
            *(_format_cycles(code["cycles"]) for code in row["by_code"]),
        ]
        for row in rows
    ]
    return TextTable("Life of a block: cycles until the rate passes the code's limit", columns, lines)


def _doubled_step(rows: list[dict[str, Any]]) -> TextTable:
    columns = ["retention", "normal step, BCH", *(f"doubled, {code_name(code)}" for code in rows[0]["doubled"])]
    lines = [
        [
            format_hours(row["retention_hours"]),
            _format_cycles(row["normal_bch_cycles"]),
            *(_format_cycles(code["cycles"]) for code in row["doubled"]),
        ]
        for row in rows
    ]
    return TextTable(
        "Until when a doubled step is safe (differentiated-ecc, sections II and IV): cycles", columns, lines
    )


def _modes(rows: list[dict[str, Any]]) -> TextTable:
    names = [mode["name"] for mode in rows[0]["modes"]]
    columns = ["retention", "cycles", *(mode_name(name) for name in names)]
    paper = ["Table I", "", *(" / ".join(format_time(ns) for ns in PAPER_MODES[name]) for name in names)]
    lines = [
        [format_hours(row["retention_hours"]), f"{row['cycles']:,g}", *(_times(mode) for mode in row["modes"])]
        for row in rows
    ]
    return TextTable("Program and read latency by mode, and references read with", columns, [paper, *lines])


def _times(mode: dict[str, Any]) -> str:
    program = format_time(mode["program_ns"])
    if mode["read_ns"] is None:
        return f"{program} / unreadable"
    return f"{program} / {format_time(mode['read_ns'])} ({mode['references']})"


def _second_writes(rows: list[dict[str, Any]]) -> TextTable:
    columns = ["retention", "step", "second writes end", "block's life", "share", "paper"]
    lines = [
        [
            format_hours(row["retention_hours"]),
            f"{row['step_v']:g} V",
            _format_cycles(row["end_cycles"]),
            _format_cycles(row["life_cycles"]),
            format_share(row["share"]),
            format_share(PAPER_SHARE),
        ]
        for row in rows
    ]
    first, spare = rows[0]["first_write_rber"], rows[0]["spare_rber"]
    title = (
        "When second writes end (second-write, section 3.3): "
        f"first writes' code stands {first:.2e}, the whole spare area {spare:.2e}"
    )
    return TextTable(title, columns, lines)


_AGED_BY = {"plain": "plain cycles", **{f"aged_by_{what}": f"{what} age" for what in ("erases", "charge", "programs")}}


def _extended_cycles(rows: list[dict[str, Any]]) -> TextTable:
    lines = [[f"{row['cycles']:,g}", *(_format_rber(row[key]) for key in _AGED_BY)] for row in rows]
    title = (
        f"Low pages programmed {PROGRAMS} times a cycle (extended P/E cycles, section V-A), by what ages the cells: "
        "raw bit error rate right after programming"
    )
    return TextTable(title, ["cycles", *_AGED_BY.values()], lines)
