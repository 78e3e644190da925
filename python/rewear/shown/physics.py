"""The study of the cell model: tables, and a page with curves on finer grids than the tables have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rewear.figures.units import format_number, format_share, format_time
from rewear.page.blocks import Charts, Column, Details, Heading, Page, Pairs, Sentences, Table, columns_of, table_of
from rewear.page.chart import MUTED, Axis, Chart, Layer, Row, colours_of, drive_colour
from rewear.physics import CellModel
from rewear.physics.study import PAPER_MODES, PAPER_SHARE, PROGRAMS
from rewear.shown.drive import flatten

_MOST_CYCLES = 1e6
_YEAR_HOURS, _DAY_HOURS = 8760.0, 24.0
_MODE_NAMES = {
    "normal": "normal (BCH)",
    "high": "high-cost (LDPC)",
    "medium": "medium-cost (LDPC)",
    "low": "low-cost (LDPC)",
}


def physics_tables(results: dict[str, Any]) -> list[Table]:
    """The tables of a study."""
    sections = results["sections"]
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
        "When second writes end (second-write, section 3.3): "
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


# Charts.

_CURVE_POINTS = 31
_MOST_DRAWN, _LEAST_DRAWN = 30_000.0, 100.0
_RETENTION_HOURS = np.geomspace(1.0, 10 * 8760.0, 9)
_RETENTION = Axis(
    "time since programming", log=True, ticks=(1, 24, 720, 8760, 87600), labels=("1 h", "1 d", "30 d", "1 y", "10 y")
)
_CODES = ("BCH", "LDPC hard", "LDPC 3 references", "LDPC 7 references")
"""Codes that are drawn; a read with 5 references lies between its neighbours."""


def physics_page(model: CellModel, results: dict[str, Any]) -> Page:
    """A self-contained page: curves of `model`, tables of its study. The same study gives the same bytes."""
    about = (
        "A model of the multi-level cell from published parameters: a program step leaves a cell within one step above "
        "its level; random telegraph noise, loss of charge and interference from neighbours do the rest. Voltages are "
        "on the normalised scale of the literature. Computed, not fitted to any figure of the papers beside it."
    )
    tables = [Details(table.title, [Table(table.columns, table.rows)]) for table in physics_tables(results)]
    parameters = Details("Parameters", [Pairs(list(flatten(results["config"])))])
    return Page(
        "physics",
        "Which step can be programmed, which code reads it, how long a block lives",
        [Charts(_charts(model, results["sections"])), Heading("Figures"), *tables, parameters],
        results,
        opening=[Sentences([about], "summary")],
    )


def _charts(model: CellModel, sections: dict[str, Any]) -> list[Chart]:
    """Every chart, the one that explains the others first."""
    steps = sorted({row["step_v"] for row in sections["rber"]})
    hours = max(row["retention_hours"] for row in sections["rber"])
    age = float(np.median([point["cycles"] for point in sections["rber"][0]["by_cycles"]]))
    return [
        _voltages(model, model.step_v, "normal", age, hours),
        _voltages(model, 2 * model.step_v, "doubled", age, hours),
        _rates(model, steps, hours, sections["limits"]),
        _doubled(model, sections["limits"]),
        _reads(model, hours),
        _second_write_shares(model, steps),
        *([_extended(model)] if sections["extended_cycles"] else []),
    ]


def _curves(curves: Mapping[str, Any], across: Any, drawn: Callable[[float], bool] = lambda _: True) -> Iterator[Row]:
    """Points of lines by name; what is not drawn leaves a gap."""
    for name, values in curves.items():
        for x, y in zip(across, values, strict=True):
            known = y is not None and drawn(float(y))
            yield {"series": name, "x": float(x), "y": float(y) if known else None, **({} if known else {"tip": ""})}


def _voltages(model: CellModel, step_v: float, name: str, cycles: float, hours: float) -> Chart:
    verify = model.config["voltage"]["verify_v"]
    edges = np.linspace(0.0, verify[-1] + 2.5 * step_v + 0.4, 300)
    middles = 0.5 * (edges[1:] + edges[:-1])
    names = ["erased", *(f"level {level}" for level in range(1, len(verify) + 1))]

    def densities(age: float, retention: float) -> list[Row]:
        found = dict(zip(names, model.density(edges, step_v, age, retention), strict=True))
        return list(_curves(found, middles, lambda density: density >= 1e-5))

    references = [{"x": float(reference)} for reference in model.references(step_v, cycles, hours)]
    return Chart(
        f"Threshold voltages, {name} step of {step_v:g} V",
        f"Lines: {cycles:,g} cycles and {_hours(hours)} after programming; dotted: fresh. "
        "Upright: read references. Scale of the density: logarithmic.",
        [
            Layer("line", densities(0, 0), {"strokeWidth": 0.9, "strokeDash": [2, 2]}),
            Layer("line", densities(cycles, hours)),
            Layer("rule", references, {"color": MUTED, "strokeWidth": 0.8}),
        ],
        x=Axis("threshold voltage (V, normalised)"),
        y=Axis("density (1/V)", "rate", log=True, least=1e-5),
        colours={each: drive_colour(1 + level) for level, each in enumerate(names)},
    )


def _rates(model: CellModel, steps: Sequence[float], hours: float, limits: Sequence[dict[str, Any]]) -> Chart:
    cycles = np.geomspace(_LEAST_DRAWN, _MOST_DRAWN, _CURVE_POINTS)
    curves = {f"step {step:g} V": model.rber(step, cycles, hours) for step in steps}
    shown = [limit for limit in limits if _code_name(limit) in _CODES]
    across = [{"y": limit["rber"], "tip": f"{_code_name(limit)}: {limit['rber']:.2e}"} for limit in shown]
    named = [{"x": _LEAST_DRAWN, "y": limit["rber"], "text": _code_name(limit)} for limit in shown]
    return Chart(
        f"Raw bit error rate by step, {_hours(hours)} after programming",
        "Worst kind of page. Across: what each code stands at its UBER (LDPC: a measured waterfall, extrapolated).",
        [
            Layer("rule", across, {"color": MUTED, "strokeWidth": 0.8, "strokeDash": [4, 3]}),
            Layer("text", named[1::2], {"dy": -6, "fontSize": 9}),
            Layer("text", named[::2], {"dy": 7, "fontSize": 9}),
            Layer("line", list(_curves(curves, cycles, lambda rate: 1e-5 <= rate <= 0.2))),
        ],
        x=Axis("program/erase cycles", log=True),
        y=Axis("raw bit error rate", "rate", log=True, least=1e-5, most=0.2),
        colours=colours_of(curves, 1),
    )


def _doubled(model: CellModel, limits: Sequence[dict[str, Any]]) -> Chart:
    codes = {f"doubled, {_code_name(limit)}": limit["rber"] for limit in limits if _code_name(limit) in _CODES}
    curves = {"normal step, BCH": model.cycles_until(limits[0]["rber"], model.step_v, _RETENTION_HOURS)}
    curves |= {name: model.cycles_until(rber, 2 * model.step_v, _RETENTION_HOURS) for name, rber in codes.items()}
    return Chart(
        "Until when a doubled step is safe",
        "Lines: cycles until the doubled step passes what the code stands. Grey: the life of the normal step under "
        "BCH. Between the BCH line and an LDPC line only that LDPC read works.",
        # Nothing to draw where a step can never be read.
        [Layer("line", list(_curves(curves, _RETENTION_HOURS, lambda life: life > 0)))],
        x=_RETENTION,
        y=Axis("program/erase cycles", log=True),
        colours=colours_of(curves),
    )


def _reads(model: CellModel, hours: float) -> Chart:
    cycles = np.linspace(0.0, 12_000.0, 49)
    rows = [model.derived_modes(float(count), hours) for count in cycles]
    names = {_MODE_NAMES[name]: name for name in PAPER_MODES}
    curves = {shown: [row[place]["read_ns"] for row in rows] for place, shown in enumerate(names)}
    paper = [
        {
            "x": 12_200,
            "y": PAPER_MODES[name][1],
            "series": shown,
            "tip": f"Table I: {format_time(PAPER_MODES[name][1])}",
        }
        for shown, name in names.items()
    ]
    return Chart(
        f"Read latency by mode, {_hours(hours)} after programming",
        "Sensings times their number and decoding; a line ends where its code cannot read the page. Squares at the "
        "right: Table I of the differentiated-ECC paper.",
        [
            Layer("line", list(_curves(curves, cycles)), {"interpolate": "step-after"}),
            Layer("point", paper, {"shape": "square", "size": 50}),
        ],
        x=Axis("program/erase cycles"),
        y=Axis("read latency", "time"),
        colours=colours_of(curves, 1),
    )


def _second_write_shares(model: CellModel, steps: Sequence[float]) -> Chart:
    curves = {
        f"step {step:g} V": [model.second_writes(step, float(hours))["share"] for hours in _RETENTION_HOURS]
        for step in steps
    }
    across = [{"y": PAPER_SHARE, "tip": f"paper: {PAPER_SHARE:.0%}"}]
    return Chart(
        "Second writes: share of a block's life",
        "Until the weaker code of first writes no longer suffices, over the life under a code in the whole spare area. "
        f"Grey: the {PAPER_SHARE:.0%} of the paper.",
        [
            Layer("rule", across, {"color": drive_colour(0), "strokeWidth": 2.6}),
            Layer("line", list(_curves(curves, _RETENTION_HOURS))),
        ],
        x=_RETENTION,
        y=Axis("share of the block's life", "share", most=0.6),
        colours=colours_of(curves, 1),
    )


def _extended(model: CellModel) -> Chart:
    ages = np.geomspace(300.0, _MOST_DRAWN, _CURVE_POINTS)
    rows = model.extended_cycles(ages, programs=PROGRAMS)
    curves = {label: [row[key] for row in rows] for key, label in _AGED_BY.items()}
    return Chart(
        "Low pages overwritten in place",
        f"Raw bit error rate right after the last of {PROGRAMS} programs a cycle and sealing, by what is taken to age "
        "the cells; grey: plain cycles. The paper measured some 1e-4 at 9,000 cycles.",
        [Layer("line", list(_curves(curves, ages, lambda rate: rate >= 1e-8)))],
        x=Axis("P/E cycles", log=True),
        y=Axis("raw bit error rate", "rate", log=True),
        colours=colours_of(curves),
    )
