"""The figures of an analysis over time."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from rewear.analysis import Analysis
from rewear.page.analysis_axes import (
    BOTH,
    HEIGHT,
    READ,
    ROLES,
    WRITE,
    count_axis,
    decades,
    finish,
    logarithmic,
    share_axis,
    short_time,
)
from rewear.page.plot import Plot
from rewear.page.svg import SURFACE, drive_colour, figure, variable_of
from rewear.units import byte_unit, format_bytes, format_time

__all__ = ["data_over_time", "dispersion", "gaps", "meetings", "overlap_in_time", "requests_over_time"]

Classes = Sequence[dict[str, int]]
_LEVELS = 4


def _time(analysis: Analysis, interval_ns: int, count: int) -> tuple[list[float], str]:
    """The edges of the intervals in a unit fit for the duration, and that unit."""
    end_ns = interval_ns * count
    unit_ns, unit = next(
        ((size, name) for size, name in ((3600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms")) if end_ns >= 3 * size),
        (1e3, "µs"),
    )
    return [interval_ns * index / unit_ns for index in range(count + 1)], unit


def _series(analysis: Analysis, lines: Sequence[tuple[str, str, str]], unit: str) -> dict[str, Any]:
    """The same lines as data, for pages that are looked at with scripts."""
    arrivals = analysis["arrivals"]
    seconds = arrivals["interval_ns"] / 1e9
    return {
        "seconds": [index * seconds for index in range(len(arrivals["intervals"]))],
        "lines": [
            {
                "label": title,
                "colour": variable_of(colour),
                "values": [interval[key] / seconds for interval in arrivals["intervals"]],
            }
            for key, title, colour in lines
        ],
        "unit": unit,
        "log": False,
        "across": "time (s)",
    }


def _over_time(analysis: Analysis, name: str, lines: Sequence[tuple[str, str, str]], in_bytes: bool) -> str:
    """Lines of the intervals' figures, as counts or bytes a second."""
    arrivals = analysis["arrivals"]
    seconds = arrivals["interval_ns"] / 1e9
    most = max(interval[key] / seconds for key, _, _ in lines for interval in arrivals["intervals"])
    scale, rate_unit = byte_unit(most) if in_bytes else (1, "requests")
    with figure(HEIGHT, name) as (drawing, axes):
        edges, unit = _time(analysis, arrivals["interval_ns"], len(arrivals["intervals"]))
        for key, title, colour in lines:
            rates = [interval[key] / seconds / scale for interval in arrivals["intervals"]]
            axes.stairs(rates, edges, color=colour, linewidth=1.2, label=title)
        axes.set_xlim(0, edges[-1])
        axes.set_ylim(bottom=0)
        count_axis(axes.yaxis)
        axes.set_xlabel(f"time ({unit})")
        axes.set_ylabel(f"{rate_unit} a second")
        return finish(drawing, axes, f"{name.capitalize()}, {rate_unit} a second", len(lines))


def requests_over_time(analysis: Analysis) -> Plot | None:
    """Requests a second, by kind."""
    lines = [
        ("writes", "writes", WRITE),
        ("reads", "reads", READ),
        ("trims", "trims", drive_colour(3)),
        ("flushes", "flushes", drive_colour(0)),
    ]
    shown = [line for line in lines if any(interval[line[0]] for interval in analysis["arrivals"]["intervals"])]
    if not shown or not analysis["arrivals"]["duration_ns"]:
        return None
    svg = _over_time(analysis, "requests over time", shown, in_bytes=False)
    interval = format_time(analysis["arrivals"]["interval_ns"])
    series = _series(analysis, shown, "count")
    return Plot("Requests over time", f"Requests a second, over intervals of {interval}.", svg, series)


def data_over_time(analysis: Analysis) -> Plot | None:
    """Data read and written a second."""
    lines = [("bytes_written", "written", WRITE), ("bytes_read", "read", READ)]
    shown = [line for line in lines if any(interval[line[0]] for interval in analysis["arrivals"]["intervals"])]
    if not shown or not analysis["arrivals"]["duration_ns"]:
        return None
    svg = _over_time(analysis, "data over time", shown, in_bytes=True)
    interval = format_time(analysis["arrivals"]["interval_ns"])
    series = _series(analysis, shown, "bytes")
    return Plot("Data over time", f"Data a second, over intervals of {interval}.", svg, series)


def gaps(analysis: Analysis) -> Plot | None:
    """Idle time: how long nothing arrives."""
    classes: Classes = analysis["arrivals"]["gaps"]
    whole_ns = sum(each["weight"] for each in classes)
    if not whole_ns:
        return None
    with figure(HEIGHT, "gaps") as (drawing, axes):
        lengths = [each["up_to"] for each in classes]
        count = sum(each["count"] for each in classes)
        for field, whole, label, colour in (
            ("weight", whole_ns, "time", drive_colour(0)),
            ("count", count, "gaps", drive_colour(4)),
        ):
            shares = [part / whole for part in accumulate(each[field] for each in classes)]
            axes.plot(lengths, shares, color=colour, label=label)
        share_axis(axes)
        ticks = [tick for tick in decades(min(lengths) / 2, max(lengths)) if tick >= 1]
        logarithmic(axes.xaxis, ticks, short_time)
        axes.set_xlabel("time between two arrivals, at most (logarithmic)")
        svg = finish(drawing, axes, "Share of the time, and of the gaps, in gaps up to a length", 2)
    return Plot(
        "Gaps between arrivals",
        "How much of the time, and how many of the gaps, lie in gaps of up to this length.",
        svg,
    )


