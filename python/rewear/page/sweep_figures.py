"""The quantities of a sweep: panels over one scale, or a heat map where there are too many."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewear.metrics import Metric
from rewear.page.sweep_bars import bars_inches, draw_bars
from rewear.page.sweep_heat import Heat, heat_of
from rewear.page.sweep_layout import Layout, Panel, layout_of, panels_of
from rewear.page.sweep_lines import draw_lines
from rewear.page.sweep_style import Frame, colour_number
from rewear.page.sweep_words import axis_title, finding
from rewear.sweep.figures import figure_title, value_of
from rewear.sweep.results import Results
from rewear.units import byte_unit, format_bytes, format_time, time_unit

__all__ = ["Quantity", "sweep_quantities"]

_MOST_PANELS = 6
"""More than these do not fit one screen, and become a heat map."""
_MOST_BARS = 24
"""Bars of all panels together that fit one screen."""
_ALONE_INCHES = (5.7, 3.3)
_PANEL_INCHES = (3.7, 2.5)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure of a sweep."""

    title: str
    """What it comes to."""
    caption: str
    legend_title: str
    legend: list[tuple[str, int]]
    """Label and number of the colour of each line, where there is more than one."""
    panels: list[tuple[str, str]]
    """Label and SVG."""
    heat: Heat | None


def sweep_quantities(results: Results, metrics: Sequence[Metric]) -> list[Quantity]:
    """A quantity for each figure that some run has."""
    layout = layout_of(results)
    panels = panels_of(results, layout)
    found = (_quantity(results, layout, metric, panels) for metric in metrics)
    return [quantity for quantity in found if quantity is not None]


def _quantity(results: Results, layout: Layout, metric: Metric, panels: Sequence[Panel]) -> Quantity | None:
    drawn = [
        value_of(metric, group)
        for panel in panels
        for line in (*panel.series, *panel.cases)
        for group in line.groups.values()
    ]
    known = [value for value in drawn if value is not None]
    if not known:
        return None
    largest = max(value.high for value in known)
    title = figure_title(metric)
    captions = [{True: "Lower is better.", False: "Higher is better.", None: ""}[metric.lower_is_better]]
    if any(axis.repeats for axis in results.description.axes):
        captions.append("Means over seeds; whiskers from the least to the most.")
    heat = None
    if len(panels) > 1 and (len(panels) > _MOST_PANELS or (not _is_line(layout) and _bars(panels) > _MOST_BARS)):
        heat = heat_of(layout, metric, panels)
        captions.append("Darker: more. Framed: best.")
    elif len(panels) > 1:
        captions.append("All panels have the same scale.")
    legend = [] if heat else _legend(layout, panels)
    return Quantity(
        finding(results, metric) or title,
        " ".join(filter(None, captions)),
        "" if layout.lines is None or not legend else axis_title(layout.lines),
        legend,
        []
        if heat
        else [(panel.label, _draw(results, layout, metric, panel, largest, len(panels))) for panel in panels],
        heat,
    )


def _bars(panels: Sequence[Panel]) -> int:
    return sum(len(line.groups) for panel in panels for line in (*panel.series, *panel.cases))


def _is_line(layout: Layout) -> bool:
    return layout.x is not None and layout.x.numeric and len(layout.x.points) > 1


def _legend(layout: Layout, panels: Sequence[Panel]) -> list[tuple[str, int]]:
    """The lines by name; a bar that is alone in its row, and a case among bars, is named beside it."""
    lines = {line.label: line.colour for panel in panels for line in panel.series if line.label}
    if _is_line(layout):
        lines |= {case.label: case.colour for panel in panels for case in panel.cases}
    return [(label, colour_number(colour)) for label, colour in lines.items()]


def _draw(results: Results, layout: Layout, metric: Metric, panel: Panel, largest: float, panels: int) -> str:
    scale, unit = _unit(metric, largest)
    title = figure_title(metric)
    label = f"{title} ({unit})" if unit else title
    width, height = _ALONE_INCHES if panels == 1 else _PANEL_INCHES
    if layout.x is not None and _is_line(layout):
        return draw_lines(layout.x, metric, panel, Frame(label, scale, largest / scale, width, height))
    frame = Frame(label, scale, largest / scale, width, bars_inches(layout, panel))
    return draw_bars(results, layout, metric, panel, frame)


def _unit(metric: Metric, largest: float) -> tuple[float, str]:
    """By what to divide the figure, and the unit that it then has."""
    if metric.text is format_bytes:
        return byte_unit(largest)
    if metric.text is format_time:
        return time_unit(largest)
    return 1, ""
