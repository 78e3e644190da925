"""Numbers, intervals and bands in words."""

import math
from collections.abc import Callable
from typing import Any

from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_count, format_number, format_time
from rewear.reproduce.band import Band
from rewear.reproduce.claims import Part
from rewear.sweep.settings import is_number


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

_LEAST = 1e-3
"""Part of a number below which half of its interval is not shown: it moves no digit that is."""

_PERCENTS = ("percent", "change", "points")


def write_number(value: Any, unit: str) -> str:
    """A number in words; anything else as it is."""
    return _WRITERS[unit](value) if is_number(value) else str(value)


def read_number(text: str) -> float:
    """A relation as `write_number` writes it.

    Raises:
        ValueError: It is no number.
    """
    number = text.replace("\N{MINUS SIGN}", "-").replace(",", "").removeprefix("x ").removesuffix(" points")
    return float(number.removesuffix("%")) / (100 if text.endswith(("%", " points")) else 1)


def interval_in_words(value: Any, interval: Interval | None, unit: str) -> str:
    """A number with half the width of its interval, where that is not next to nothing."""
    text = write_number(value, unit)
    if interval is None or interval.half_width <= _LEAST * abs(interval.mean):
        return text
    half = interval.half_width
    return f"{text} \N{PLUS-MINUS SIGN}{f'{100 * half:.2g}' if unit in _PERCENTS else _bare(half, unit)}"


def stated(part: Part) -> str:
    """The paper's number: a number, a range or a bound, by label where it has one for each."""
    if part.equals is not None:
        return "equal" if isinstance(part.equals, dict | list) else write_number(part.equals, part.unit)
    return ", ".join(f"{label} {_band(band, part.unit)}".strip() for label, band in part.bands.items())


def expected(part: Part) -> str:
    """Where the numbers of a part must lie."""
    text = stated(part)
    band = next(iter(part.bands.values()), None)
    if band is not None and band.paper is not None and band.low is not None and band.low < band.paper[0]:
        width = band.paper[0] - band.low
        points = f"{100 * width:.3g} point{'' if math.isclose(width, 0.01) else 's'}"
        text = f"within {points if part.unit in _PERCENTS else _bare(width, part.unit)} of {text}"
    return text if part.share == 1 else f"{text} for {part.share:.0%}"


def _bare(value: float, unit: str) -> str:
    return write_number(value, unit).removeprefix("x ")


def _band(band: Band, unit: str) -> str:
    if band.paper is None:
        if band.high is not None:
            return f"at most {write_number(band.high, unit)}"
        return f"at least {write_number(band.low or 0.0, unit)}"
    low, high = (write_number(end, unit) for end in band.paper)
    return low if low == high else f"{low} to {high}"
