"""Intervals of figures over runs that differ in their seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from rewear._core import student_t_quantile

__all__ = ["CONFIDENCE", "Interval", "interval_of", "ratio_of"]

CONFIDENCE = 0.95
"""Probability with which an interval holds the mean over all seeds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, between what bounds it lies, and over how many seeds; with one the bounds are the mean."""

    mean: float
    low: float
    high: float
    seeds: int = 1

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2

    def holds(self, value: float) -> bool:
        """Whether `value` lies within the bounds."""
        return self.low <= value <= self.high


def interval_of(values: Sequence[float]) -> Interval:
    """Mean and confidence interval by Student's t distribution; of one value there is no interval but itself."""
    mean = fmean(values)
    if len(values) < 2:
        return Interval(mean, mean, mean)
    quantile = student_t_quantile((1 + CONFIDENCE) / 2, len(values) - 1)
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
