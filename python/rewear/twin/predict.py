"""Predictions of a twin at points that it was not fitted to."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from rewear.core.bench import Say, replays
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.figures.units import format_bytes
from rewear.twin.model import PLANES, parts, rate, task, written
from rewear.twin.points import Point


@dataclass(frozen=True, slots=True)
class Prediction:
    """A point and what the twin says of it."""

    point: Point
    expected: float
    """Write amplification, of a curve the mean of its parts."""
    curve: tuple[float, ...] = ()
    """Of the parts of the run, where the point has them."""
    mib_per_s: float | None = None
    """MiB that the host writes a second, where the point has that and the twin's bandwidth was fitted."""

    @property
    def error(self) -> float:
        """Expected less measured."""
        return self.expected - self.point.write_amplification

    @property
    def absolute_error(self) -> float:
        """How far off; of a curve the mean over its parts, which may be off on either side."""
        if self.curve:
            return fmean(abs(a - b) for a, b in zip(self.curve, self.point.curve, strict=True))
        return abs(self.error)


def twin_of(drive: Drive, points: Iterable[Point], same_flash: bool = False) -> Drive:
    """The twin on which the points of a drive are replayed.

    Args:
        drive: A drive with a table `[twin]`.
        points: What is to be predicted.
        same_flash: The points are of a drive with the twin's flash that exports another part of it.

    Raises:
        ConfigurationError: The drive is no twin, or one of a drive that exports another capacity.
    """
    if not {"twin", "product"} <= drive.configuration.keys():
        raise ConfigurationError(
            f"{drive.name} is a model of no real drive, so it predicts none. Fit a twin with `rewear twin fit`."
        )
    real = drive.configuration["product"]
    capacities = {point.capacity_bytes for point in points} or {real["capacity_bytes"]}
    if len(capacities) > 1:
        raise ConfigurationError("The points are of drives of different capacity. Predict one drive at a time.")
    (capacity,) = capacities
    # A capacity in whole GiB is a rounded one.
    if abs(capacity - real["capacity_bytes"]) <= 0.002 * capacity:
        return drive
    if not same_flash:
        raise ConfigurationError(
            f"{drive.name} is a twin of {real['name']}, which exports {format_bytes(real['capacity_bytes'])}. The "
            f"points are of a drive that exports {format_bytes(capacity)}. If that has the same flash, add "
            "--same-flash; else fit a twin of its own."
        )
    return drive.with_settings({"ftl.over_provisioning": _spare(real["flash_bytes"], capacity)})


def _spare(flash_bytes: float, capacity_bytes: float) -> float:
    if flash_bytes <= capacity_bytes:
        raise ConfigurationError(
            f"The twin has flash of {format_bytes(flash_bytes)}, which cannot export {format_bytes(capacity_bytes)}."
        )
    return flash_bytes / capacity_bytes - 1.0


def predict(
    drive: Drive, points: Iterable[Point], progress: Say | None = None, seed: int | None = None
) -> list[Prediction]:
    """Every point with what a replay on the twin (see `twin_of`) says of it.

    Raises:
        RewearError: Whatever `Drive.replay` raises.
    """
    asked = list(points)
    is_fitted = drive.configuration["flash"]["channels"] != PLANES
    timed = [index for index, point in enumerate(asked) if is_fitted and point.mib_per_s is not None]
    twins = [drive.with_settings(point.settings) if point.settings else drive for point in asked]
    tasks = [task(twin, point, seed) for twin, point in zip(twins, asked, strict=True)]
    tasks += [task(twins[index], asked[index], seed, timed=True) for index in timed]
    reports = replays(tasks, progress=progress)
    rates = {index: rate(report) for index, report in zip(timed, reports[len(asked) :], strict=True)}
    return [_prediction(point, reports[index], rates.get(index)) for index, point in enumerate(asked)]


def _prediction(point: Point, report: Report, mib_per_s: float | None) -> Prediction:
    if point.curve:
        values = parts(report, len(point.curve))
        return Prediction(point, fmean(values), values)
    return Prediction(point, written(report), mib_per_s=mib_per_s)
