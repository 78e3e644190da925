"""What lines and bars of a sweep share: colours, whiskers, the legend."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from rewear.page.svg import MUTED, drive_colour
from rewear.page.sweep_layout import Layout
from rewear.sweep.figures import Value

__all__ = ["axis_legend", "line_colour", "tick_text", "whiskers"]

_COLOURS = 7


def line_colour(position: int) -> str:
    """Colour of a line; 0 is the reference, which is grey, and the others take turns."""
    return drive_colour(position if position == 0 else 1 + (position - 1) % _COLOURS)


def tick_text(value: float, _position: int | None = None) -> str:
    """A number beside a tick, never in scientific notation."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def whiskers(values: Sequence[Value], scale: float) -> tuple[list[float], list[float]]:
    """Lengths downwards and upwards; the mean may be rounded to outside of them."""
    return (
        [max(0.0, value.mean - value.low) / scale for value in values],
        [max(0.0, value.high - value.mean) / scale for value in values],
    )


def axis_legend(drawing: Figure, layout: Layout) -> None:
    """The legend above the plot, under the name of the axis whose points the lines are."""
    title = None if layout.lines is None else layout.lines.name
    legend = drawing.legend(
        loc="outside upper left", ncols=3, fontsize=8.5, handlelength=1.6, title=title, title_fontsize=8.5,
        alignment="left", columnspacing=1.2,
    )  # fmt: skip
    legend.get_title().set_color(MUTED)
