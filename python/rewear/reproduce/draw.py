"""Draws figures: for pages as inline SVG in the page's colours, and as files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from rewear.files import replacing, write_text
from rewear.page.svg import (
    INK,
    MUTED,
    SURFACE,
    Palette,
    drive_colour,
    light_palette,
    page_palette,
    standalone_svg,
    style,
    to_svg,
)
from rewear.reproduce.number import Numbers, Runs, UnknownError, evaluate
from rewear.reproduce.plan import FigurePlan, Panel, Series
from rewear.units import format_time

__all__ = ["Drawing", "draw", "inline", "save"]

_WIDTH_INCHES, _WIDE_INCHES, _HEIGHT_INCHES = 5.7, 10.4, 3.3
_MANY = 8


@dataclass(frozen=True, slots=True)
class Drawing:
    """The numbers of a figure: by panel, then by series."""

    plan: FigurePlan
    panels: tuple[tuple[Numbers, ...], ...]
    missing: tuple[str, ...]
    """Why some numbers are not there."""
    stand_in: bool = False
    """Whether it shows a stand-in."""

    @property
    def wide(self) -> bool:
        """Whether it needs the width of the page."""
        return len(self.panels) > 1 or any(len(numbers) > _MANY for panel in self.panels for numbers in panel)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not any(numbers for panel in self.panels for numbers in panel)


def draw(plan: FigurePlan, runs: Mapping[str, Runs]) -> Drawing:
    """Gets the numbers of a figure from the results of its experiments by name."""
    missing: dict[str, None] = {}
    panels = tuple(tuple(_numbers(panel, each, runs, missing) for each in plan.series) for panel in plan.panels)
    return Drawing(plan, panels, tuple(missing))


def _numbers(panel: Panel, series: Series, runs: Mapping[str, Runs], missing: dict[str, None]) -> Numbers:
    number = series.number.placed(panel.at)
    if panel.figure is not None:
        number = replace(number, figure=panel.figure)
    if number.experiment not in runs:
        return {}
    found: Numbers = {}
    try:
        labels = number.labels or tuple(runs[number.experiment].labels(number.each or ""))
    except UnknownError as error:
        missing[str(error)] = None
        return {}
    for label in labels:
        try:
            found |= evaluate(replace(number, labels=(label,)), runs[number.experiment])
        except UnknownError as error:
            missing[str(error)] = None
    return found


def inline(drawing: Drawing) -> str:
    """The figure as an `<svg>` element of a page."""
    plan = drawing.plan
    settings: Any = {**style(page_palette), **_own(plan)}
    with matplotlib.rc_context(settings):
        return to_svg(_figure(drawing, page_palette), f"{plan.title}: {plan.caption}")


def save(drawing: Drawing, svg: str, folder: Path, png: bool = True) -> None:
    """Writes the figure as SVG, which `inline` gave, for light and dark surroundings, and as PNG."""
    plan = drawing.plan
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / f"{plan.name}.svg", standalone_svg(svg))
    if png:
        light = light_palette()
        settings: Any = {**style(light), **_own(plan), "savefig.facecolor": light(SURFACE)}
        with matplotlib.rc_context(settings), replacing(folder / f"{plan.name}.png") as file:
            _figure(drawing, light).savefig(file, format="png", dpi=150, metadata={"Software": None})


def _own(plan: FigurePlan) -> dict[str, Any]:
    return {"svg.hashsalt": f"rewear {plan.name}", "axes.grid.axis": "y", "axes.spines.bottom": True}


def _figure(drawing: Drawing, palette: Palette) -> Figure:
    plan = drawing.plan
    width = _WIDE_INCHES if drawing.wide else _WIDTH_INCHES
    figure = Figure(figsize=(width, _HEIGHT_INCHES), layout="constrained")
    shared = len({(panel.y_label, panel.unit, panel.log) for panel in plan.panels}) == 1
    columns = figure.subplots(1, len(plan.panels), sharey=shared, squeeze=False)[0]
    for position, (axes, panel, numbers) in enumerate(zip(columns, plan.panels, drawing.panels, strict=True)):
        _PAINTERS[plan.kind](axes, plan, numbers, palette)
        _mark_paper(axes, plan, panel, numbers, palette)
        positive = all(value > 0 for values in numbers for value in values.values())
        _dress(axes, plan, replace(panel, log=panel.log and positive), palette)
        if position == 0 or not shared:
            axes.set_ylabel(panel.y_label)
    handles, labels = columns[0].get_legend_handles_labels()
    if len(plan.series) > 1 and handles:
        figure.legend(handles, labels, loc="outside upper left", ncols=_columns(drawing), fontsize=8.5)
    return figure


def _columns(drawing: Drawing) -> int:
    """Columns of the legend, so that the longest label has room in each."""
    longest = max(len(series.label) for series in drawing.plan.series)
    return max(1, int((150 if drawing.wide else 78) / (longest + 7)))


def _dress(axes: Axes, plan: FigurePlan, panel: Panel, palette: Palette) -> None:
    if panel.title:
        axes.set_title(panel.title, fontsize=9.5, loc="left")
    axes.set_xlabel(plan.x_label)
    if panel.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(_TICKS.get(panel.unit, _plain)))
    if panel.band is not None:
        axes.axhspan(*panel.band, color=palette(MUTED), alpha=0.16, linewidth=0, zorder=0)
        middle = sum(panel.band) / 2
        axes.annotate(
            "paper", (1.01, middle), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=palette(MUTED)
        )
    if axes.get_ylim()[0] < 0 < axes.get_ylim()[1] and not panel.log:
        axes.axhline(0, color=palette(MUTED), linewidth=0.8)


def _plain(value: float, _: object) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


_TICKS = {
    "percent": lambda value, _: f"{100 * value:g}%",
    "change": lambda value, _: f"{100 * value:+g}%".replace("-", "\N{MINUS SIGN}").replace("+0%", "0%"),
    "points": lambda value, _: f"{100 * value:+g}".replace("-", "\N{MINUS SIGN}"),
    "time": lambda value, _: format_time(value) if value > 0 else "0",
    "factor": lambda value, _: f"x {value:g}" if value else "0",
}


def _labels(numbers: Sequence[Numbers]) -> list[str]:
    return list(dict.fromkeys(label for each in numbers for label in each))


def _bars(axes: Axes, plan: FigurePlan, numbers: Sequence[Numbers], palette: Palette) -> None:
    labels = _labels(numbers)
    width = 0.8 / len(plan.series)
    for position, (series, values) in enumerate(zip(plan.series, numbers, strict=True)):
        places = [labels.index(label) + (position + 0.5) * width - 0.4 for label in values]
        axes.bar(
            places, list(values.values()), width * 0.92, color=palette(_colour(plan, position)), label=series.label
        )
    _name_places(axes, labels)


def _mark_paper(axes: Axes, plan: FigurePlan, panel: Panel, numbers: Sequence[Numbers], palette: Palette) -> None:
    """Marks the paper's values where those of the same series and label stand."""
    labels = _labels(numbers)
    scale = [_position(label) for label in labels]
    places: list[float] = []
    values: list[float] = []
    for position, series in enumerate(plan.series):
        for label, value in panel.paper.get(series.label, {}).items():
            if label not in labels:
                continue
            index = labels.index(label)
            if plan.kind == "bars":
                places.append(index + (position + 0.5) * 0.8 / len(plan.series) - 0.4)
            else:
                places.append(scale[index] if None not in scale else index)  # type: ignore[arg-type]
            values.append(value)
    if values:
        axes.scatter(places, values, marker="D", s=22, color=palette(INK), zorder=3, label="paper", linewidths=0)


