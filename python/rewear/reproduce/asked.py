"""Which runs the numbers of claims and figures are taken from: an experiment's other runs need not be made."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from rewear.reproduce.number import SIDES, Number
from rewear.sweep.file import Description
from rewear.sweep.grid import CASE


def asked_of(numbers: Iterable[Number], experiment: str, about: Description) -> Callable[[Mapping[str, str]], bool]:
    """Tells of a run, by its labels, whether one of the numbers is taken from it.

    Args:
        numbers: Of claims, of their switches, and of figures.
        experiment: Name of the experiment that has the run.
        about: Axes and cases of the experiment.
    """
    labels: dict[str, Sequence[str]] = {axis.name: [point.label for point in axis.points] for axis in about.axes}
    labels[CASE] = [case.label for case in about.cases]
    own = (number for number in numbers if number.experiment == experiment)
    places = {frozenset(place.items()) for number in own for place in _places(number, labels)}
    return lambda coordinates: any(place <= coordinates.items() for place in places)


def _places(number: Number, labels: Mapping[str, Sequence[str]]) -> Iterator[Mapping[str, str]]:
    """Where the runs of a number lie; a run lies at a place if it has all of its labels."""
    sides = [number.of, number.to, number.beside][: SIDES[number.take]]
    for each in _along(number.each, number.labels, labels):
        for along in product(*(_along(axis, (), labels) for axis in number.along)):
            for side in sides:
                place = {**number.at, **each, **ChainMap(*along), **side}
                # A case lies on no axis.
                yield {CASE: place[CASE]} if CASE in place else place


def _along(axis: str | None, some: Sequence[str], labels: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """The labels of an axis, or some of them, as places."""
    return [{}] if axis is None else [{axis: label} for label in some or labels.get(axis, ())]
