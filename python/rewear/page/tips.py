"""Values beside the pointer: every bar and every point of a line says what it stands for."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

__all__ = ["mark_values"]

_MOST_POINTS = 40
"""Points of a line that get a value; of longer ones as many, evenly spread."""


def mark_values(drawing: Figure) -> dict[str, str]:
    """Texts by `gid` for bars and lines that have none yet; unseen dots are put on the points of lines."""
    tips: dict[str, str] = {}
    for number, axes in enumerate(drawing.axes):
        for place, (gid, text) in enumerate([*_bars(axes), *_points(axes)]):
            name = f"value-{number}-{place}"
            gid(name)
            tips[name] = text
    return tips


Naming = Callable[[str], object]
"""Gives a `gid` to what is pointed at."""


def _points(axes: Axes) -> Iterator[tuple[Naming, str]]:
    for line in axes.lines:
        places = list(zip(_numbers(line.get_xdata(orig=False)), _numbers(line.get_ydata(orig=False)), strict=True))
        if line.get_gid() is not None or line.get_transform() != axes.transData or not places:
            continue
        for x, y in places[:: -(-len(places) // _MOST_POINTS)]:
            yield partial(_dot, axes, x, y), f"{_name(line)}{_value(axes.xaxis, x)}, {_value(axes.yaxis, y)}"


def _dot(axes: Axes, x: float, y: float, name: str) -> None:
    colour = rcParams["text.color"]
    axes.plot(x, y, "o", color=colour, markersize=10, markeredgewidth=0, alpha=0, gid=name, scalex=False, scaley=False)


def _bars(axes: Axes) -> Iterator[tuple[Naming, str]]:
    for container in axes.containers:
        if not isinstance(container, BarContainer):
            continue
        for bar, value in zip(container.patches, _numbers(container.datavalues), strict=True):
            if bar.get_gid() is not None:
                continue
            if container.orientation == "horizontal":
                where = _tick(axes.yaxis, bar.get_y() + bar.get_height() / 2)
                said = _value(axes.xaxis, value)
            else:
                where = _tick(axes.xaxis, bar.get_x() + bar.get_width() / 2)
                said = _value(axes.yaxis, value)
            yield bar.set_gid, f"{_name(container)}{where}, {said}"


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in values]


def _name(drawn: Line2D | BarContainer) -> str:
    label = str(drawn.get_label())
    return "" if label.startswith("_") else f"{label}: "


def _tick(axis: Axis, at: float) -> str:
    """The name of the nearest tick, as bars have them."""
    ticks = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=False)
    nearest = min(ticks, key=lambda tick: abs(tick[0] - at), default=None)
    text = "" if nearest is None else nearest[1].get_text()
    return " ".join(text.split()) or f"{at:.4g}"


def _value(axis: Axis, value: float) -> str:
    """A value in the words of its axis."""
    formatter = axis.get_major_formatter()
    text = str(formatter(value, None)) if isinstance(formatter, FuncFormatter) else f"{value:.4g}"
    return f"{axis.get_label_text()} {text or f'{value:.4g}'}".strip()
