"""Axes and colours of the figures of an analysis."""

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from rewear.page.svg import cause_colour, drive_colour, to_svg
from rewear.units import byte_unit

__all__ = [
    "BOTH",
    "HEIGHT",
    "READ",
    "ROLES",
    "WRITE",
    "count_axis",
    "decades",
    "finish",
    "logarithmic",
    "share_axis",
    "short_bytes",
    "short_time",
]

READ, WRITE, BOTH = drive_colour(1), cause_colour("moved"), drive_colour(2)
"""Colours of what is read, written, or both."""
HEIGHT = 2.7
"""Height of a figure in inches."""
ROLES = (("only_read", "only read", READ), ("only_written", "only written", WRITE), ("shared", "both", BOTH))
"""Key, name and colour of what happens to a page."""


def finish(drawing: Figure, axes: Axes, description: str, entries: int = 0) -> str:
    """Grid in both directions, a legend over the axes, and the figure as SVG."""
    axes.grid(True, axis="both")
    if entries > 1:
        drawing.legend(loc="outside upper left", ncols=entries, fontsize=8.5, handlelength=1, handleheight=1)
    return to_svg(drawing, description)


def share_axis(axes: Axes) -> None:
    """The y axis from 0% to 100%."""
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])


def count_axis(axis: Any) -> None:
    """A linear axis of counts."""
    axis.set_major_locator(MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))


def _short(value: float) -> str:
    for limit, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:g}"


def short_bytes(value: float) -> str:
    """Bytes for a tick: `16 MiB`."""
    scale, unit = byte_unit(value)
    return f"{value / scale:.3g} {unit}"


def short_time(value_ns: float) -> str:
    """A time for a tick: `10 ms`."""
    for size_ns, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if value_ns >= size_ns:
            return f"{value_ns / size_ns:g} {unit}"
    return f"{value_ns:g} ns"


def logarithmic(axis: Any, ticks: Sequence[float], text: Callable[[float], str], most: int = 8) -> None:
    """A logarithmic axis with at most `most` of the ticks, named by `text`."""
    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale("log")
    step = -(-len(ticks) // most)
    axis.set_ticks(list(ticks[::step]), [text(tick) for tick in ticks[::step]])
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(MaxNLocator(1))


def decades(low: float, high: float) -> list[float]:
    """Powers of ten from `low` to `high`."""
    powers = (10.0**power for power in range(-15, 20))
    return [power for power in powers if low <= power <= high]
