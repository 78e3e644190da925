"""The columns of the tables, as texts; the command line, the page and the README show the same."""

from collections.abc import Callable, Sequence

from rewear.advice.enough import MOST_YEARS
from rewear.advice.row import LEAST_RESPONSE_NS, Row
from rewear.advice.study import Table
from rewear.figures.metrics import years_text
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_bytes, format_number, format_share, format_time

Column = tuple[str, Callable[[Row], str]]
"""A title, and the text of a row."""


def terabytes(value: float) -> str:
    """Bytes in the units of data sheets, thousands of thousands."""
    unit, size = next(((unit, size) for unit, size in (("PB", 1e15), ("TB", 1e12)) if value >= size), ("GB", 1e9))
    return f"{float(f'{value / size:.3g}' if value >= 100 * size else f'{value / size:.2g}'):g} {unit}"


def range_text(interval: Interval | None, form: Callable[[float], str]) -> str:
    """Both ends of a range; one where they read the same, a dash where there is none."""
    if interval is None:
        return "-"
    low, high = form(interval.low), form(interval.high)
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return f"{number if high.endswith(f' {unit}') and not low.startswith('more') else low} to {high}"


def years_range(interval: Interval | None) -> str:
    """A range of lives; beyond fifty years they are not told apart."""
    return range_text(interval, life_text)


def about_years(interval: Interval) -> str:
    """The life with the middle of the published P/E cycles, then both ends."""
    both = years_range(interval)
    return f"about {life_text(interval.mean)} ({both})" if interval.mean <= MOST_YEARS else both


def life_text(value: float) -> str:
    """A life in years; beyond fifty years it is no number."""
    if value > MOST_YEARS:
        return f"more than {MOST_YEARS:g} years"
    return f"{format_number(value, 2)} years" if value >= 1 else years_text(value)


def response_text(row: Row) -> str:
    """The mean response, or that the drive cannot follow."""
    if not row.follows:
        return "cannot follow"
    if row.mean_response_ns is None:
        return "-"
    if row.rival.axis == "sold" and row.mean_response_ns < LEAST_RESPONSE_NS:
        return f"under {format_time(LEAST_RESPONSE_NS)}"
    return format_time(row.mean_response_ns)


def _amplification(row: Row) -> str:
    value = row.write_amplification
    return "-" if value is None else f"{format_number(value)}{'' if row.steady else ' (not steady)'}"


_SOLD: tuple[Column, ...] = (
    ("life", lambda row: years_range(row.years)),
    ("TBW", lambda row: range_text(row.tbw, terabytes)),
    ("rated TBW", lambda row: "-" if row.rated_bytes is None else terabytes(row.rated_bytes)),
    ("mean response", response_text),
    ("write amplification", _amplification),
    ("flash inside", lambda row: f"{format_number(row.flash_bytes / 1e12)} TB"),
)


def techniques(table: Table) -> tuple[Column, ...]:
    """Of techniques, beside the plain drive with the same flash."""

    def times(row: Row, value: float | None) -> str:
        return "1" if row is table.plain else "-" if value is None else f"{format_number(value, 3)}×"

    def share(row: Row, figure: str) -> str:
        value = table.times(row, figure)
        return "-" if value is None else format_share(value)

    return (
        ("life, plain = 1", lambda row: times(row, table.gain(row))),
        ("TBW", lambda row: range_text(row.tbw, terabytes)),
        ("responds in", response_text),
        ("of plain's time", lambda row: share(row, "mean_response_ns")),
        ("of plain's energy", lambda row: share(row, "energy_j_per_byte")),
        ("controller RAM", lambda row: format_bytes(row.controller_bytes)),
        ("write amplification", _amplification),
    )


def sold(rows: Sequence[Row]) -> tuple[Column, ...]:
    """The columns of drives as they are sold that have anything in them."""
    told = [(title, text) for title, text in _SOLD if any(text(row) != "-" for row in rows)]
    least = min((row.cells_per_byte for row in rows), default=1.0)
    return (*told, ("cost, least = 1", lambda row: format_number(row.cells_per_byte / least, 2)))


def worn(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Those of the columns that are told of drives on sale with techniques: wear, not times."""
    return tuple(column for column in columns if column[0] in ("life", "TBW", "write amplification"))


def cells(columns: Sequence[Column], row: Row) -> tuple[str, ...]:
    """The label and the texts of a row."""
    return (row.label, *(text(row) for _, text in columns))