def dispersion(analysis: Analysis) -> Plot | None:
    """Burstiness over windows of several lengths."""
    windows = analysis["arrivals"]["burstiness"]
    if len(windows) < 2 or not all(each["dispersion"] > 0 for each in windows):
        return None
    with figure(HEIGHT, "dispersion") as (drawing, axes):
        lengths, values = [each["window_ns"] for each in windows], [each["dispersion"] for each in windows]
        axes.plot(lengths, values, "o-", color=drive_colour(4), markeredgecolor=SURFACE, label="this trace")
        axes.plot(lengths, [1] * len(lengths), "--", color=drive_colour(0), label="Poisson arrivals")
        logarithmic(axes.xaxis, lengths, short_time)
        logarithmic(axes.yaxis, decades(min(1, *values) / 2, max(values) * 2), lambda value: f"{value:,g}")
        axes.set_ylim(min(1, *values) / 2, max(1, *values) * 2)
        axes.set_xlabel("length of a window (logarithmic)")
        svg = finish(drawing, axes, "Variance over mean of the requests in windows of several lengths", 2)
    return Plot(
        "Burstiness", "Variance over mean of the requests in a window. It grows with the window where bursts last.", svg
    )


def overlap_in_time(analysis: Analysis) -> Plot | None:
    """Pages read, written or both within each interval."""
    overlap = analysis["overlap"]
    if overlap["shared_share"] is None:
        return None
    with figure(HEIGHT, "overlap") as (drawing, axes):
        edges, unit = _time(analysis, overlap["interval_ns"], len(overlap["intervals"]))
        base = [0.0] * len(overlap["intervals"])
        for key, label, colour in ROLES:
            totals = [sum(roles[name] for name, _, _ in ROLES) or 1 for roles in overlap["intervals"]]
            tops = [
                low + roles[key] / total for low, roles, total in zip(base, overlap["intervals"], totals, strict=True)
            ]
            axes.stairs(tops, edges, baseline=base, fill=True, color=colour, linewidth=0, label=label)
            base = tops
        share_axis(axes)
        axes.set_xlim(0, edges[-1])
        axes.set_xlabel(f"time ({unit})")
        svg = finish(drawing, axes, "Share of the pages that are read, written or both within an interval", 3)
    caption = (
        f"Logical pages of 8 KiB of each interval of {format_time(overlap['interval_ns'])}, by what happens to them in "
        f"it. Over the whole trace {overlap['shared_share']:.1%} are both read and written."
    )
    return Plot("Overlap in time", caption, svg)


def meetings(analysis: Analysis) -> Plot | None:
    """Cells of time and address that are read, written or both."""
    overlap = analysis["overlap"]
    reads, writes = overlap["page_reads"], overlap["page_writes"]
    if not reads or not reads[0]:
        return None
    with figure(HEIGHT + 0.9, "meetings") as (drawing, axes):
        times, time_unit = _time(analysis, overlap["interval_ns"], len(reads))
        scale, unit = byte_unit(overlap["cell_bytes"] * len(reads[0]))
        most = max(max(map(max, reads)), max(map(max, writes)))
        cells: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for column, (read, written) in enumerate(zip(reads, writes, strict=True)):
            for row, (reading, writing) in enumerate(zip(read, written, strict=True)):
                if reading or writing:
                    colour = BOTH if reading and writing else READ if reading else WRITE
                    key = (colour, _level(reading + writing, most))
                    cells.setdefault(key, []).append((times[column], row * overlap["cell_bytes"] / scale))
        size = (times[1], overlap["cell_bytes"] / scale)
        for (colour, level), corners in sorted(cells.items()):
            # One shape for all cells of a colour and level keeps the page small.
            shape = PathPatch(_rectangles(corners, size), facecolor=colour, alpha=(level + 1) / _LEVELS, linewidth=0)
            axes.add_patch(shape)
        axes.set_xlim(0, times[-1])
        axes.set_ylim(0, len(reads[0]) * size[1])
        axes.set_xlabel(f"time ({time_unit})")
        axes.set_ylabel(f"address ({unit})")
        handles = [Patch(facecolor=colour, linewidth=0, label=label) for _, label, colour in ROLES]
        drawing.legend(handles=handles, loc="outside upper left", ncols=3, fontsize=8.5, handlelength=1, handleheight=1)
        svg = finish(drawing, axes, "Where and when pages are read, written or both")
    cell = f"{format_bytes(overlap['cell_bytes'])} in {format_time(overlap['interval_ns'])}"
    return Plot(
        "Reads and writes in space and time", f"A cell is {cell}; the stronger its colour, the more accesses.", svg
    )


def _level(accesses: int, most: int) -> int:
    """Strength of a cell's colour, by the logarithm of its accesses."""
    return min(_LEVELS - 1, (accesses.bit_length() - 1) * _LEVELS // max(1, most.bit_length()))


def _rectangles(corners: Sequence[tuple[float, float]], size: tuple[float, float]) -> Path:
    """Rectangles of one size as one path."""
    width, height = size
    points: list[tuple[float, float]] = []
    codes: list[Any] = []
    for x, y in corners:
        points += [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
        codes += [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(points, codes)
