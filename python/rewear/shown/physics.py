"""The study of the cell model as tables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rewear.figures.units import format_number, format_share, format_time
from rewear.page.blocks import Column, Table, columns_of, table_of

PAPER_MODES = {
    "normal": (1_300_000, 45_000),
    "high": (2_600_000, 75_000),
    "medium": (1_300_000, 110_000),
    "low": (650_000, 145_000),
}
"""Table I of the differentiated-ECC paper: program and read in nanoseconds."""
PROGRAMS = 8
"""Programs of a low page in an extended P/E cycle (Margaglia and Brinkmann, section V-A)."""
PAPER_SHARE = 0.3
"""Share of a block's life in which Reusable SSD takes second writes."""

_MOST_CYCLES = 1e6
_YEAR_HOURS, _DAY_HOURS = 8760.0, 24.0
_MODE_NAMES = {
    "normal": "normal (BCH)",
    "high": "high-cost (LDPC)",
    "medium": "medium-cost (LDPC)",
    "low": "low-cost (LDPC)",
}


def physics_tables(sections: dict[str, Any]) -> list[Table]:
    """The tables of a study."""
    tables = [
        table_of(
            "Raw bit error rate up to which each code keeps its UBER (LDPC: measured waterfall, extrapolated)",
            sections["limits"],
            [("code", _code_name), ("RBER", "{rber:.2e}")],
        ),
        table_of(
            "Raw bit error rate of the worst kind of page",
            sections["rber"],
            [*_AGE, *columns_of(sections["rber"], "by_cycles", "{cycles:,g} cycles", "{rber:.1e}")],
        ),
        table_of(
            "Life of a block: cycles until the rate passes the code's limit",
            sections["lives"],
            [*_AGE, *columns_of(sections["lives"], "by_code", _code_name, _cycles())],
        ),
        table_of(
            "Until when a doubled step is safe (differentiated-ecc, sections II and IV): cycles",
            sections["doubled_step"],
            [
                _AGE[0],
                ("normal step, BCH", _cycles("normal_bch_cycles")),
                *columns_of(
                    sections["doubled_step"], "doubled", lambda code: f"doubled, {_code_name(code)}", _cycles()
                ),
            ],
        ),
        _modes(sections["modes"]),
        _second_writes(sections["second_writes"]),
    ]
    if extended := sections["extended_cycles"]:
        title = (
            f"Low pages programmed {PROGRAMS} times a cycle (extended P/E cycles, section V-A), by what ages the "
            "cells: raw bit error rate right after programming"
        )
        aged = [(name, f"{{{key}:.1e}}") for key, name in _AGED_BY.items()]
        tables.append(table_of(title, extended, [("cycles", "{cycles:,g}"), *aged]))
    return tables


def _code_name(code: dict[str, Any]) -> str:
    """A code with its way of reading: `BCH`, `LDPC hard`, `LDPC 3 references`."""
    if not code["ldpc"]:
        return "BCH"
    return "LDPC hard" if code["references"] == 1 else f"LDPC {code['references']} references"


def _hours(hours: float) -> str:
    """A retention time in the unit that it was given in: `1 y`, `30 d`, `5 h`."""
    if hours >= _YEAR_HOURS and hours % _YEAR_HOURS == 0:
        return f"{hours / _YEAR_HOURS:g} y"
    if hours >= _DAY_HOURS and hours % _DAY_HOURS == 0:
        return f"{hours / _DAY_HOURS:g} d"
    return f"{hours:g} h"


_AGE: list[Column] = [("retention", lambda row: _hours(row["retention_hours"])), ("step", "{step_v:g} V")]


def _cycles(key: str = "cycles") -> Callable[[dict[str, Any]], str]:
    """Cycles with three digits; `never` and `over 1,000,000` at the ends."""

    def told(row: dict[str, Any]) -> str:
        if row[key] == 0:
            return "never"
        return "over 1,000,000" if row[key] >= _MOST_CYCLES else format_number(row[key])

    return told


def _modes(rows: list[dict[str, Any]]) -> Table:
    modes = columns_of(rows, "modes", lambda mode: _MODE_NAMES[mode["name"]], _times)
    table = table_of(
        "Program and read latency by mode, and references read with",
        rows,
        [_AGE[0], ("cycles", "{cycles:,g}"), *modes],
    )
    paper = (" / ".join(format_time(ns) for ns in PAPER_MODES[mode["name"]]) for mode in rows[0]["modes"])
    return replace(table, rows=[["Table I", "", *paper], *table.rows])


def _times(mode: dict[str, Any]) -> str:
    program = format_time(mode["program_ns"])
    if mode["read_ns"] is None:
        return f"{program} / unreadable"
    return f"{program} / {format_time(mode['read_ns'])} ({mode['references']})"


def _second_writes(rows: list[dict[str, Any]]) -> Table:
    first, spare = rows[0]["first_write_rber"], rows[0]["spare_rber"]
    title = (
        "When second writes end (second-write, section 3): "
        f"first writes' code stands {first:.2e}, the whole spare area {spare:.2e}"
    )
    columns = [
        *_AGE,
        ("second writes end", _cycles("end_cycles")),
        ("block's life", _cycles("life_cycles")),
        ("share", lambda row: format_share(row["share"])),
        ("paper", format_share(PAPER_SHARE)),
    ]
    return table_of(title, rows, columns)


_AGED_BY = {"plain": "plain cycles", **{f"aged_by_{what}": f"{what} age" for what in ("erases", "charge", "programs")}}
