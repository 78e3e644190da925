"""Figures over simulated time, for comparisons whose reports carry a time series."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rewear.compare import Comparison
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure, to_svg
from rewear.report import Report
from rewear.units import format_bytes, format_time

__all__ = ["over_time"]

_HEIGHT_INCHES = 2.9
_SECOND_NS = 1_000_000_000


def over_time(comparison: Comparison) -> list[Plot]:
    """Flash erased and response times over time; empty if there is no series."""
    if any(not run.report["series"] for run in comparison.runs):
        return []
    return [
        Plot(
            "Flash erased over time",
            "Since the start, in whole blocks. A steeper line wears faster.",
            _lines(comparison, "flash erased over time", "flash erased so far", _erased, _bytes_axis),
            _series(comparison, _erased, "bytes"),
        ),
        Plot(
            "Response time of writes over time",
            "Mean of the writes that arrived in each interval.",
            _lines(comparison, "writes over time", "response time of writes (logarithmic)", _writes, _time_axis),
            _series(comparison, _writes, "ns"),
        ),
    ]


Points = list[tuple[float, float]]


def _series(comparison: Comparison, points: Callable[[Report], Points], unit: str) -> dict[str, Any]:
    """The lines as data; a drive has no value where its interval has none."""
    drawn = [dict(points(run.report)) for run in comparison.runs]
    seconds = sorted(set().union(*drawn))
    lines = [
        {"label": run.label, "drive": min(position, 1 + (position - 1) % 7), "values": [line.get(at) for at in seconds]}
        for position, (run, line) in enumerate(zip(comparison.runs, drawn, strict=True))
    ]
    return {"seconds": seconds, "lines": lines, "unit": unit, "log": unit == "ns"}


def _lines(
    comparison: Comparison, name: str, label: str, points: Callable[[Report], Points], scale: Callable[[Axes], None]
) -> str:
    with figure(_HEIGHT_INCHES, name) as (drawing, axes):
        for position, run in enumerate(comparison.runs):
            seconds, values = zip(*points(run.report), strict=True)
            axes.plot(seconds, values, color=drive_colour(position), linewidth=1.5, label=run.label)
        axes.grid(True, axis="both")
        axes.set_xlabel("simulated time (s)")
        axes.set_ylabel(label)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        scale(axes)
        drawing.legend(loc="outside upper left", ncols=4, fontsize=8.5, handlelength=1.2)
        return to_svg(drawing, f"Lines of {label} over simulated time, by drive")


def _erased(report: Report) -> Points:
    series, block_bytes = report["series"], report.derived["block_bytes"]
    totals = accumulate(interval["erases"] * block_bytes for interval in series)
    return [(interval["start_ns"] / _SECOND_NS, total) for interval, total in zip(series, totals, strict=True)]


def _writes(report: Report) -> Points:
    points = [
        (interval["start_ns"] / _SECOND_NS, interval["write_mean_ns"])
        for interval in report["series"]
        if interval["write_mean_ns"]
    ]
    return points or [(0.0, 1.0)]


def _bytes_axis(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_bytes(round(value))))


def _time_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