def _stack(axes: Axes, plan: FigurePlan, numbers: Sequence[Numbers], palette: Palette) -> None:
    labels = _labels(numbers)
    bottom = dict.fromkeys(labels, 0.0)
    for position, (series, values) in enumerate(zip(plan.series, numbers, strict=True)):
        heights = [values.get(label, 0.0) for label in labels]
        axes.bar(
            range(len(labels)), heights, 0.7, bottom=list(bottom.values()), color=palette(drive_colour(position)),
            label=series.label,
        )  # fmt: skip
        bottom = {label: bottom[label] + height for label, height in zip(labels, heights, strict=True)}
    _name_places(axes, labels)


def _lines(axes: Axes, plan: FigurePlan, numbers: Sequence[Numbers], palette: Palette) -> None:
    labels = _labels(numbers)
    scale = [_position(label) for label in labels]
    numeric = None not in scale
    for position, (series, values) in enumerate(zip(plan.series, numbers, strict=True)):
        places: list[Any] = [_position(label) if numeric else labels.index(label) for label in values]
        axes.plot(
            places, list(values.values()), color=palette(_colour(plan, position)), marker="o", markersize=3.5,
            linewidth=1.5, label=series.label, linestyle="-" if position < _MANY else "--",
        )  # fmt: skip
    if not numeric:
        _name_places(axes, labels)
        return
    if plan.log_x:
        axes.set_xscale("log")
    axes.set_xticks([place for place in scale if place is not None], labels)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", which="minor", length=0)


def _colour(plan: FigurePlan, position: int) -> str:
    # The first colour is grey, for what others are related to; a lone series has a colour.
    return drive_colour(position if len(plan.series) > 1 else 1)


def _position(label: str) -> float | None:
    """A label as a place on a scale: 7%, 64 KB, 0.5."""
    number = label.strip().rstrip("%").replace("\N{MINUS SIGN}", "-").removesuffix("KB").removesuffix("GiB").strip()
    try:
        return float(number)
    except ValueError:
        return None


def _name_places(axes: Axes, labels: Sequence[str]) -> None:
    crowded = sum(map(len, labels)) > 52
    axes.set_xticks(range(len(labels)), labels, rotation=30 if crowded else 0, ha="right" if crowded else "center")
    axes.set_xlim(-0.6, len(labels) - 0.4)


_PAINTERS = {"bars": _bars, "lines": _lines, "stack": _stack}
