"""Figures over simulated time, for comparisons whose reports carry a time series."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rewear.compare import Comparison
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure, to_svg
from rewear.units import format_count, format_time

__all__ = ["over_time"]

_HEIGHT_INCHES = 2.9
_SECOND_NS = 1_000_000_000


def over_time(comparison: Comparison) -> list[Plot]:
    """Erases and response times over time; empty if there is no series."""
    if any(not run.report["series"] for run in comparison.runs):
        return []
    return [
        Plot(
            "Erases over time",
            "Blocks erased since the start. A steeper line wears faster.",
            _lines(comparison, "erases over time", "blocks erased so far", _erases, _count_axis),
            _series(comparison, _erases, "count"),
        ),
        Plot(
            "Response time of writes over time",
            "Mean of the writes that arrived in each interval.",
            _lines(comparison, "writes over time", "response time of writes (logarithmic)", _writes, _time_axis),
            _series(comparison, _writes, "ns"),
        ),
    ]


Series = list[dict[str, Any]]
Points = list[tuple[float, float]]


def _series(comparison: Comparison, points: Callable[[Series], Points], unit: str) -> dict[str, Any]:
    """The lines as data; a drive has no value where its interval has none."""
    drawn = [dict(points(run.report["series"])) for run in comparison.runs]
    seconds = sorted(set().union(*drawn))
    lines = [
        {"label": run.label, "drive": min(position, 1 + (position - 1) % 7), "values": [line.get(at) for at in seconds]}
        for position, (run, line) in enumerate(zip(comparison.runs, drawn, strict=True))
    ]
    return {"seconds": seconds, "lines": lines, "unit": unit, "log": unit == "ns"}


def _lines(
    comparison: Comparison, name: str, label: str, points: Callable[[Series], Points], scale: Callable[[Axes], None]
) -> str:
    with figure(_HEIGHT_INCHES, name) as (drawing, axes):
        for position, run in enumerate(comparison.runs):
            seconds, values = zip(*points(run.report["series"]), strict=True)
            axes.plot(seconds, values, color=drive_colour(position), linewidth=1.5, label=run.label)
        axes.grid(True, axis="both")
        axes.set_xlabel("simulated time (s)")
        axes.set_ylabel(label)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        scale(axes)
        drawing.legend(loc="outside upper left", ncols=4, fontsize=8.5, handlelength=1.2)
        return to_svg(drawing, f"Lines of {label} over simulated time, by drive")


def _erases(series: Series) -> Points:
    totals = accumulate(interval["erases"] for interval in series)
    return [(interval["start_ns"] / _SECOND_NS, total) for interval, total in zip(series, totals, strict=True)]


def _writes(series: Series) -> Points:
    points = [
        (interval["start_ns"] / _SECOND_NS, interval["write_mean_ns"])
        for interval in series
        if interval["write_mean_ns"]
    ]
    return points or [(0.0, 1.0)]


def _count_axis(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_count(round(value))))


def _time_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
