"""Plots of frame error rates against raw bit error rates: as a picture, and on a page."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from rewear._codes import ln_binomial_tail
from rewear.cli.codes_tables import DECODERS
from rewear.files import replacing
from rewear.page.plot import Plot
from rewear.page.svg import (
    MUTED,
    SURFACE,
    Palette,
    drive_colour,
    figure,
    light_palette,
    page_palette,
    style,
    to_svg,
)
from rewear.page.templates import render_template
from rewear.units import format_number

__all__ = ["render_codes_page", "save_plot"]

_PANEL_INCHES = (5.7, 4.1)
_MARKERS = "osD^v"


@dataclass(frozen=True, slots=True)
class Curve:
    """Measured rows of one code and decoder."""

    label: str
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    caption: str
    curves: list[Curve]


def save_plot(results: dict[str, Any], path: Path) -> None:
    """Writes every panel of a study into one PNG or SVG with light background."""
    panels, palette = _panels(results), light_palette()
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    width, height = _PANEL_INCHES
    with matplotlib.rc_context({**style(palette), "svg.hashsalt": "rewear codes"}):
        drawing = Figure(
            figsize=(width * columns, height * lines), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12)
        )
        drawing.set_facecolor(palette(SURFACE))
        for place, panel in enumerate(panels):
            axes = drawing.add_subplot(lines, columns, place + 1)
            axes.set_title(panel.title, loc="left", fontsize=10.5, fontweight="bold", pad=36)
            _draw(axes, panel, palette)
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"Date": None} if kind == "svg" else None
        with replacing(path) as file:
            drawing.savefig(file, format=kind, dpi=150, metadata=metadata, facecolor=palette(SURFACE))


def render_codes_page(results: dict[str, Any], command: str | None = None) -> str:
    """A self-contained page with the plots and their figures. The same study gives the same bytes."""
    return render_template(
        "codes.html.j2",
        plots=[_figure(panel) for panel in _panels(results)],
        panels=_panels(results),
        samples=results["samples"],
        seed=results["seed"],
        command=command,
    )


def _figure(panel: Panel) -> Plot:
    with figure(_PANEL_INCHES[1], panel.title) as (drawing, axes):
        _draw(axes, panel, page_palette)
        svg = to_svg(drawing, f"Frame error rate against raw bit error rate: {panel.title}")
    return Plot(panel.title, panel.caption, svg)


def _panels(results: dict[str, Any]) -> list[Panel]:
    sections = results["sections"]
    panels = []
    if "bch" in sections:
        rows = sections["bch"]["frame_error_rates"]
        for data_bytes in sorted({row["data_bytes"] for row in rows}, reverse=True):
            panels.append(_bch_panel([row for row in rows if row["data_bytes"] == data_bytes]))
    if "ldpc" in sections:
        rows = sections["ldpc"]["frame_error_rates"]
        for code in sections["ldpc"]["codes"]:
            same = [row for row in rows if row["parity_bytes"] == code["parity_bytes"]]
            panels.append(_ldpc_panel(code, same))
    return panels


def _bch_panel(rows: list[dict[str, Any]]) -> Panel:
    by_t: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_t.setdefault(row["t"], []).append(row)
    curves = []
    for t, measured in by_t.items():
        curves.append(Curve(f"t = {t} ({_parity(measured[0])})", measured))
    caption = "Points: measured, with 95% intervals; hollow: no frame failed. Lines: the binomial tail beyond t errors."
    return Panel(f"BCH, {rows[0]['data_bytes']} B of data, by t (and parity)", caption, curves)


def _parity(row: dict[str, Any]) -> str:
    return f"{format_number(100 * row['parity_bytes'] / row['data_bytes'])}%"


def _ldpc_panel(code: dict[str, Any], rows: list[dict[str, Any]]) -> Panel:
    curves = [
        Curve(name, [row for row in rows if row["decoder"] == decoder])
        for decoder, name in DECODERS.items()
        if any(row["decoder"] == decoder for row in rows)
    ]
    title = f"LDPC, {code['data_bytes']} B of data, {_parity(code)} parity"
    caption = "Points: measured, with 95% intervals; hollow: no frame failed, drawn at the end of the interval."
    return Panel(title, caption, curves)


def _draw(axes: Axes, panel: Panel, palette: Palette) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for place, curve in enumerate(panel.curves):
        _draw_curve(axes, curve, palette(drive_colour(1 + place)), _MARKERS[place % len(_MARKERS)])
    axes.grid(visible=True, which="major", axis="both")
    axes.set_ylim(top=1.4)
    axes.set_xlabel("raw bit error rate")
    axes.set_ylabel("frame error rate")
    axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", length=0)
    axes.tick_params(axis="y", labelcolor=palette(MUTED))
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1.0), borderaxespad=0.2, ncols=2,
        fontsize=8, handlelength=1.4, handletextpad=0.4, columnspacing=1.1,
    )  # fmt: skip


def _draw_curve(axes: Axes, curve: Curve, colour: str, marker: str) -> None:
    rows = sorted(curve.rows, key=lambda row: float(row["rber"]))
    failed = [row for row in rows if row["frame_errors"]]
    rber = [row["rber"] for row in failed]
    rates = [row["frame_error_rate"] for row in failed]
    # Rounding may leave an end of the interval on the wrong side of the rate.
    below = [max(0.0, row["frame_error_rate"] - row["low"]) for row in failed]
    above = [max(0.0, row["high"] - row["frame_error_rate"]) for row in failed]
    expected = "expected" in rows[0]
    axes.errorbar(
        rber, rates, yerr=[below, above], color=colour, marker=marker, markersize=4.5, elinewidth=1,
        linestyle="none" if expected else "-", linewidth=1.4, label=curve.label,
    )  # fmt: skip
    if expected:
        axes.plot(*_binomial_tail(rows), color=colour, linewidth=1.2, alpha=0.75)
    unfailed = [row for row in rows if not row["frame_errors"]]
    axes.plot(
        [row["rber"] for row in unfailed], [row["high"] for row in unfailed],
        linestyle="none", marker="v", markersize=5, markerfacecolor="none", markeredgecolor=colour,
    )  # fmt: skip


def _binomial_tail(rows: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """The expected frame error rate of a BCH code from its lowest to its highest point."""
    least, most = rows[0]["rber"], rows[-1]["rber"]
    rber = [least * (most / least) ** (step / 60) for step in range(61)]
    return rber, [math.exp(ln_binomial_tail(rows[0]["codeword_bits"], rate, rows[0]["t"])) for rate in rber]


def _short(value: float) -> str:
    return f"{value:g}" if value >= 1e-3 else f"{value:.0e}".replace("e-0", "e-")
