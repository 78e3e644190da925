"""Miniatures: a sample of a workload's pages on a smaller drive, and how far its figures are off.

Spatial sampling (Waldspurger, Park, Garthwaite, Ahmad, FAST '15) and miniature simulation (Waldspurger, Saemundsson,
Ahmad, Park, USENIX ATC '17), for a drive instead of a cache. docs/manual/miniature.md has what is measured.
"""

from fractions import Fraction
from math import log2

from rewear.core.errors import ConfigurationError
from rewear.figures.uncertainty import Interval

SEEDS = 5
"""Samples of a miniature unless told otherwise: enough for an interval."""

_MOST = 100_000


def one_in(scale: str | float | Fraction) -> int:
    """How many pages one stands for at a scale such as `"1/100"`, `0.01` or `Fraction(1, 100)`.

    Raises:
        ConfigurationError: It is not one over a whole number from 2 to 100,000.
    """
    wrong = f"A scale of {scale}: give one over a whole number, 1/2 to 1/{_MOST}, for instance 1/100."
    try:
        part = Fraction(scale).limit_denominator(_MOST)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ConfigurationError(wrong) from None
    if part.numerator != 1 or not 2 <= part.denominator <= _MOST or abs(part - Fraction(scale)) > part / 1000:
        raise ConfigurationError(wrong)
    return part.denominator


def half_as_large(scale: int) -> tuple[int, int]:
    """Scales at which a miniature is replayed once more: half as large, and twice as large where that is refused."""
    return 2 * scale, scale // 2


def widened(found: Interval, other: Interval | None, scale: int) -> Interval | None:
    """An interval with what all samples have in common on either side.

    A sample is log2(N) halvings of the drive away from the whole. None of them is taken to change a figure by more
    than the last one does, from a miniature of this scale to one half as large: the smaller a miniature, the more a
    halving takes away.

    Args:
        found: Mean of a figure, or of a ratio, over the samples, and its interval.
        other: The same at another scale, half or twice as large; without one there is no interval.
        scale: How many pages one stands for.
    """
    if other is None:
        return None
    margin = abs(found.mean - other.mean) * log2(scale)
    return Interval(found.mean, found.low - margin, found.high + margin, found.seeds)
