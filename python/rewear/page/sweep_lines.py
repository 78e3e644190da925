"""Lines of a sweep: a figure over a numeric axis."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from rewear.metrics import Metric
from rewear.page.svg import INK, MUTED, figure, series_gid, to_svg
from rewear.page.sweep_layout import Panel, Series
from rewear.page.sweep_style import Frame, line_colour, tick_text, whiskers
from rewear.page.sweep_words import axis_title
from rewear.sweep.figures import Value, value_of
from rewear.sweep.grid import Axis

__all__ = ["draw_lines"]

_MARKERS = "osD^vPX"
_LOGARITHMIC_FROM = 30
"""Ratio of the ends of an axis from which on it is logarithmic."""


def draw_lines(x: Axis, metric: Metric, panel: Panel, frame: Frame) -> str:
    """A line for each series and a dashed one for each case, as SVG."""
    positions = {point.label: float(str(point.value)) for point in x.points}
    tips: dict[str, str] = {}
    with figure(frame.height_inches, f"{metric.key} {panel.label}", frame.width_inches) as (drawing, axes):
        for place, line in enumerate(panel.series):
            found = [(at, value_of(metric, group)) for at, group in line.groups.items()]
            known = sorted(((positions[at], at, value) for at, value in found if value is not None), key=lambda e: e[0])
            _line(axes, line, [(at, value) for at, _, value in known], frame.scale, place)
            for number, (at, label, value) in enumerate(known):
                gid = f"tip-{place}-{number}"
                axes.plot(at, value.mean / frame.scale, "o", color=INK, markersize=11, alpha=0, gid=gid)
                tips[gid] = ", ".join(filter(None, (line.label, f"{x.name} {label}"))) + f": {metric.text(value.mean)}"
        for case in panel.cases:
            _case(axes, metric, case, frame.scale)
        _scales(axes, positions, frame.largest)
        axes.set_xlabel(axis_title(x))
        axes.set_ylabel(frame.label)
        return to_svg(drawing, f"Lines of {frame.label} over {x.name}", tips)


def _line(axes: Axes, line: Series, points: Sequence[tuple[float, Value]], scale: float, place: int) -> None:
    values = [value for _, value in points]
    places, means = [x for x, _ in points], [value.mean / scale for value in values]
    colour, gid = line_colour(line.colour), series_gid(line.colour)
    marker = _MARKERS[place % len(_MARKERS)]
    axes.plot(places, means, color=colour, marker=marker, markersize=4.5, linewidth=1.5, gid=gid)
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
                gid=series_gid(case.colour),
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
