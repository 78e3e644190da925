"""The columns of the answer, as texts; the command line and the page show the same."""

from collections.abc import Callable

from rewear.advice.advice import Advice, Row
from rewear.metrics import years_text
from rewear.uncertainty import Interval
from rewear.units import format_bytes, format_energy, format_number, format_time

__all__ = ["cell", "columns", "format_interval"]

_COLUMNS = (
    ("life as recorded", "life_years"),
    ("TBW", "tbw_bytes"),
    ("mean response", "mean_response_ns"),
    ("energy per GiB", "energy_j_per_byte"),
    ("flash erased per byte", "flash_erased_per_byte"),
    ("p99 of writes", "write_p99_ns"),
    ("controller RAM", "controller_bytes"),
    ("flash", "flash"),
    ("could export", "room"),
    ("p99 of reads", "read_p99_ns"),
)
_CYCLE = ("written per P/E cycle", "bytes_per_cycle")
"""The life where nothing says what blocks endure; elsewhere `TBW` says the same."""
_FORMS: dict[str, Callable[[float], str]] = {
    "life_years": years_text,
    "tbw_bytes": format_bytes,
    "bytes_per_cycle": format_bytes,
    "flash_erased_per_byte": format_number,
    "mean_response_ns": format_time,
    "write_p99_ns": format_time,
    "read_p99_ns": format_time,
    "energy_j_per_byte": lambda value: format_energy(value * 2**30),
    "controller_bytes": format_bytes,
}
_SPARE = 1.07
"""Flash over capacity of a drive that exports as much as it can."""


def columns(advice: Advice) -> list[tuple[str, str]]:
    """Title and figure of each column that has anything in it, the important ones first."""
    known = [(title, key) for title, key in _COLUMNS if any(cell(row, key) != "-" for row in advice.rows)]
    return known if any(key == "tbw_bytes" for _, key in known) else [_CYCLE, *known]


def cell(row: Row, key: str) -> str:
    """One figure of a drive as text, a dash where it does not exist."""
    if key == "flash":
        return format_bytes(row.flash_bytes)
    if key == "room":
        return format_bytes(row.room_bytes / _SPARE)
    return format_interval(row.figure(key), _FORMS[key])


def format_interval(interval: Interval | None, form: Callable[[float], str]) -> str:
    """A figure with half the width of its interval in percent, where that is more than one in a thousand."""
    if interval is None:
        return "-"
    half = (interval.high - interval.low) / 2 / abs(interval.mean) if interval.mean else 0.0
    return form(interval.mean) if half < 0.001 else f"{form(interval.mean)} ±{half * 100:.1f}%"
