"""The plots of a sweep: lines over a numeric axis, bars over a categorical one."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from rewear.metrics import Metric
from rewear.page.plot import Plot
from rewear.page.svg import MUTED, figure, to_svg
from rewear.page.sweep_bars import draw_bars
from rewear.page.sweep_layout import Layout, Panel, Series, layout_of, panels_of
from rewear.page.sweep_style import axis_legend, line_colour, tick_text, whiskers
from rewear.sweep.figures import Value, figure_title, value_of
from rewear.sweep.grid import Axis
from rewear.sweep.results import Results
from rewear.units import byte_unit, format_bytes, format_time, time_unit

__all__ = ["sweep_plots"]

_HEIGHT_INCHES = 3.3
_MARKERS = "osD^vPX"
_LOGARITHMIC_FROM = 30
"""Ratio of the ends of an axis from which on it is logarithmic."""


def sweep_plots(results: Results, metrics: Sequence[Metric]) -> list[Plot]:
    """A plot for each figure, or several where the sweep has more than two axes."""
    layout = layout_of(results)
    plots = []
    for metric in metrics:
        for panel in panels_of(results, layout):
            drawn = [
                value_of(metric, group) for line in (*panel.series, *panel.cases) for group in line.groups.values()
            ]
            known = [value for value in drawn if value is not None]
            if known:
                plots.append(_plot(results, layout, metric, panel, max(value.high for value in known)))
    return plots


def _plot(results: Results, layout: Layout, metric: Metric, panel: Panel, largest: float) -> Plot:
    scale, unit = _unit(metric, largest)
    title = figure_title(metric)
    label = f"{title} ({unit})" if unit else title
    if layout.x is not None and layout.x.numeric and len(layout.x.points) > 1:
        svg = _lines(layout, layout.x, metric, panel, scale, label, largest / scale)
    else:
        svg = draw_bars(results, layout, metric, panel, scale, label)
    better = {True: "Lower is better.", False: "Higher is better.", None: ""}[metric.lower_is_better]
    repeats = any(axis.repeats for axis in results.description.axes)
    spread = "Means over seeds; whiskers from the least to the most." if repeats else ""
    heading = f"{title}: {panel.label}" if panel.label else title
    return Plot(heading, " ".join(filter(None, (better, spread))), svg)


def _unit(metric: Metric, largest: float) -> tuple[float, str]:
    """By what to divide the figure, and the unit that it then has."""
    if metric.text is format_bytes:
        return byte_unit(largest)
    if metric.text is format_time:
        return time_unit(largest)
    return 1, ""


def _lines(layout: Layout, x: Axis, metric: Metric, panel: Panel, scale: float, label: str, largest: float) -> str:
    positions = {point.label: float(str(point.value)) for point in x.points}
    labelled = layout.lines is not None or bool(panel.cases)
    height = _HEIGHT_INCHES + (0.2 * -(-(len(panel.series) + len(panel.cases)) // 3) if labelled else 0)
    with figure(height, f"{metric.key} {panel.label}") as (drawing, axes):
        for place, line in enumerate(panel.series):
            points = [(positions[at], value_of(metric, group)) for at, group in line.groups.items()]
            _line(axes, line, sorted((x, value) for x, value in points if value is not None), scale, place)
        for case in panel.cases:
            _case(axes, metric, case, scale)
        _scales(axes, positions, largest)
        axes.set_xlabel(x.name)
        axes.set_ylabel(label)
        if labelled:
            axis_legend(drawing, layout)
        return to_svg(drawing, f"Lines of {label} over {x.name}")


def _line(axes: Axes, line: Series, points: Sequence[tuple[float, Value]], scale: float, place: int) -> None:
    values = [value for _, value in points]
    places, means = [x for x, _ in points], [value.mean / scale for value in values]
    colour = line_colour(line.colour)
    axes.plot(
        places,
        means,
        color=colour,
        marker=_MARKERS[place % len(_MARKERS)],
        markersize=4.5,
        linewidth=1.5,
        label=line.label,
    )
    if any(value.low < value.high for value in values):
        axes.errorbar(places, means, yerr=whiskers(values, scale), color=colour, fmt="none", elinewidth=1, capsize=2)


def _case(axes: Axes, metric: Metric, case: Series, scale: float) -> None:
    """A dashed line across, since a case lies nowhere along the axis."""
    for group in case.groups.values():
        value = value_of(metric, group)
        if value is not None:
            axes.axhline(
                value.mean / scale,
                color=line_colour(case.colour),
                linewidth=1.2,
                linestyle=(0, (4, 3)),
                label=case.label,
            )


def _scales(axes: Axes, positions: Mapping[str, float], largest: float) -> None:
    """Ticks at the points of the sweep, a grid both ways, the figure from zero."""
    least, most = min(positions.values()), max(positions.values())
    if least > 0 and most / least >= _LOGARITHMIC_FROM:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    if len(positions) <= 9:
        axes.xaxis.set_major_locator(FixedLocator(list(positions.values())))
        names = {position: label for label, position in positions.items()}
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, f"{value:g}")))
    axes.grid(True, axis="both")
    axes.set_ylim(0, (largest or 1) * 1.08)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_formatter(FuncFormatter(tick_text))
    axes.tick_params(axis="y", labelcolor=MUTED)
