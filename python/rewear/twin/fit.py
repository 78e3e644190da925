"""Flash, metadata, policy and erase unit of a drive from its write amplification, by replaying candidates."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from rewear.core.bench import Say, replays
from rewear.core.errors import ConfigurationError
from rewear.figures.uncertainty import CONFIDENCE
from rewear.twin.model import CANDIDATES, PLANES, UNITS, Candidate, model, nameplate_bytes, rate, task, written
from rewear.twin.points import Point

Floats = NDArray[np.float64]

_SPARE = (0.2, 0.4)
"""Spare flash over exported capacity that is replayed first; then half or twice as much, until the best is between."""
_LEAST_SPARE, _MOST_SPARE = 0.04, 3.5
_NEAR = (0.92, 1.0, 1.08)
"""Spare flash that is replayed next, over the best of those."""
_WIDE = (0.6, 0.8, 1.0, 1.25, 1.6)
"""Spare flash that is replayed for the intervals, over the best."""
_ALL_UNITS = (128, 256, 512, UNITS)
"""Numbers of erase units that are tried where a point tells them apart."""
_TELLS_UNITS = ("zones",)
"""Workloads whose write amplification depends on the size of an erase unit."""
_ROUNDS = 3
"""Replays that find the number of planes: throughput grows with it a little less than in proportion."""
_STEPS = 2000
"""Steps of the search between replayed spare flash."""
_NAMEPLATE_STEP = 0.05
"""How well the flash of a drive follows from its nameplate: flash that differs by less is as near to it."""
_ROUNDING = 0.005
"""Published figures have two or three digits: what reaches them within this has reached them."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fitted number with its 95% interval; without one where as many numbers were fitted as there are points."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Rival:
    """A candidate with the flash and the metadata with which it explains the points best."""

    candidate: Candidate
    flash_bytes: float
    metadata_share: float
    squares: float
    """Sum of the squared residuals, each over the point's standard error where that is known."""
    equal: bool = False
    """Whether the points do not tell it from the best."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Results of a fit to a drive's points."""

    candidate: Candidate
    points: tuple[Point, ...]
    """The points that were fitted."""
    flash_bytes: Parameter
    """Flash that holds data, parity and what is set apart for bad blocks left out."""
    metadata_share: Parameter
    """Programs of metadata for each program of data; 0 and not fitted where there is one point."""
    numbers: int
    """How many numbers were fitted: flash, metadata, and each choice that more than one candidate was tried for."""
    planes: int | None
    """Planes at work that give the throughput of a fitted point; `None` where none has it."""
    residuals: tuple[float, ...]
    """Fitted less measured, point by point, by replays of the twin."""
    rivals: tuple[Rival, ...]
    """Every candidate at its best: the chosen one, those that are equal to it, the others by their squares."""

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the drive exports."""
        return self.points[0].capacity_bytes

    @property
    def over_provisioning(self) -> float:
        """Flash beyond the exported capacity, as a part of that."""
        return self.flash_bytes.value / self.capacity_bytes - 1.0

    @property
    def unit_bytes(self) -> float:
        """Flash of an erase unit of the real drive."""
        return self.flash_bytes.value / self.candidate.units

    @property
    def tells_units(self) -> bool:
        """Whether a point depends on the size of an erase unit."""
        return any(map(_tells_units, self.points))

    @property
    def degrees_of_freedom(self) -> int:
        """Points beyond the numbers fitted; at 0 the residuals say nothing."""
        return max(0, len(self.points) - self.numbers)

    @property
    def error(self) -> float:
        """Mean absolute residual."""
        return fmean(map(abs, self.residuals))

    @property
    def equals(self) -> tuple[Rival, ...]:
        """Other candidates that explain the points equally well."""
        return tuple(rival for rival in self.rivals[1:] if rival.equal)


def fit(
    points: Sequence[Point],
    policy: str | None = None,
    progress: Say | None = None,
) -> Fit:
    """Fits flash, metadata, policy and erase unit to the points that are there for it (`Point.fits`).

    Candidates are victim policies, moved pages apart or not, and, where a point depends on it, erase units of several
    sizes. Each is replayed with several amounts of spare flash; write amplification between those is interpolated.
    Every page programmed, whether the host's or moved, changes the map: so metadata is a factor of all programs, found
    by linear least squares. A candidate is equal to the best where the squares do not tell them apart (an F test on the
    confidence region of a non-linear fit: Bates and Watts, Nonlinear Regression Analysis, 1988, section 6.1.2), or
    where both reach all points and no degree of freedom is left. Ties go to the flash nearest the nameplate capacity,
    the next power of two GiB, in steps of 5%: chips add up to that, and little is added for bad
    blocks. Then the squares decide, and last the order of `CANDIDATES`, the simplest first.

    Args:
        points: Points of one drive.
        policy: Try this victim policy alone.
        progress: Called with what is replayed and its `Progress`.

    Raises:
        ConfigurationError: There is no point to fit, points of different capacity, or an unknown policy.
    """
    usable = tuple(point for point in points if point.fits)
    if not usable:
        raise ConfigurationError(
            "There is nothing to fit: no figure of a workload that can be replayed whose use is fit."
        )
    if len({point.capacity_bytes for point in usable}) > 1:
        raise ConfigurationError("The points are of drives of different capacity. Fit one drive at a time.")
    policies = dict.fromkeys(candidate.victim for candidate in CANDIDATES)
    if policy is not None and policy not in policies:
        raise ConfigurationError(f"No twin has the policy {policy!r}. There are: {', '.join(policies)}.")
    candidates = [candidate for candidate in CANDIDATES if policy in (None, candidate.victim)]
    if tells_units := any(map(_tells_units, usable)):
        candidates = [replace(candidate, units=units) for candidate in candidates for units in reversed(_ALL_UNITS)]
    table = _Table(usable, progress)
    rivals = sorted((_best(candidate, usable, table) for candidate in candidates), key=lambda rival: rival.squares)
    numbers = 1 + (len(usable) > 1) + (policy is None) + 1 + tells_units
    rivals = _told_apart(rivals, usable, numbers)
    best = rivals[0]
    flash, metadata = _intervals(best, usable, table, numbers)
    planes = _planes(best, usable, progress)
    spare = best.flash_bytes / usable[0].capacity_bytes - 1.0
    twin = model(best.candidate, spare, best.metadata_share, planes or PLANES)
    reports = replays([task(twin, point) for point in usable], progress=progress)
    residuals = tuple(
        written(report) - point.write_amplification for report, point in zip(reports, usable, strict=True)
    )
    return Fit(best.candidate, usable, flash, metadata, numbers, planes, residuals, tuple(rivals))


def _planes(best: Rival, points: Sequence[Point], progress: Say | None) -> int | None:
    """By one point, so that the others test it: the one over the most bytes, where cleaning has most to do."""
    told = [point for point in points if point.mib_per_s is not None]
    if not told:
        return None
    point = max(told, key=lambda each: each.fill_bytes)
    asked, planes = point.mib_per_s or 0.0, PLANES
    for _ in range(_ROUNDS):
        twin = model(best.candidate, best.flash_bytes / point.capacity_bytes - 1.0, best.metadata_share, planes)
        (report,) = replays([task(twin, point, timed=True)], progress=progress)
        planes = max(1, round(planes * asked / rate(report)))
    return planes


def _tells_units(point: Point) -> bool:
    return point.workload.partition(":")[0] in _TELLS_UNITS


class _Table:
    """Write amplification without metadata by candidate, point and spare flash: replayed once each."""

    def __init__(self, points: Sequence[Point], progress: Say | None) -> None:
        self._points = points
        self._progress = progress
        self._found: dict[tuple[Candidate, int, float], float] = {}

    def row(self, candidate: Candidate, spare: float, chosen: Sequence[int] | None = None) -> list[float]:
        """Write amplification of some points, or of each."""
        indices = chosen or range(len(self._points))
        keys = {index: (self._of(candidate, index), index, spare) for index in indices}
        missing = [key for key in keys.values() if key not in self._found]
        tasks = [task(model(each, spare), self._points[index]) for each, index, _ in missing]
        self._found |= zip(missing, map(written, replays(tasks, progress=self._progress)), strict=True)
        return [self._found[keys[index]] for index in indices]

    def _of(self, candidate: Candidate, index: int) -> Candidate:
        """Without the number of units where it does not matter, so that it is replayed once."""
        return candidate if _tells_units(self._points[index]) else replace(candidate, units=UNITS)


def _curves(
    table: _Table, candidate: Candidate, spares: Sequence[float], chosen: Sequence[int] | None = None
) -> tuple[Floats, Floats]:
    """Write amplification without metadata of some points, or of all: `_STEPS` of spare flash, and a row for each.

    Between what was replayed it is straight, in logarithms of spare flash and of what is moved.
    """
    steps = np.geomspace(spares[0], spares[-1], _STEPS + 1)
    moved = np.log(np.maximum(np.array([table.row(candidate, spare, chosen) for spare in spares]) - 1.0, 1e-4))
    rows = [np.interp(np.log(steps), np.log(spares), of_point) for of_point in moved.T]
    return steps, 1.0 + np.exp(np.transpose(rows))


def _best(candidate: Candidate, points: Sequence[Point], table: _Table) -> Rival:
    """The candidate with the spare flash and the metadata of the least squares."""
    near = _near(replace(candidate, units=UNITS), points, table)
    spare, metadata, squares = _least(points, *_curves(table, candidate, near))
    flash = points[0].capacity_bytes * (1.0 + spare) * _held(candidate, metadata)
    return Rival(candidate, flash, metadata, squares)


def _near(candidate: Candidate, points: Sequence[Point], table: _Table) -> list[float]:
    """Spare flash about the best, by the points that do not depend on the erase unit where there are such."""
    chosen = [index for index, point in enumerate(points) if not _tells_units(point)] or list(range(len(points)))
    some = [points[index] for index in chosen]
    spares = sorted(_SPARE)
    while True:
        spare = _least(some, *_curves(table, candidate, spares, chosen))[0]
        if spare == spares[0] and spare / 2 >= _LEAST_SPARE:
            spares.insert(0, spare / 2)
        elif spare == spares[-1] and spare * 2 <= _MOST_SPARE:
            spares.append(spare * 2)
        else:
            return [spare * factor for factor in _NEAR]


def _least(points: Sequence[Point], steps: Floats, data: Floats) -> tuple[float, float, float]:
    """Spare flash for data, metadata and squares of the best."""
    shares, squares = _metadata(points, data)
    best = int(squares.argmin())
    return float(steps[best]), float(shares[best]), float(squares[best])


def _held(candidate: Candidate, metadata: float) -> float:
    """Flash over flash for data.

    Pages of metadata are superseded at once. Greedy cleaning takes their units first; cyclic cleaning comes to them in
    their turn, so until then they hold their share of the flash.
    """
    return 1.0 + metadata if candidate.victim == "cyclic" else 1.0


def _scale(point: Point) -> float:
    """The point's standard error where it is known, or 1."""
    return point.error or 1.0


