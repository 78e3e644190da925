"""A measurement beside that of a base: which figure is worse, on which drive, and whether that is sure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rewear.ci.measurement import Cell, Measurement
from rewear.core.errors import ConfigurationError
from rewear.figures.uncertainty import Interval, place, ratio_between
from rewear.figures.units import format_bytes

State = Literal["worse", "perhaps worse", "better", "same", "unknown"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a cell."""

    title: str
    values: Callable[[Cell], Sequence[float | None]]
    higher_is_better: bool = False


FIGURES = {
    "flash": Figure("bytes to flash", lambda cell: cell.flash_bytes),
    "life": Figure("life", lambda cell: cell.runs_of_life, higher_is_better=True),
    "waf": Figure("write amplification", lambda cell: cell.write_amplification),
    "p99": Figure("p99 of writes", lambda cell: cell.p99_ns),
}
"""Figures that can be judged, by the name that `--judge` takes."""
JUDGED = ("flash", "life")
"""Those that are judged unless others are named: what the same work costs the flash.

A write amplification is no verdict, since it is a ratio to what the benchmark writes: a change that writes half as much
may have a larger one.
"""
_SAME_SIZE = 1.01
"""Footprint over that of a kept base up to which its drives do: runs differ by as much."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure on a drive at a fill, beside the base's."""

    figure: str
    cell: Cell
    base: Cell
    ratio: Interval | None
    """Over the base's; `None` where a run has no such figure."""
    state: State


@dataclass(frozen=True, slots=True)
class Judgement:
    """All figures of all cells beside the base's."""

    change: Measurement
    base: Measurement
    worse: float
    """Part by which a judged figure may be worse."""
    figures: tuple[str, ...]
    """The figures that are judged."""
    rows: tuple[Judged, ...]

    def of(self, cell: Cell, figure: str) -> Judged:
        """The verdict on a figure of one of the change's cells."""
        return next(row for row in self.rows if row.cell is cell and row.figure == figure)

    def judged(self, state: State) -> tuple[Judged, ...]:
        """Judged figures in this state: *worse* for certain, *perhaps worse* where more runs would tell."""
        return tuple(row for row in self.rows if row.state == state and row.figure in self.figures)

    @property
    def passes(self) -> bool:
        """Whether nothing that is judged is worse for certain."""
        return not self.judged("worse")


def judge(change: Measurement, base: Measurement, *, worse: float = 0.05, figures: Sequence[str] = JUDGED) -> Judgement:
    """Sets a change beside a base.

    A figure is *worse* if all of its 95% interval is worse than the base's by more than `worse`, and *perhaps worse* if
    its mean is. It is *better* if all of the interval is better by as much. One run on a side has no interval, so its
    mean decides.

    Raises:
        ConfigurationError: The two were not measured on the same drives, or a figure is unknown.
    """
    if not 0 <= worse < 10:
        raise ConfigurationError(f"Worse by {worse:.0%}: give 0% to 1000%.")
    for figure in figures:
        if figure not in FIGURES:
            raise ConfigurationError(f"There is no figure {figure!r}. There are: {', '.join(FIGURES)}.")
    _check_same(change, base)
    by_key = {cell.key: cell for cell in base.cells}
    rows = []
    for cell in change.cells:
        other = by_key[cell.key]
        for name in FIGURES:
            ratio = _ratio(name, cell, other)
            rows.append(Judged(name, cell, other, ratio, _state(name, cell, other, ratio, worse)))
    return Judgement(change, base, worse, tuple(figures), tuple(rows))


def _check_same(change: Measurement, base: Measurement) -> None:
    remedy = "Measure the base again with the same drives and fills."
    if change.footprint_bytes != base.footprint_bytes:
        raise ConfigurationError(
            f"The drives of the base are sized by {base.footprint_bytes} bytes, these by {change.footprint_bytes}. "
            f"{remedy}"
        )
    if [cell.key for cell in change.cells] != [cell.key for cell in base.cells]:
        raise ConfigurationError(f"The base has other drives or fills. {remedy}")
    for label, digest in change.drives.items():
        if base.drives.get(label) != digest:
            raise ConfigurationError(f"{label} was described otherwise when the base was measured. {remedy}")


def _ratio(name: str, cell: Cell, base: Cell) -> Interval | None:
    values, references = FIGURES[name].values(cell), FIGURES[name].values(base)
    known = [value for value in values if value is not None]
    others = [value for value in references if value is not None]
    if len(known) < len(values) or len(others) < len(references):
        return None
    return ratio_between(known, others)


def _state(name: str, cell: Cell, base: Cell, ratio: Interval | None, worse: float) -> State:
    if name != "p99" and all(base.fits) and not all(cell.fits):
        # It needs more room than the base does, and more than there is.
        return "worse"
    if ratio is None:
        return "unknown"
    if FIGURES[name].higher_is_better:
        ratio = Interval(1 / ratio.mean, 1 / ratio.high, 1 / ratio.low)
    if place(ratio, None, 1 + worse) == "outside":
        return "worse"
    if ratio.mean > 1 + worse:
        return "perhaps worse"
    return "better" if place(ratio, 1 / (1 + worse), None) == "outside" else "same"


def check_larger(change_bytes: int, base_bytes: int) -> None:
    """Sees that the drives of a kept base are large enough for a change.

    Raises:
        ConfigurationError: The change touches more pages, so on these drives it would be judged by its place alone.
    """
    if change_bytes > base_bytes * _SAME_SIZE:
        raise ConfigurationError(
            f"The change touches {format_bytes(change_bytes)}, the base {format_bytes(base_bytes)}, by which its "
            "drives are sized. Both sides need drives of the larger one: give the base's recordings with --base-trace "
            "(--keep keeps them), or --base-checkout."
        )
