"""Figures over simulated time, for comparisons whose reports carry a time series."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from rewear.comparison import Comparison
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure, to_svg, variable_of
from rewear.report import Report
from rewear.series import SeriesInterval
from rewear.units import byte_unit, format_time

__all__ = ["over_time"]

_HEIGHT_INCHES = 2.9
_STEPS = 60
"""Parts of the time in which intervals are taken together."""
_ACROSS = "simulated time (s)"
_SECOND_NS = 1_000_000_000


def over_time(comparison: Comparison) -> list[Plot]:
    """Flash erased and response times over time; empty if there is no series."""
    if any(not run.report.series for run in comparison.runs):
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
            "Line: mean of the writes of several intervals. Band: the quickest and the slowest interval among them.",
            _bands(comparison),
            _band_series(comparison),
        ),
    ]


Points = list[tuple[float, float]]


def _series(comparison: Comparison, points: Callable[[Report], Points], unit: str) -> dict[str, Any]:
    """The lines as data; a drive has no value where its interval has none."""
    drawn = [dict(points(run.report)) for run in comparison.runs]
    seconds = sorted(set().union(*drawn))
    lines = [
        {"label": run.label, "colour": variable_of(drive_colour(position)), "values": [line.get(at) for at in seconds]}
        for position, (run, line) in enumerate(zip(comparison.runs, drawn, strict=True))
    ]
    return {"seconds": seconds, "lines": lines, "unit": unit, "log": False, "across": _ACROSS}


@dataclass(frozen=True, slots=True)
class _Step:
    """Some intervals in a row, taken together."""

    second: float
    mean: float
    low: float
    high: float


def _steps(report: Report, end_s: float) -> list[_Step]:
    """Response times of writes in at most `_STEPS` equal parts of the time, which are the same for all drives."""
    width = end_s / _STEPS
    found: dict[int, list[SeriesInterval]] = {}
    for interval in report.series or ():
        if interval.write_mean_ns:
            step = int(interval.start_ns / _SECOND_NS / width) if width else 0
            found.setdefault(min(step, _STEPS - 1), []).append(interval)
    steps = []
    for step, intervals in found.items():
        means = [interval.write_mean_ns or 0.0 for interval in intervals]
        writes = [interval.writes for interval in intervals]
        mean = sum(mean * count for mean, count in zip(means, writes, strict=True)) / sum(writes)
        steps.append(_Step(step * width, mean, min(means), max(means)))
    return steps


def _end_s(comparison: Comparison) -> float:
    """Begin of the last interval of all drives."""
    return max((run.report.series[-1].start_ns / _SECOND_NS for run in comparison.runs if run.report.series), default=0)


def _bands(comparison: Comparison) -> str:
    with figure(_HEIGHT_INCHES, "writes over time") as (drawing, axes):
        for position, run in enumerate(comparison.runs):
            steps = _steps(run.report, _end_s(comparison))
            seconds = [step.second for step in steps]
            low, high = [step.low for step in steps], [step.high for step in steps]
            colour = drive_colour(position)
            axes.fill_between(seconds, low, high, color=colour, alpha=0.16, linewidth=0)
            axes.plot(seconds, [step.mean for step in steps], color=colour, linewidth=1.6, label=run.label)
        axes.grid(True, axis="both")
        axes.set_xlabel(_ACROSS)
        axes.set_ylabel("response time of writes (logarithmic)")
        axes.xaxis.set_major_locator(MaxNLocator(6))
        _time_axis(axes)
        drawing.legend(loc="outside upper left", ncols=4, fontsize=8.5, handlelength=1.2)
        return to_svg(drawing, "Bands of the response time of writes over simulated time, by drive")


def _band_series(comparison: Comparison) -> dict[str, Any]:
    """The bands as data: beside the means of each drive its lowest and its highest."""
    drawn = [{step.second: step for step in _steps(run.report, _end_s(comparison))} for run in comparison.runs]
    seconds = sorted(set().union(*drawn))
    lines = []
    for position, (run, steps) in enumerate(zip(comparison.runs, drawn, strict=True)):
        found = [steps.get(at) for at in seconds]
        lines.append(
            {
                "label": run.label,
                "colour": variable_of(drive_colour(position)),
                "values": [None if step is None else step.mean for step in found],
                "low": [None if step is None else step.low for step in found],
                "high": [None if step is None else step.high for step in found],
            }
        )
    return {"seconds": seconds, "lines": lines, "unit": "ns", "log": True, "across": _ACROSS}


def _lines(
    comparison: Comparison, name: str, label: str, points: Callable[[Report], Points], scale: Callable[[Axes], None]
) -> str:
    with figure(_HEIGHT_INCHES, name) as (drawing, axes):
        for position, run in enumerate(comparison.runs):
            seconds, values = zip(*points(run.report), strict=True)
            axes.plot(seconds, values, color=drive_colour(position), linewidth=1.5, label=run.label)
        axes.grid(True, axis="both")
        axes.set_xlabel(_ACROSS)
        axes.set_ylabel(label)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        scale(axes)
        drawing.legend(loc="outside upper left", ncols=4, fontsize=8.5, handlelength=1.2)
        return to_svg(drawing, f"Lines of {label} over simulated time, by drive")


def _erased(report: Report) -> Points:
    series, block_bytes = report.series or (), report.derived["block_bytes"]
    totals = accumulate(interval.erases * block_bytes for interval in series)
    return [(interval.start_ns / _SECOND_NS, total) for interval, total in zip(series, totals, strict=True)]


def _bytes_axis(axes: Axes) -> None:
    # Where nothing was erased, the axis still has room above 0.
    most = max(axes.get_ylim()[1], 2.0**20)
    axes.set_ylim(0, most)
    scale, unit = byte_unit(most)
    # Round numbers of the unit, not of bytes.
    axes.yaxis.set_major_locator(FixedLocator([tick * scale for tick in MaxNLocator(6).tick_values(0, most / scale)]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g} {unit}"))
    axes.set_ylim(0, most)


def _time_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    least, most = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1.0,) if most / least > 300 else (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())
