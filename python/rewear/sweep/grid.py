"""The runs of a sweep: every combination of the points of its axes, and the cases beside them."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rewear.sweep.settings import Settings, is_number, merge

CASE = "case"
"""Name of the axis on which the cases lie that stand beside the grid."""


@dataclass(frozen=True, slots=True)
class Point:
    """One place on an axis."""

    label: str
    """Its name in tables and plots."""
    value: object
    """Content of its column: the value of a single setting, or the label of several."""
    settings: Settings
    """Its settings."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that is varied."""

    name: str
    points: tuple[Point, ...]

    @property
    def numeric(self) -> bool:
        """Whether its points lie on a scale, so that a line between them means something."""
        return all(is_number(point.value) for point in self.points)

    @property
    def repeats(self) -> bool:
        """Whether it varies the seed alone: its runs are repetitions, to be averaged."""
        return all(set(point.settings) == {"seed"} for point in self.points)

    @property
    def is_workload(self) -> bool:
        """Whether it varies what is replayed, and nothing of the drive: the best of its points is no choice."""
        keys = {key for point in self.points for key in point.settings}
        return all(key.partition(".")[0] in ("trace", "workload") for key in keys)

    def position(self, label: str) -> int:
        """Where on the axis the point of this label lies."""
        return next(place for place, point in enumerate(self.points) if point.label == label)


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be done."""

    coordinates: dict[str, str] = field(hash=False)
    """Name of each axis -> label of the point; of a case, `{"case": label}`."""
    settings: Settings = field(hash=False)
    """Everything that is set for it."""

    @property
    def label(self) -> str:
        """The run in few words, such as `over-provisioning=0.07 victim=greedy`."""
        if set(self.coordinates) == {CASE}:
            return self.coordinates[CASE]
        return " ".join(f"{name}={label}" for name, label in self.coordinates.items())


def jobs_of(
    base: Settings, axes: Sequence[Axis], cases: Sequence[Point], last: Sequence[Mapping[str, object]]
) -> tuple[Job, ...]:
    """The runs of the grid, the last axis varying fastest, then the cases; layers of `last` win over all others."""
    grid = itertools.product(*(axis.points for axis in axes)) if axes else ()
    jobs = [
        Job(
            {axis.name: point.label for axis, point in zip(axes, points, strict=True)},
            merge([base, *(point.settings for point in points), *last]),
        )
        for points in grid
    ]
    jobs += [Job({CASE: case.label}, merge([base, case.settings, *last])) for case in cases]
    return tuple(jobs) or (Job({CASE: "base"}, merge([base, *last])),)
