"""The results of a sweep as numbers are read from them."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from rewear.reproduce.conditions import NOT_RUN
from rewear.reproduce.measures import TO_THE_END, measure
from rewear.reproduce.number import Number, UnknownError
from rewear.sweep import Results, Row
from rewear.sweep.grid import CASE
from rewear.sweep.settings import is_number


class Swept:
    """Runs by the labels of their axes; those that differ in nothing but the seed are averaged."""

    def __init__(self, results: Results) -> None:
        """Sorts the rows; nothing is copied."""
        self.results = results
        self._axes = {axis.name: [point.label for point in axis.points] for axis in results.description.axes}
        self._repeats = {axis.name for axis in results.description.axes if axis.repeats}
        self._axes[CASE] = [case.label for case in results.description.cases]
        self._asked: dict[str, Row] = {}
        self._values: dict[tuple[str, str], Any] = {}
        """Figures of earlier requests: claims, switches and figures share runs."""

    def labels(self, axis: str) -> Sequence[str]:
        """Labels of an axis in the order of the file."""
        if not self._axes.get(axis):
            raise UnknownError(f"{self.results.description.name} has no axis {axis!r}")
        return self._axes[axis]

    def value(self, figure: str, place: Mapping[str, str]) -> Any:
        """A figure of the run at a place, or its mean over the seeds."""
        rows = self._rows(place)
        values = [self._figure(figure, row) for row in rows]
        if len(values) == 1:
            return values[0]
        if not all(is_number(value) for value in values):
            raise UnknownError(f"{figure} is no number that could be averaged")
        return fmean(values)

    def seeds(self) -> Sequence[Mapping[str, str]]:
        """The points of the axis that varies nothing but the seed."""
        return [{axis: label} for axis in sorted(self._repeats) for label in self._axes[axis]]

    def is_drawn(self, number: Number) -> bool:
        """Whether runs at the place of a number replay a workload whose requests are drawn."""
        labels = {number.each: set(number.labels)} if number.each is not None and number.labels else {}
        return any(
            draws(row.job.settings)
            for row in self.results.rows
            if all(row.job.coordinates.get(axis, label) == label for axis, label in number.at.items())
            and all(row.job.coordinates.get(axis) in wanted for axis, wanted in labels.items())
        )

    def asked(self) -> Sequence[Row]:
        """Runs that figures were taken from since this was called last."""
        rows = list(self._asked.values())
        self._asked.clear()
        return rows

    def _rows(self, place: Mapping[str, str]) -> list[Row]:
        rows = [row for row in self.results.rows if place.items() <= row.job.coordinates.items()]
        words = ", ".join(f"{axis} = {label}" for axis, label in place.items())
        if not rows:
            raise UnknownError(f"{self.results.description.name} has no run at {words}")
        kinds = {
            tuple((axis, label) for axis, label in row.job.coordinates.items() if axis not in self._repeats)
            for row in rows
        }
        if len(kinds) > 1:
            raise UnknownError(f"{self.results.description.name} has {len(kinds)} runs at {words or 'no place'}")
        return rows

    def _figure(self, figure: str, row: Row) -> Any:
        stopped = figure.startswith(TO_THE_END)
        self._asked[row.job.label] = row
        if row.failure == NOT_RUN:
            raise UnknownError(f"the run {row.job.label} was {NOT_RUN}")
        if row.report is None or (row.status != "complete" and not stopped):
            raise UnknownError(f"the run {row.job.label} is not complete: {row.reason}")
        asked = row.job.label, figure
        if asked not in self._values:
            self._values[asked] = measure(figure.removeprefix(TO_THE_END), row.report)
        value = self._values[asked]
        if value is None:
            raise UnknownError(f"the run {row.job.label} has no {figure}")
        return value


_IN_ORDER = ("sequential", "hot-s", "hot-r", "cold")
"""Workloads that draw nothing: Hot-R's permutation is fixed."""
_DRAWN_WITH = ("order=", "read=", "poisson", "bursts")
"""The key that makes one of these draw all the same."""
_DRAWN_BELOW = {"reuse.flip_rate": 1.0, "reuse.success_probability": 1.0}
"""Settings by which the drive draws, whatever the requests are, unless they have this value."""


def draws(settings: Mapping[str, Any]) -> bool:
    """True if a run with these settings uses random numbers.

    A trace is the same under every seed.
    """
    workload = settings.get("workload")
    if not isinstance(workload, str):
        return False
    names = {phase.partition(":")[0].strip() for phase in workload.split(";")}
    in_order = names.issubset(_IN_ORDER) and not any(word in workload for word in _DRAWN_WITH)
    return not in_order or any(settings.get(key, certain) != certain for key, certain in _DRAWN_BELOW.items())
