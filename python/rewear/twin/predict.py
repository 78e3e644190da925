"""What a twin says of points that it was not fitted to."""

from collections.abc import Iterable
from dataclasses import dataclass

from rewear.bench import Replay, Say, replays
from rewear.drive import Drive
from rewear.twin.fit import PAGES_PER_UNIT, Fit
from rewear.twin.points import Point
from rewear.units import format_bytes
from rewear.workload import Workload

__all__ = ["UNITS", "Prediction", "predict", "simulated"]

UNITS = 2048
"""Erase units of a twin: so many that the few open ones do not count."""

_PASSES = 6
"""Passes over the flash, in pages written, until the drive is steady, and as many that count."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A point and what the twin says of it."""

    point: Point
    expected: float | None
    """Write amplification; `None` for a workload of which a twin of two numbers says nothing."""

    @property
    def error(self) -> float | None:
        """Expected less measured."""
        return None if self.expected is None else self.expected - self.point.write_amplification


def predict(fitted: Fit, points: Iterable[Point]) -> list[Prediction]:
    """Every point with what the closed form says of it; writes in order move nothing and leave the metadata."""
    return [Prediction(point, _closed_form(fitted, point)) for point in points]


def _closed_form(fitted: Fit, point: Point) -> float | None:
    if point.workload == "uniform" and point.fill_bytes < fitted.flash_bytes.value:
        return fitted.write_amplification(point.fill_bytes)
    return 1.0 + fitted.metadata_share.value if point.workload == "sequential" else None


def simulated(
    drive: Drive, points: Iterable[Point], progress: Say | None = None, seed: int | None = None
) -> list[Prediction]:
    """Every point with what a replay on the twin says of it: the drive is filled as far, in order, then written.

    Raises:
        RewearError: Whatever `Drive.replay` raises.
    """
    asked = list(points)
    told = [point for point in asked if point.workload in ("uniform", "sequential")]
    reports = replays([_replay(drive, point, seed) for point in told], progress=progress)
    expected = {id(point): report.figure("write_amplification") for point, report in zip(told, reports, strict=True)}
    return [Prediction(point, expected.get(id(point))) for point in asked]


def _replay(drive: Drive, point: Point, seed: int | None) -> Replay:
    pages = drive.exported_bytes // drive.logical_page_bytes
    filled = min(pages, max(1, round(pages * point.fill_bytes / point.capacity_bytes)))
    writes = _PASSES * UNITS * PAGES_PER_UNIT
    workload = f"sequential:pages={filled},requests={filled};{point.workload}:pages={filled},requests={2 * writes}"
    label = f"{drive.name}, {point.workload} over {format_bytes(point.fill_bytes)}"
    return Replay(label, drive, Workload(workload), {"warm_up": filled + writes, "seed": seed})
