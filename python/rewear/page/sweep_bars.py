"""Bars of a sweep: a figure over an axis whose points lie on no scale."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rewear.metrics import Metric
from rewear.page.svg import INK, figure, to_svg
from rewear.page.sweep_layout import Layout, Panel
from rewear.page.sweep_style import axis_legend, line_colour, tick_text, whiskers
from rewear.sweep.figures import Group, groups_of, reference_of, value_of
from rewear.sweep.results import Results
from rewear.units import format_change

__all__ = ["draw_bars"]

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


def draw_bars(results: Results, layout: Layout, metric: Metric, panel: Panel, scale: float, label: str) -> str:
    """Horizontal bars from zero, grouped by the axis along the plot, each with its value and change; as SVG."""
    rows = [] if layout.x is None or not panel.series else [point.label for point in layout.x.points]
    chief = "" if layout.x is None else results.description.reference.get(layout.x.name, "")
    bars = [*_grid(panel, rows, chief), *_cases(panel, len(rows))]
    rows += [case.label for case in panel.cases]
    alone = len(panel.series) < 2
    inches = 0.85 + len(bars) * (_ALONE_INCHES if alone else _BAR_INCHES) + (0 if alone else 0.14 * len(rows) + 0.35)
    groups = groups_of(results)
    with figure(inches, f"{metric.key} {panel.label}") as (drawing, axes):
        named: set[str] = set()
        for bar in bars:
            _draw(axes, metric, bar, reference_of(results, bar.group, groups), scale, named)
        values = [value_of(metric, bar.group) for bar in bars]
        largest = max((value.high for value in values if value is not None), default=0) / scale
        # Room for the labels behind the longest bar.
        axes.set_xlim(0, (largest or 1) * 1.35)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FuncFormatter(tick_text))
        axes.set_yticks(range(len(rows)), ["\n".join(textwrap.wrap(row, 22, break_on_hyphens=False)) for row in rows])
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.set_xlabel(label)
        if not alone:
            axis_legend(drawing, layout)
        return to_svg(drawing, f"Bars of {label}")


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


def _draw(axes: Axes, metric: Metric, bar: _Bar, reference: Group | None, scale: float, named: set[str]) -> None:
    """One bar; the first of each line carries its name into the legend."""
    value = value_of(metric, bar.group)
    base = None if reference is None else value_of(metric, reference)
    mean = 0.0 if value is None else value.mean / scale
    # What begins with an underscore stays out of a legend.
    label = bar.line if bar.line and bar.line not in named else "_"
    named.add(bar.line)
    axes.barh(bar.at, mean, height=bar.height * 0.86, color=line_colour(bar.colour), linewidth=0, label=label)
    if value is not None and value.low < value.high:
        axes.errorbar(mean, bar.at, xerr=whiskers([value], scale), color=INK, elinewidth=0.9, capsize=2)
    change = "" if value is None or base is None else format_change(value.mean, base.mean)
    text = "none" if value is None else metric.text(value.mean)
    axes.annotate(
        f"{text} ({change})" if change else text, (0.0 if value is None else value.high / scale, bar.at), (5, 0),
        textcoords="offset points", va="center", fontsize=8.5,
    )  # fmt: skip
