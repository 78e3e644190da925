"""Intervals of figures over runs that differ in their seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance
from typing import Literal

from rewear.core.ask import ask

CONFIDENCE = 0.95
"""Probability with which an interval holds the mean over all seeds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, between what bounds it lies, and over how many seeds; with one the bounds are the mean."""

    mean: float
    low: float
    high: float
    seeds: int = 1

    def bounds(self) -> dict[str, float]:
        """Mean and bounds as plain data."""
        return {"mean": self.mean, "low": self.low, "high": self.high}

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2

    def holds(self, value: float) -> bool:
        """Whether `value` lies within the bounds."""
        return self.low <= value <= self.high


Place = Literal["inside", "crosses", "outside"]
"""Where an interval lies: within a band, across one of its ends, or beyond it."""


def place(interval: Interval, least: float | None, most: float | None) -> Place:
    """Where an interval lies by a band, the one scale of claims and tests; `None` is an open end."""
    low, high = -math.inf if least is None else least, math.inf if most is None else most
    if low <= interval.low and interval.high <= high:
        return "inside"
    return "outside" if interval.high < low or interval.low > high else "crosses"


def interval_of(values: Sequence[float]) -> Interval:
    """Mean and confidence interval by Student's t distribution; of one value there is no interval but itself."""
    mean = fmean(values)
    if len(values) < 2:
        return Interval(mean, mean, mean)
    quantile = _quantile(len(values) - 1)
    half = quantile * stdev(values) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half, len(values))


def ratio_of(values: Sequence[float], references: Sequence[float]) -> Interval | None:
    """Ratio of figures to those of the reference with the same seeds: geometric mean and interval of the paired ratios.

    `None` where a figure is not above 0.
    """
    if any(value <= 0 for value in (*values, *references)):
        return None
    logarithms = [math.log(value / reference) for value, reference in zip(values, references, strict=True)]
    found = interval_of(logarithms)
    return Interval(math.exp(found.mean), math.exp(found.low), math.exp(found.high), found.seeds)


def ratio_between(values: Sequence[float], references: Sequence[float]) -> Interval | None:
    """Ratio of figures to those of a reference, both of runs that have nothing to do with each other.

    Geometric means, with the interval of Welch's t-test on logarithms (B. L. Welch, The generalization of Student's
    problem, Biometrika 34, 1947). Of one run on a side there is no interval but the ratio itself. `None` where a
    figure is not above 0, or there is none.
    """
    if not values or not references or any(value <= 0 for value in (*values, *references)):
        return None
    sides = [[math.log(value) for value in side] for side in (values, references)]
    mean, half, seeds = fmean(sides[0]) - fmean(sides[1]), 0.0, min(map(len, sides))
    errors = [variance(side) / len(side) for side in sides] if seeds > 1 else [0.0]
    if sum(errors) > 0:
        freedom = sum(errors) ** 2 / sum(error**2 / (len(side) - 1) for error, side in zip(errors, sides, strict=True))
        half = _quantile(freedom) * math.sqrt(sum(errors))
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half), seeds)


def _quantile(freedom: float) -> float:
    """Half the width of an interval of Student's t distribution with some degrees of freedom."""
    found: float = ask("student-t", probability=(1 + CONFIDENCE) / 2, freedom=freedom)
    return found
