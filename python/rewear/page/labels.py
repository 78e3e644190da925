"""Labels beside points, placed so that none lies on another or on a point."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["label_points"]

_SIZE = 9.0
"""Points of the type."""
_WIDTH, _HEIGHT = 0.62 * _SIZE, 0.95 * _SIZE
"""Points that a digit takes; the page's own type is narrower."""
_MARK = 9.0
"""Points that a mark takes in each direction."""
_DIRECTIONS = ((1, 0.6), (-1, 0.6), (1, -0.9), (-1, -0.9), (0, 1.2), (0, -1.5))
"""Where a label may stand, in the order in which they are tried."""
_RINGS = (7.0, 15.0, 24.0, 34.0)
"""Distances from the point, in points; from the second on a line leads there."""
_SAME = 5.0
"""Points whose marks are closer in both directions share a label."""

Box = tuple[float, float, float, float]


def label_points(
    drawing: Figure, axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str], colours: Sequence[str],
    line: str,
) -> None:  # fmt: skip
    """Writes each text beside its point (data coordinates); call it when the limits of the axes stand.

    Points on one spot share a label, `2, 3`, in the colour of the first. `line` is the colour of the lines that lead to
    labels which found no room close by.
    """
    drawing.draw_without_rendering()
    to_points = 72.0 / drawing.dpi
    places = [tuple(float(value) * to_points for value in axes.transData.transform(point)) for point in points]
    frame = tuple(float(value) * to_points for value in axes.get_window_extent().extents)
    taken: list[Box] = [_box(x, y, _MARK, _MARK) for x, y in places]
    for members in _groups(places):
        first = members[0]
        text = ", ".join(texts[each] for each in members)
        x, y = places[first]
        dx, dy, far = _room(x, y, len(text) * _WIDTH, taken, frame)
        taken.append(_box(x + dx, y + dy, len(text) * _WIDTH, _HEIGHT))
        arrow: dict[str, Any] | None = {"arrowstyle": "-", "color": line, "linewidth": 0.7} if far else None
        axes.annotate(
            text, points[first], (dx, dy), textcoords="offset points", fontsize=_SIZE, color=colours[first],
            ha="center", va="center", arrowprops=arrow,
        )  # fmt: skip


def _groups(places: Sequence[tuple[float, ...]]) -> list[list[int]]:
    """Positions of points on one spot, in the order of the points."""
    groups: list[list[int]] = []
    for position, (x, y) in enumerate(places):
        for group in groups:
            other_x, other_y = places[group[0]]
            if abs(x - other_x) < _SAME and abs(y - other_y) < _SAME:
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


def _room(x: float, y: float, width: float, taken: Sequence[Box], frame: Sequence[float]) -> tuple[float, float, bool]:
    """The offset of the centre of a label that covers least, and whether it lies beyond the first ring."""
    best: tuple[float, float, float, bool] | None = None
    for number, ring in enumerate(_RINGS):
        for across, up in _DIRECTIONS:
            dx, dy = across * (ring + width / 2), up * ring
            covered = _covered(_box(x + dx, y + dy, width, _HEIGHT), taken, frame)
            if best is None or covered < best[0]:
                best = (covered, dx, dy, number > 0)
        if best is not None and best[0] == 0.0:
            break
    assert best is not None
    return best[1:]


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _covered(box: Box, taken: Sequence[Box], frame: Sequence[float]) -> float:
    """The area of `box` that lies on others or beyond the frame."""
    inside = _shared(box, (frame[0], frame[1], frame[2], frame[3]))
    beyond = (box[2] - box[0]) * (box[3] - box[1]) - inside
    return beyond + sum(_shared(box, other) for other in taken)


def _shared(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0
