"""Bars of a sweep: a figure over an axis whose points lie on no scale."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rewear.metrics import Metric
from rewear.page.svg import INK, figure, to_svg
from rewear.page.sweep_layout import Layout, Panel
from rewear.page.sweep_style import Frame, line_colour, tick_text, whiskers
from rewear.page.sweep_words import axis_title
from rewear.sweep.figures import Group, groups_of, reference_of, value_of
from rewear.sweep.results import Results
from rewear.units import format_change

__all__ = ["bars_inches", "draw_bars"]

_GROUP_HEIGHT = 0.8
_BAR_INCHES = 0.24
_ALONE_INCHES = 0.4


@dataclass(frozen=True, slots=True)
class _Bar:
    """One bar and where it lies."""

    at: float
    height: float
    colour: int
    group: Group
    line: str
    """Label of its line; empty for a case, which the axis names."""


def bars_inches(layout: Layout, panel: Panel) -> float:
    """The height of a panel of bars."""
    rows = _rows(layout, panel)
    bars = [*_grid(panel, rows, ""), *_cases(panel, len(rows))]
    alone = len(panel.series) < 2
    return 0.85 + len(bars) * (_ALONE_INCHES if alone else _BAR_INCHES) + (0 if alone else 0.14 * len(rows) + 0.1)


def draw_bars(results: Results, layout: Layout, metric: Metric, panel: Panel, frame: Frame) -> str:
    """Horizontal bars from zero, grouped by the axis along the plot, each with its value and change; as SVG."""
    rows = _rows(layout, panel)
    chief = "" if layout.x is None else results.description.reference.get(layout.x.name, "")
    bars = [*_grid(panel, rows, chief), *_cases(panel, len(rows))]
    places = {row: f"{layout.x.name} {row}" for row in rows} if layout.x is not None else {}
    rows += [case.label for case in panel.cases]
    groups = groups_of(results)
    tips: dict[str, str] = {}
    with figure(frame.height_inches, f"{metric.key} {panel.label}", frame.width_inches) as (drawing, axes):
        for number, bar in enumerate(bars):
            _draw(axes, metric, bar, reference_of(results, bar.group, groups), frame.scale, f"bar-{number}")
            where = rows[round(bar.at)]
            if (value := value_of(metric, bar.group)) is not None:
                words = ", ".join(filter(None, (bar.line, places.get(where, where))))
                tips[f"bar-{number}"] = f"{words}: {metric.text(value.mean)}"
        # Room for the labels behind the longest bar.
        axes.set_xlim(0, (frame.largest or 1) * 1.35)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FuncFormatter(tick_text))
        axes.set_yticks(range(len(rows)), ["\n".join(textwrap.wrap(row, 22, break_on_hyphens=False)) for row in rows])
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.set_xlabel(frame.label)
        if layout.x is not None:
            axes.set_ylabel(axis_title(layout.x))
        return to_svg(drawing, f"Bars of {frame.label}", tips)


def _rows(layout: Layout, panel: Panel) -> list[str]:
    return [] if layout.x is None or not panel.series else [point.label for point in layout.x.points]


def _grid(panel: Panel, rows: Sequence[str], chief: str) -> Iterator[_Bar]:
    """A bar for each line in each row; without lines the row of the reference, `chief`, is grey."""
    height = _GROUP_HEIGHT / max(1, len(panel.series))
    for place, line in enumerate(panel.series):
        shift = (place - (len(panel.series) - 1) / 2) * height
        for row, label in enumerate(rows):
            if label in line.groups:
                grey = len(panel.series) == 1 and label == chief
                yield _Bar(row + shift, height, 0 if grey else line.colour, line.groups[label], line.label)


def _cases(panel: Panel, first_row: int) -> Iterator[_Bar]:
    """A row for each case."""
    height = min(_GROUP_HEIGHT, 2 * _GROUP_HEIGHT / max(1, len(panel.series)))
    for row, line in enumerate(panel.cases, first_row):
        for group in line.groups.values():
            yield _Bar(row, height, line.colour, group, "")


def _draw(axes: Axes, metric: Metric, bar: _Bar, reference: Group | None, scale: float, gid: str) -> None:
    value = value_of(metric, bar.group)
    base = None if reference is None else value_of(metric, reference)
    mean = 0.0 if value is None else value.mean / scale
    (drawn,) = axes.barh(bar.at, mean, height=bar.height * 0.86, color=line_colour(bar.colour), linewidth=0)
    drawn.set_gid(gid)
    if value is not None and value.low < value.high:
        axes.errorbar(mean, bar.at, xerr=whiskers([value], scale), color=INK, elinewidth=0.9, capsize=2)
    change = "" if value is None or base is None else format_change(value.mean, base.mean)
    text = "none" if value is None else metric.text(value.mean)
    axes.annotate(
        f"{text} ({change})" if change else text, (0.0 if value is None else value.high / scale, bar.at), (5, 0),
        textcoords="offset points", va="center", fontsize=8.5,
    )  # fmt: skip
