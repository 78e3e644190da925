"""Numbers as people read them: bytes, times, counts and shares, always with their unit."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rewear.core.errors import ConfigurationError
from rewear.core.whole import whole_number

_BYTE_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_TIME_UNITS = ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (120e9, 1e9, "s"), (7200e9, 60e9, "min"))
_HOUR_NS = 3600e9
_SIZE = re.compile(
    r"(?P<number>[0-9]{1,400}(?:\.[0-9]{1,30})?)\s*(?P<letter>[kmgtpe]?)(?P<suffix>ib|b|)(?:ytes)?", re.IGNORECASE
)


def format_number(value: float, digits: int = 3) -> str:
    """`value` with `digits` significant digits, thousands separated, never in scientific notation."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, 12)}f}"


def format_count(value: float) -> str:
    """A count; averages of counts keep two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def byte_unit(value: float) -> tuple[int, str]:
    """The binary unit in which `value` has one to four digits: its size in bytes and its name."""
    exponent = 0
    while abs(value) >= 1024 ** (exponent + 1) and exponent < len(_BYTE_UNITS) - 1:
        exponent += 1
    return 1024**exponent, _BYTE_UNITS[exponent]


def format_bytes(value: float) -> str:
    """A number of bytes in binary units: `4096` is `4.00 KiB`."""
    scale, unit = byte_unit(value)
    number = format_count(value) if scale == 1 and isinstance(value, int) else format_number(value / scale)
    return f"{number} {unit}"


def format_time(value_ns: float) -> str:
    """A time given in nanoseconds, in the unit that leaves few digits: `1500000` is `1.50 ms`."""
    unit_ns, unit = time_unit(value_ns)
    if unit == "ns" and isinstance(value_ns, int):
        return f"{value_ns} ns"
    return f"{format_number(value_ns / unit_ns)} {unit}"


def time_unit(value_ns: float) -> tuple[float, str]:
    """The unit in which a time has few digits: its length in nanoseconds and its name."""
    for limit_ns, unit_ns, unit in _TIME_UNITS:
        if abs(value_ns) < limit_ns:
            return unit_ns, unit
    return _HOUR_NS, "h"


def format_energy(value_j: float) -> str:
    """An energy given in joules, in the unit that leaves few digits: `0.0015` is `1.50 mJ`."""
    units = ((1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"))
    unit_j, unit = next((each for each in units if abs(value_j) >= each[0]), (1e-9, "nJ"))
    return f"{format_number(value_j / unit_j)} {unit}"


def format_share(value: float | None) -> str:
    """A fraction of one as a percentage with one decimal: `0.0734` is `7.3%`; a dash where there is none."""
    return "-" if value is None else f"{value * 100:.1f}%"


def format_change(value: float | None, reference: float | None) -> str:
    """How `value` differs from `reference`: `-35%`, `+4.2%`, `3.5×` from twice as much on, `≈` below 0.05%.

    Empty where that means nothing.
    """
    if value is None or reference is None:
        return ""
    if value == reference:
        return "="
    if reference == 0:
        return ""
    ratio = value / reference
    if abs(ratio - 1) < 0.0005:
        return "≈"
    if ratio >= 2:
        return format_ratio(value, reference)
    percent = (ratio - 1) * 100
    text = f"{percent:+.0f}%" if abs(percent) >= 10 else f"{percent:+.1f}%"
    return text.replace("-", "−")


def format_ratio(value: float, reference: float) -> str:
    """`value` over `reference`: `1.9×` is 1.9 times as much, `0.52×` about half."""
    return f"{format_number(value / reference, 2)}×"


def change_in_words(ratio: float) -> str:
    """A ratio in a sentence, with the word to go on with: `35% less than`, `3.5× as much as` from twice on.

    The figures are those of `format_change`, so that a sentence and a table say the same.
    """
    if abs(ratio - 1) < 0.0005:
        return "as much as"
    if ratio >= 2:
        return f"{format_ratio(ratio, 1)} as much as"
    percent = abs(ratio - 1) * 100
    return f"{percent:.{0 if percent >= 10 else 1}f}% {'more' if ratio > 1 else 'less'} than"


def format_quantity(quantity: Mapping[str, Any]) -> str:
    """A derived quantity of a drive (`key`, `value`, `unit`) in its unit; shares of space as percentages."""
    value, unit = quantity["value"], quantity["unit"]
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if quantity["key"].endswith("over_provisioning") or unit in ("fraction", "share"):
        return format_share(value)
    if unit == "bytes":
        return format_bytes(value)
    if unit == "ns":
        return format_time(value)
    text = format_count(value) if isinstance(value, int) else format_number(value, 4)
    return text if unit in (None, "", "ratio", "count") else f"{text} {unit}"


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def parse_bytes(key: str, text: str, bare: int = 1000) -> int:
    """Bytes of `4k`, `64KiB`, `1.5 GiB`, `2GB` or a whole number, in any case; `key` is named where it is none.

    `KiB` is binary and `KB` decimal. A bare letter counts in `bare`: 1000 for capacities and written bytes, 1024 for
    sizes of requests and pages.

    Raises:
        ConfigurationError: `text` is not a size.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is not None:
        base = {"ib": 1024, "b": 1000}.get(found["suffix"].lower(), bare)
        power = " kmgtpe".index(found["letter"].lower() or " ")
        value = Fraction(found["number"]) * base**power
        if value.denominator == 1 and (power or found["suffix"].lower() != "ib"):
            return whole_number(key, int(value))
    raise ConfigurationError(
        f"{key} {text} is not a size. Write a number of bytes, as 4096, 512MiB, 1.5GiB, 960GB or 1T (10^12)."
    )


def parse_share(key: str, text: str, most: float = 1) -> float:
    """The part of one that `7%` or `0.07` means.

    Raises:
        ConfigurationError: `text` is no part from 0 to `most`.
    """
    number = text.strip()
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise ConfigurationError(f"{key} {text} is no share. Write a percentage, as 5%.")
    return value


_YEARS = {"y": 1.0, "mo": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25, "h": 1 / 8766}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(y|mo|w|d|h)[a-z]*", re.IGNORECASE)


def parse_years(key: str, text: str) -> float:
    """The years that `1y`, `18 months`, `30d` or `500h` mean.

    Raises:
        ConfigurationError: `text` is no time with a unit.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ConfigurationError(f"{key} {text} is no time. Write it with its unit, as 1y, 18mo, 30d or 500h.")
    return float(found[1]) * _YEARS[found[2].lower()]
