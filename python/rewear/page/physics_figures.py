"""Plots of the cell model. Curves are computed for the plot, on finer grids than the study's tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from rewear.cli.physics_tables import code_name, format_hours, mode_name
from rewear.page.plot import Plot
from rewear.page.svg import GRID, INK, MUTED, drive_colour, figure, to_svg
from rewear.physics import CellModel
from rewear.physics.model import Floats
from rewear.physics.study import PAPER_MODES, PAPER_SHARE, PROGRAMS

__all__ = ["all_physics_plots"]

_CURVE_POINTS = 31
_MOST_CYCLES = 30_000.0
_LEAST_CYCLES = 100.0
_RETENTION_HOURS = np.geomspace(1.0, 10 * 8760.0, 9)
_CODE_COLOURS = {"BCH": 4, "LDPC hard": 5, "LDPC 3 references": 1, "LDPC 7 references": 2}
"""Codes that are drawn; a read with 5 references lies between its neighbours."""


def all_physics_plots(model: CellModel, results: dict[str, Any]) -> list[Plot]:
    """Every plot, the one that explains the others first."""
    sections = results["sections"]
    steps = sorted({row["step_v"] for row in sections["rber"]})
    ages = [point["cycles"] for point in sections["rber"][0]["by_cycles"]]
    hours = max(row["retention_hours"] for row in sections["rber"])
    age = float(np.median(ages))
    limits = sections["limits"]
    return [
        _voltages(model, model.step_v, "normal", age, hours),
        _voltages(model, 2 * model.step_v, "doubled", age, hours),
        _rates(model, steps, hours, limits),
        _doubled(model, limits),
        _reads(model, hours),
        _second_writes(model, steps),
        *([_extended_cycles(model)] if sections["extended_cycles"] else []),
    ]


def _voltages(model: CellModel, step_v: float, name: str, cycles: float, hours: float) -> Plot:
    verify = model.config["voltage"]["verify_v"]
    edges = np.linspace(0.0, verify[-1] + 2.5 * step_v + 0.4, 900)
    middles = 0.5 * (edges[1:] + edges[:-1])
    title = f"Threshold voltages, {name} step of {step_v:g} V"
    caption = (
        f"Lines: {cycles:,g} cycles and {format_hours(hours)} after programming; dotted: fresh. "
        "Upright: read references. Scale of the density: logarithmic."
    )
    with figure(3.2, f"voltages {name}") as (drawing, axes):
        fresh = model.density(edges, step_v, 0, 0)
        old = model.density(edges, step_v, cycles, hours)
        for level, (before, after) in enumerate(zip(fresh, old, strict=True)):
            colour = drive_colour(1 + level % 7)
            axes.plot(middles, before, color=colour, linewidth=0.9, linestyle=":")
            axes.plot(middles, after, color=colour, linewidth=1.5, label="erased" if level == 0 else f"level {level}")
        for reference in model.references(step_v, cycles, hours):
            axes.axvline(float(reference), color=MUTED, linewidth=0.8)
        axes.set_yscale("log")
        axes.set_ylim(1e-5, 30)
        axes.set_xlabel("threshold voltage (V, normalised)")
        axes.set_ylabel("density (1/V)")
        _plain_axes(axes)
        _legend(axes, 4)
        return Plot(title, caption, to_svg(drawing, title))


def _rates(model: CellModel, steps: Sequence[float], hours: float, limits: Sequence[dict[str, Any]]) -> Plot:
    cycles = np.geomspace(_LEAST_CYCLES, _MOST_CYCLES, _CURVE_POINTS)
    title = f"Raw bit error rate by step, {format_hours(hours)} after programming"
    caption = (
        "Worst kind of page. Across: what each code stands at its UBER (LDPC: a measured waterfall, extrapolated)."
    )
    with figure(3.9, "rates") as (drawing, axes):
        for place, step in enumerate(steps):
            axes.plot(
                cycles, model.rber(step, cycles, hours), color=drive_colour(1 + place % 7), label=f"step {step:g} V"
            )
        for limit in limits:
            if code_name(limit) in _CODE_COLOURS:
                axes.axhline(limit["rber"], color=MUTED, linewidth=0.8, linestyle="--" if limit["ldpc"] else "-")
                above = code_name(limit) != "BCH" and limit["references"] != 3
                axes.annotate(
                    code_name(limit), (_LEAST_CYCLES * 1.06, limit["rber"]), textcoords="offset points",
                    xytext=(0, 2 if above else -9), color=INK, fontsize=8,
                )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(1e-5, 0.2)
        axes.set_xlabel("program/erase cycles")
        axes.set_ylabel("raw bit error rate")
        _plain_axes(axes)
        _whole(axes)
        _legend(axes, 4)
        return Plot(title, caption, to_svg(drawing, title))


def _doubled(model: CellModel, limits: Sequence[dict[str, Any]]) -> Plot:
    title = "Until when a doubled step is safe"
    caption = (
        "Lines: cycles until the doubled step passes what the code stands. Grey: the life of the normal step under "
        "BCH. Between the BCH line and an LDPC line only that LDPC read works."
    )
    doubled = 2 * model.step_v
    with figure(3.9, "doubled") as (drawing, axes):
        normal = model.cycles_until(limits[0]["rber"], model.step_v, _RETENTION_HOURS)
        axes.plot(_RETENTION_HOURS, normal, color=drive_colour(0), linewidth=2.6, label="normal step, BCH")
        for limit in limits:
            name = code_name(limit)
            if name not in _CODE_COLOURS:
                continue
            lives = model.cycles_until(limit["rber"], doubled, _RETENTION_HOURS)
            axes.plot(
                _RETENTION_HOURS, _seen(lives), color=drive_colour(_CODE_COLOURS[name]), label=f"doubled, {name}",
                linestyle="-" if limit["ldpc"] else "--",
            )  # fmt: skip
        axes.set_yscale("log")
        axes.set_ylabel("program/erase cycles")
        _retention(axes)
        _plain_axes(axes)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        _legend(axes, 2)
        return Plot(title, caption, to_svg(drawing, title))


def _reads(model: CellModel, hours: float) -> Plot:
    cycles = np.linspace(0.0, 12_000.0, 49)
    rows = [model.derived_modes(float(count), hours) for count in cycles]
    title = f"Read latency by mode, {format_hours(hours)} after programming"
    caption = (
        "Sensings times their number and decoding; a line ends where its code cannot read the page. Ticks at the "
        "right: Table I of the differentiated-ECC paper."
    )
    with figure(3.9, "reads") as (drawing, axes):
        for place, name in enumerate(PAPER_MODES):
            reads = [row[place]["read_ns"] for row in rows]
            micros = np.array([np.nan if ns is None else ns / 1e3 for ns in reads])
            colour = drive_colour(1 + place)
            # A little apart, so that lines of equal height stay visible.
            axes.plot(cycles, micros + 1.2 * place, color=colour, label=mode_name(name), drawstyle="steps-post")
            axes.plot([1.0, 1.03], [PAPER_MODES[name][1] / 1e3] * 2, color=colour, linewidth=3, clip_on=False,
                      transform=axes.get_yaxis_transform())  # fmt: skip
        axes.set_ylim(bottom=0)
        axes.set_xlabel("program/erase cycles")
        axes.set_ylabel("read latency (µs)")
        _plain_axes(axes)
        _whole(axes)
        _legend(axes, 2)
        return Plot(title, caption, to_svg(drawing, title))


def _second_writes(model: CellModel, steps: Sequence[float]) -> Plot:
    title = "Second writes: share of a block's life"
    caption = (
        "Until the weaker code of first writes no longer suffices, over the life under a code in the whole spare area. "
        f"Grey: the {PAPER_SHARE:.0%} of the paper."
    )
    with figure(3.9, "second writes") as (drawing, axes):
        axes.axhline(PAPER_SHARE, color=drive_colour(0), linewidth=2.6, label=f"paper, {PAPER_SHARE:.0%}")
        for place, step in enumerate(steps):
            shares = [model.second_writes(step, float(hours))["share"] for hours in _RETENTION_HOURS]
            axes.plot(_RETENTION_HOURS, shares, color=drive_colour(1 + place % 7), label=f"step {step:g} V")
        axes.set_ylim(0, 0.6)
        axes.set_ylabel("share of the block's life")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        _retention(axes)
        _plain_axes(axes)
        _legend(axes, 4)
        return Plot(title, caption, to_svg(drawing, title))


def _extended_cycles(model: CellModel) -> Plot:
    title = "Low pages overwritten in place"
    caption = (
        f"Raw bit error rate right after the last of {PROGRAMS} programs a cycle and sealing, by what is taken to age "
        "the cells; grey: plain cycles. The paper measured some 1e-4 at 9,000 cycles."
    )
    ages = np.geomspace(300.0, _MOST_CYCLES, _CURVE_POINTS)
    rows = model.extended_cycles(ages, programs=PROGRAMS)
    curves = (("plain", "plain cycles"), *((f"aged_by_{by}", f"{by} age") for by in ("erases", "charge", "programs")))
    with figure(3.9, "extended cycles") as (drawing, axes):
        for place, (key, label) in enumerate(curves):
            axes.plot(ages, [row[key] for row in rows], color=drive_colour(place), label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=1e-8)
        axes.set_xlabel("P/E cycles")
        axes.set_ylabel("raw bit error rate")
        _plain_axes(axes)
        _legend(axes, 2)
        return Plot(title, caption, to_svg(drawing, title))


def _seen(lives: Floats) -> Floats:
    """Nothing to draw where a step can never be read."""
    return np.where(lives > 0, lives, np.nan)


def _retention(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("time since programming")
    axes.set_xticks([1, 24, 720, 8760, 87600], ["1 h", "1 d", "30 d", "1 y", "10 y"])
    axes.xaxis.set_minor_formatter(NullFormatter())


def _whole(axes: Axes) -> None:
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _plain_axes(axes: Axes) -> None:
    axes.grid(visible=True, which="major", axis="both", color=GRID)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(axis="y", labelcolor=MUTED)


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1.0), borderaxespad=0.2, ncols=columns,
        fontsize=8, handlelength=1.4, handletextpad=0.4, columnspacing=1.1,
    )  # fmt: skip