def _metadata(points: Sequence[Point], data: Floats) -> tuple[Floats, Floats]:
    """The metadata share that fits each row of `data` best, at least 0, and the squares with it."""
    scales = np.array([_scale(point) for point in points])
    scaled, measured = data / scales, np.array([point.write_amplification for point in points]) / scales
    shares = np.maximum(0.0, (scaled * measured).sum(axis=1) / (scaled**2).sum(axis=1) - 1.0)
    if len(points) < 2:
        shares = np.zeros_like(shares)
    return shares, (((1.0 + shares)[:, None] * scaled - measured) ** 2).sum(axis=1)


def _allowed(squares: float, points: Sequence[Point], numbers: int, free: int) -> float:
    """Squares up to which `free` of the numbers are told apart from the best; infinite without a degree of freedom."""
    # Only here: the library takes long to load.
    from scipy.stats import f

    left = len(points) - numbers
    if left < 1:
        return math.inf
    return squares * (1.0 + free / left * float(f.ppf(CONFIDENCE, free, left)))


def _told_apart(rivals: Sequence[Rival], points: Sequence[Point], numbers: int) -> list[Rival]:
    """Rivals with `equal` set, the chosen one first: without a degree of freedom, those that reach the points."""
    allowed = _allowed(rivals[0].squares, points, numbers, numbers)
    reached = math.fsum((_ROUNDING / _scale(point)) ** 2 for point in points)
    limit = max(reached, allowed if math.isfinite(allowed) else rivals[0].squares)
    nameplate = nameplate_bytes(points[0].capacity_bytes)
    marked = [replace(rival, equal=rival.squares <= limit) for rival in rivals]

    def order(rival: Rival) -> tuple[float, ...]:
        if not rival.equal:
            return 1.0, rival.squares
        steps = round(abs(math.log(rival.flash_bytes / nameplate)) / _NAMEPLATE_STEP)
        simplest = CANDIDATES.index(replace(rival.candidate, units=UNITS))
        return 0.0, steps, max(rival.squares, reached), simplest, -rival.candidate.units

    return sorted(marked, key=order)


