"""Numbers, intervals and bands in words."""

from collections.abc import Callable
from typing import Any

from rewear.reproduce.band import Band
from rewear.reproduce.claims import Part
from rewear.sweep.settings import is_number
from rewear.uncertainty import Interval
from rewear.units import format_count, format_number, format_time

__all__ = ["expected", "interval_in_words", "write_number"]


def _signed(value: float, unit: str) -> str:
    text = f"{100 * value:+.1f}".replace("-", "\N{MINUS SIGN}")
    return text + unit


_WRITERS: dict[str, Callable[[Any], str]] = {
    "percent": lambda value: f"{100 * value:.3g}%",
    "change": lambda value: _signed(value, "%"),
    "points": lambda value: _signed(value, " points"),
    "factor": lambda value: f"x {value:.3g}",
    "count": lambda value: format_count(round(value)),
    "time": lambda value: format_time(value),
    "plain": lambda value: format_number(value) if is_number(value) else str(value),
}

_NOTHING = 1e-9

_PERCENTS = ("percent", "change", "points")


def write_number(value: Any, unit: str) -> str:
    """A number in words; anything else as it is."""
    return _WRITERS[unit](value) if is_number(value) else str(value)


def interval_in_words(value: Any, interval: Interval | None, unit: str) -> str:
    """A number with half the width of its interval, where it has one."""
    text = write_number(value, unit)
    if interval is None or interval.seeds < 2:
        return text
    half = interval.half_width
    if half <= _NOTHING * max(1.0, abs(interval.mean)):
        # A recording, or a count that no seed changes.
        return text
    return f"{text} \N{PLUS-MINUS SIGN}{f'{100 * half:.2g}' if unit in _PERCENTS else write_number(half, unit)}"


def expected(part: Part) -> str:
    """Where the numbers of a part must lie."""
    if part.equals is not None:
        return "equal" if isinstance(part.equals, dict | list) else write_number(part.equals, part.unit)
    bands = [f"{label} {_band(band, part.unit)}".strip() for label, band in part.bands.items()]
    text = ", ".join(bands)
    return text if part.share == 1 else f"{text} for {part.share:.0%}"


def _band(band: Band, unit: str) -> str:
    def write(value: float) -> str:
        return write_number(value, unit)

    if band.paper is None:
        return f"at most {write(band.high)}" if band.high is not None else f"at least {write(band.low or 0.0)}"
    assert band.low is not None and band.high is not None
    low, high = band.paper
    within = low - band.low
    paper = write(low) if low == high else f"{write(low)} to {write(high)}"
    width = f"{100 * within:.3g}" if unit in _PERCENTS else write(within).removeprefix("x ")
    return f"{paper} \N{PLUS-MINUS SIGN}{width}"
