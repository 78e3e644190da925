"""Which runs the numbers of claims and figures are taken from: an experiment's other runs need not be made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count

from rewear.reproduce.number import Number, UnknownError, evaluate
from rewear.sweep.file import Description
from rewear.sweep.grid import CASE


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
