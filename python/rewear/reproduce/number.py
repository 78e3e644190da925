"""Numbers of claims and figures, described as data: a figure of some runs, related to others.

| key | meaning |
|---|---|
| `experiment` | whose results; the claim's or figure's own unless given |
| `figure` | a column of the results, one of `rewear.reproduce.measures`, or a number of a study |
| `at` | axes and labels at which all runs of this number lie |
| `of`, `to`, `beside` | labels of the run itself, of the one it is related to, and of a third |
| `take` | `value`; `change`: of / to - 1; `ratio`: of / to; `difference`: of - to; |
| | `gap`: (of - beside) / to; `gain`: (of - to) / (beside - to) |
| `each` | an axis: a number for each of its labels, or those in `labels` |
| `along`, `reduce` | an axis, or a list of axes: the numbers along it are reduced to one |
| `over` | reduces the numbers of `each` to one |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, pairwise, product
from statistics import fmean
from typing import Any, Protocol

from rewear.core.strict import Table
from rewear.sweep import Row
from rewear.sweep.file import Description
from rewear.sweep.grid import CASE

Numbers = dict[str, Any]
"""Numbers by label; the label of a single one is empty."""

TAKES = ("value", "change", "ratio", "difference", "gap", "gain")
"""Ways to relate a run, that of `of`, to that of `to`; the last two relate it to that of `beside`, too."""


class UnknownError(Exception):
    """A number that these results do not have; the message says why."""


class Places(Protocol):
    """Runs by the labels of their axes."""

    def labels(self, axis: str) -> Sequence[str]:
        """Labels of an axis in order.

        Raises:
            UnknownError: There is no such axis.
        """

    def value(self, figure: str, place: Mapping[str, str]) -> Any:
        """A figure of the run at a place.

        Raises:
            UnknownError: There is no such run or figure, or several runs.
        """


class Runs(Places, Protocol):
    """Results from which numbers are read: those of a sweep or of a study."""

    def seeds(self) -> Sequence[Mapping[str, str]]:
        """Places of the repetitions, which differ in nothing but the seed; empty if there is one run of each kind."""

    def is_drawn(self, number: "Number") -> bool:
        """Whether a number rests on runs whose requests are drawn at random."""

    def asked(self) -> Sequence[Row]:
        """Runs that figures were taken from since this was called last; none of a study."""


@dataclass(frozen=True, slots=True)
class Number:
    """The description of a number."""

    experiment: str
    figure: str
    take: str
    at: dict[str, str]
    of: dict[str, str]
    to: dict[str, str]
    beside: dict[str, str]
    each: str | None
    labels: tuple[str, ...]
    along: tuple[str, ...]
    """Axes whose numbers are reduced to one, the last one fastest; none unless `reduce` is given."""
    reduce: str | None
    over: str | None

    def placed(self, place: Mapping[str, str]) -> "Number":
        """The same number of runs that lie at these labels, too."""
        return replace(self, at={**self.at, **place})


def _rise(values: Sequence[float]) -> float:
    """The largest step upwards, as a share of the largest value."""
    steps = [after - before for before, after in pairwise(values)]
    return max(steps, default=0.0) / (max(map(abs, values)) or 1.0)


REDUCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "min": min,
    "max": max,
    "spread": lambda values: max(values) - min(values),
    "rise": _rise,
    "fall": lambda values: _rise([-value for value in values]),
    "last-over-first": lambda values: values[-1] / values[0],
    "first-over-last": lambda values: values[0] / values[-1],
    "last-less-first": lambda values: values[-1] - values[0],
}
"""Of numbers along an axis to one."""


def parse_number(table: Table, experiment: str | None) -> Number:
    """Reads the keys of a number from a table that may have others."""
    take = table.word("take", TAKES, "change" if "to" in table else "value")
    along = table.content.get("along")
    number = Number(
        experiment=table.get("experiment", str, ... if experiment is None else experiment),
        figure=table.get("figure", str),
        take=take,
        at=table.coordinates("at"),
        of=table.coordinates("of"),
        to=table.coordinates("to"),
        beside=table.coordinates("beside"),
        each=table.get("each", str, None),
        labels=table.texts("labels", ()),
        along=(table.get("along", str),) if isinstance(along, str) else table.texts("along", ()),
        reduce=table.word("reduce", tuple(REDUCTIONS), None),
        over=table.word("over", tuple(REDUCTIONS), None),
    )
    if bool(number.along) != (number.reduce is not None):
        table.wrong("along", "along and reduce go together.")
    if (number.over is not None or number.labels) and number.each is None:
        table.wrong("over", "over and labels need each.")
    if take != "value" and "to" not in table:
        table.wrong("take", f"take = {take!r} needs `to`.")
    if (take in ("gap", "gain")) != ("beside" in table):
        table.wrong("take", "take = 'gap' or 'gain' and beside go together.")
    return number


def evaluate(number: Number, runs: Places) -> Numbers:
    """The numbers that a description gives, by label.

    Raises:
        UnknownError: The results do not have it.
    """
    if number.each is None:
        return {"": _reduced(number, runs, {})}
    labels = number.labels or tuple(runs.labels(number.each))
    numbers = {label: _reduced(number, runs, {number.each: label}) for label in labels}
    if number.over is None:
        return numbers
    return {"": _reduce(number.over, list(numbers.values()), number.figure)}


def _reduced(number: Number, runs: Places, place: Mapping[str, str]) -> Any:
    if number.reduce is None:
        return _taken(number, runs, place)
    points = product(*(runs.labels(axis) for axis in number.along))
    values = [_taken(number, runs, {**place, **dict(zip(number.along, point, strict=True))}) for point in points]
    return _reduce(number.reduce, values, number.figure)


def _reduce(how: str, values: Sequence[float], figure: str) -> float:
    try:
        return REDUCTIONS[how](values)
    except ZeroDivisionError:
        raise UnknownError(f"{figure} is 0 where it is divided by ({how})") from None


def _taken(number: Number, runs: Places, place: Mapping[str, str]) -> Any:
    def at(own: Mapping[str, str]) -> Any:
        whole = {**number.at, **place, **own}
        # A case lies on no axis.
        return runs.value(number.figure, {CASE: whole[CASE]} if CASE in whole else whole)

    if number.take == "value":
        return at(number.of)
    of, to = float(at(number.of)), float(at(number.to))
    if number.take == "difference":
        return of - to
    if to == 0:
        raise UnknownError(f"{number.figure} is 0 in the run it is related to")
    if number.take == "gain":
        beside = float(at(number.beside))
        if beside == to:
            raise UnknownError(f"{number.figure} does not change in the run beside it")
        return (of - to) / (beside - to)
    if number.take == "gap":
        return (of - float(at(number.beside))) / to
    return of / to - (1.0 if number.take == "change" else 0.0)


def asked_of(numbers: Iterable[Number], experiment: str, about: Description) -> Callable[[Mapping[str, str]], bool]:
    """Tells of a run of an experiment, by its labels, whether one of the numbers is taken from it."""
    recorder = _Recorder(about)
    for number in numbers:
        if number.experiment == experiment:
            with suppress(UnknownError):
                evaluate(number, recorder)
    return lambda coordinates: any(place <= coordinates.items() for place in recorder.places)


class _Recorder:
    """Notes the places of runs. No two of their figures are alike, so that every relation between them exists."""

    def __init__(self, about: Description) -> None:
        self._labels = {axis.name: [point.label for point in axis.points] for axis in about.axes}
        self._labels[CASE] = [case.label for case in about.cases]
        self._figures = count(1)
        self.places: set[frozenset[tuple[str, str]]] = set()

    def labels(self, axis: str) -> Sequence[str]:
        return self._labels.get(axis, ())

    def value(self, figure: str, place: Mapping[str, str]) -> float:
        self.places.add(frozenset(place.items()))
        return float(next(self._figures))