def _intervals(rival: Rival, points: Sequence[Point], table: _Table, numbers: int) -> tuple[Parameter, Parameter]:
    """Flash and metadata with the range of each in which the squares do not rise too far, the other fitted anew."""
    allowed = _allowed(rival.squares, points, numbers, 1)
    if not math.isfinite(allowed) or len(points) < 3:
        return Parameter(rival.flash_bytes), Parameter(rival.metadata_share)
    capacity = points[0].capacity_bytes
    spare = rival.flash_bytes / _held(rival.candidate, rival.metadata_share) / capacity - 1.0
    steps, data = _curves(table, rival.candidate, [spare * factor for factor in _WIDE])
    share, squares = _metadata(points, data)
    within = squares <= allowed
    if not within.any():
        return Parameter(rival.flash_bytes), Parameter(rival.metadata_share)
    share, steps, scaled = share[within], steps[within], data[within] / [_scale(point) for point in points]
    flash = capacity * (1.0 + steps) * [_held(rival.candidate, each) for each in share]
    # Over the metadata share the squares are a parabola.
    half = np.sqrt((allowed - squares[within]) / (scaled**2).sum(axis=1))
    return (
        Parameter(rival.flash_bytes, float(flash.min()), float(flash.max())),
        Parameter(rival.metadata_share, max(0.0, float((share - half).min())), float((share + half).max())),
    )
