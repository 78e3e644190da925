"""Two numbers of a drive from its write amplification: its flash, and its share of metadata."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rewear._core import student_t_quantile
from rewear.errors import ConfigurationError
from rewear.twin.closed_forms import CLOSED_FORMS
from rewear.twin.points import Point
from rewear.uncertainty import CONFIDENCE

__all__ = ["PAGES_PER_UNIT", "Fit", "Parameter", "expected", "fit"]

PAGES_PER_UNIT = 256
"""Pages of an erase unit of the twin, which has as many units as the drive has GiB of flash."""

_MOST_SPARE = 4.0
"""Spare flash over used capacity beyond which nothing can be told: write amplification is 1 to three digits."""
_STEPS = 400


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fitted number with its 95% interval; without one where as many numbers were fitted as there are points."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """What a drive's points say of it."""

    policy: str
    points: tuple[Point, ...]
    """The points that were fitted."""
    flash_bytes: Parameter
    """Flash that holds data, parity and what is set apart for bad blocks left out."""
    metadata_share: Parameter
    """Programs of metadata for each program of data; 0 and not fitted where there is one point."""
    residuals: tuple[float, ...]
    """Fitted less measured, point by point."""
    leave_one_out: tuple[float, ...]
    """Predicted less measured, point by point, by a fit to all others; empty with a single point."""
    rivals: dict[str, float]
    """Root mean square error of the fit under each policy."""

    @property
    def capacity_bytes(self) -> int:
        """What the drive exports."""
        return self.points[0].capacity_bytes

    @property
    def over_provisioning(self) -> float:
        """Flash beyond the exported capacity, as a part of that."""
        return self.flash_bytes.value / self.capacity_bytes - 1.0

    @property
    def error(self) -> float:
        """Mean absolute residual."""
        return fmean(map(abs, self.residuals))

    @property
    def leave_one_out_error(self) -> float | None:
        """Mean absolute error of a point that the others predict."""
        return fmean(map(abs, self.leave_one_out)) if self.leave_one_out else None

    def write_amplification(self, fill_bytes: float) -> float:
        """Expected under uniform random writes over `fill_bytes`, by the closed form of the policy."""
        return expected(self.policy, self.flash_bytes.value, self.metadata_share.value, fill_bytes)


def expected(policy: str, flash_bytes: float, metadata_share: float, fill_bytes: float) -> float:
    """Write amplification of uniform random writes over `fill_bytes` of a drive.

    Pages of metadata are superseded at once. Greedy cleaning takes their units first; cyclic cleaning comes to them in
    their turn, so until then they hold their share of the flash.
    """
    data_bytes = flash_bytes / _held(policy, metadata_share)
    return (1.0 + metadata_share) * CLOSED_FORMS[policy](data_bytes / fill_bytes, PAGES_PER_UNIT)


def _held(policy: str, metadata_share: float) -> float:
    """Flash over flash for data."""
    return 1.0 + metadata_share if policy == "cyclic" else 1.0


def fit(points: Sequence[Point], policy: str | None = None) -> Fit:
    """Fits flash and metadata share by least squares to the points that are there for it (`Point.fits`).

    Every page programmed, whether the host's or moved, changes the map: so metadata is a factor of all programs, and
    what is left depends on flash over fill alone. A single point tells the flash of a drive without metadata.

    Args:
        points: Points of one drive.
        policy: A victim policy of `CLOSED_FORMS`; the one that fits best unless given.

    Raises:
        ConfigurationError: There is no point to fit, points of different capacity, or an unknown policy.
    """
    usable = tuple(point for point in points if point.fits)
    if not usable:
        raise ConfigurationError("There is nothing to fit: no point of uniform writes whose use is fit.")
    if len({point.capacity_bytes for point in usable}) > 1:
        raise ConfigurationError("The points are of drives of different capacity. Fit one drive at a time.")
    if policy is not None and policy not in CLOSED_FORMS:
        raise ConfigurationError(f"There is no closed form for {policy!r}. There are: {', '.join(CLOSED_FORMS)}.")
    rivals = {each: _root_mean_square(_residuals(each, usable, *_solve(each, usable))) for each in CLOSED_FORMS}
    chosen = policy or min(rivals, key=lambda each: rivals[each])
    flash, share = _solve(chosen, usable)
    return Fit(
        policy=chosen,
        points=usable,
        flash_bytes=_interval(chosen, usable, flash, share)[0],
        metadata_share=_interval(chosen, usable, flash, share)[1],
        residuals=tuple(_residuals(chosen, usable, flash, share)),
        leave_one_out=tuple(_leave_one_out(chosen, usable)),
        rivals=rivals,
    )


