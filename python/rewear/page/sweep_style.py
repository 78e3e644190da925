"""What lines and bars of a sweep share: colours, whiskers, the frame of a panel."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewear.page.svg import drive_colour
from rewear.sweep.figures import Value

__all__ = ["Frame", "colour_number", "line_colour", "tick_text", "whiskers"]

_COLOURS = 7


@dataclass(frozen=True, slots=True)
class Frame:
    """What all panels of a quantity have in common."""

    label: str
    """Title of the axis of the quantity, with its unit."""
    scale: float
    """What a figure is divided by to have that unit."""
    largest: float
    """The largest figure of all panels in that unit: the end of the axis."""
    width_inches: float
    height_inches: float


def colour_number(position: int) -> int:
    """Number of a line's colour among those of drives; 0 is the reference, and the others take turns."""
    return position if position == 0 else 1 + (position - 1) % _COLOURS


def line_colour(position: int) -> str:
    """Colour of a line; the reference is grey."""
    return drive_colour(colour_number(position))


def tick_text(value: float, _position: int | None = None) -> str:
    """A number beside a tick, never in scientific notation."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def whiskers(values: Sequence[Value], scale: float) -> tuple[list[float], list[float]]:
    """Lengths downwards and upwards; the mean may be rounded to outside of them."""
    return (
        [max(0.0, value.mean - value.low) / scale for value in values],
        [max(0.0, value.high - value.mean) / scale for value in values],
    )