def _solve(policy: str, points: Sequence[Point]) -> tuple[float, float]:
    """Flash and metadata share with the least squares.

    For given flash for data the share is a linear fit, so only one number is searched for: first on a grid of spare
    flash, since the sum may have flat stretches, then between the neighbours of the best.
    """
    # Only here and below: the library takes long to load.
    from scipy.optimize import minimize_scalar

    fullest = max(point.fill_bytes for point in points)

    def parameters(spare_logarithm: float) -> tuple[float, float]:
        data_bytes = fullest * (1.0 + math.exp(spare_logarithm))
        share = _share(policy, points, data_bytes)
        return data_bytes * _held(policy, share), share

    def loss(spare_logarithm: float) -> float:
        residuals = _residuals(policy, points, *parameters(spare_logarithm))
        return sum((residual / _scale(point)) ** 2 for residual, point in zip(residuals, points, strict=True))

    low, high = math.log(1e-4), math.log(_MOST_SPARE)
    step = (high - low) / _STEPS
    best = min(range(_STEPS + 1), key=lambda index: loss(low + index * step))
    bounds = (low + max(best - 1, 0) * step, low + min(best + 1, _STEPS) * step)
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    return parameters(float(found.x))


def _share(policy: str, points: Sequence[Point], data_bytes: float) -> float:
    """The metadata share that fits best for given flash for data, at least 0."""
    if len(points) < 2:
        return 0.0
    data = [expected(policy, data_bytes, 0.0, point.fill_bytes) / _scale(point) for point in points]
    measured = [point.write_amplification / _scale(point) for point in points]
    factor = math.fsum(a * b for a, b in zip(data, measured, strict=True)) / math.fsum(a * a for a in data)
    return max(0.0, factor - 1.0)


def _scale(point: Point) -> float:
    """The point's standard error where it is known, or 1."""
    return point.error or 1.0


def _residuals(policy: str, points: Sequence[Point], flash: float, share: float) -> list[float]:
    return [expected(policy, flash, share, point.fill_bytes) - point.write_amplification for point in points]


def _root_mean_square(values: Sequence[float]) -> float:
    return math.sqrt(fmean(value * value for value in values))


def _leave_one_out(policy: str, points: Sequence[Point]) -> list[float]:
    if len(points) < 2:
        return []
    errors = []
    for index, point in enumerate(points):
        others = [*points[:index], *points[index + 1 :]]
        flash, share = _solve(policy, others)
        # What the others do not reach cannot be predicted: the drive would be more than full.
        if point.fill_bytes < flash:
            errors.append(_residuals(policy, [point], flash, share)[0])
    return errors


def _interval(policy: str, points: Sequence[Point], flash: float, share: float) -> tuple[Parameter, Parameter]:
    """Both numbers with their intervals, from the curvature of the squares at the best fit."""
    free = len(points) - 2
    if free < 1:
        return Parameter(flash), Parameter(share)
    small = 1e-4
    by_flash = [
        (expected(policy, flash * (1 + small), share, point.fill_bytes)
         - expected(policy, flash * (1 - small), share, point.fill_bytes))
        / (2 * small * flash * _scale(point))
        for point in points
    ]  # fmt: skip
    by_share = [
        (expected(policy, flash, share + small, point.fill_bytes) - expected(policy, flash, share, point.fill_bytes))
        / (small * _scale(point))
        for point in points
    ]
    weighted = [
        residual / _scale(point)
        for residual, point in zip(_residuals(policy, points, flash, share), points, strict=True)
    ]
    variance = math.fsum(value * value for value in weighted) / free
    ff = math.fsum(value * value for value in by_flash)
    ss = math.fsum(value * value for value in by_share)
    fs = math.fsum(a * b for a, b in zip(by_flash, by_share, strict=True))
    determinant = ff * ss - fs * fs
    if determinant <= 0:
        return Parameter(flash), Parameter(share)
    quantile = student_t_quantile((1 + CONFIDENCE) / 2, free)
    flash_half = quantile * math.sqrt(variance * ss / determinant)
    share_half = quantile * math.sqrt(variance * ff / determinant)
    return (
        Parameter(flash, flash - flash_half, flash + flash_half),
        Parameter(share, max(0.0, share - share_half), share + share_half),
    )
