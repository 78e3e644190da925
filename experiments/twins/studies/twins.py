"""Published measurements of real drives, and closed forms, beside what the model says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from rewear.comparison.placement_bound import bound
from rewear.core.bundled import bundled
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.workload import Workload
from rewear.figures.units import format_bytes
from rewear.twin.closed_forms import cyclic
from rewear.twin.fit import fit
from rewear.twin.points import Point, read_points
from rewear.twin.predict import Prediction, predict, twin_of
from rewear.twin.preset import preset

HALVES = ("odd", "even")
"""Which points of the file a twin is fitted to, the first being odd; it is asked for the others."""

_DRIVE_WRITES = 24
# Regions of 16 MiB are small beside the reclaim units of real drives, of gigabytes. A twin's units have 1 MiB.
_REGION = "64KiB"
_MODEL: dict[str, str | float] = {
    "flash.blocks_per_plane": 2048,
    "flash.pages_per_block": 32,
    "ftl.moved_pages": "together",
}


def optimum_of_two_zones(fill: float, zones: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The least write amplification of two zones that share the spare flash, by label.

    Args:
        fill: Part of the flash that the host fills.
        zones: Label -> the part p of the pages that gets 1 - p of the writes.
    """
    found = {label: two_zones(part, 1 - part, 1 / fill) for label, part in zones.items()}
    return {"write_amplification": found}


def two_zones(pages_share: float, writes_share: float, spare_factor: float) -> float:
    """The least write amplification of two zones, each written uniformly, that share the spare flash.

    Each zone has erase units of its own, and that part of the spare flash with which both together write least. This
    is the optimum of one who knows how often pages are written, and not when.

    Args:
        pages_share: Part of the pages in the first zone, above 0 and below 1.
        writes_share: Part of the writes to it.
        spare_factor: Physical over used logical capacity of both together.

    Raises:
        ValueError: `spare_factor` is not above 1.
    """
    from scipy.optimize import minimize_scalar

    spare = spare_factor - 1.0

    def of_both(part: float) -> float:
        first, second = 1.0 + spare * part / pages_share, 1.0 + spare * (1.0 - part) / (1.0 - pages_share)
        return writes_share * cyclic(first) + (1.0 - writes_share) * cyclic(second)

    if spare <= 0.0:
        raise ValueError(f"a spare factor of {spare_factor}: there is no spare flash")
    found = minimize_scalar(of_both, bounds=(1e-6, 1.0 - 1e-6), method="bounded", options={"xatol": 1e-9})
    return float(found.fun)


def measured_points(
    twin: str, drive: str, same_flash: bool = False, seed: int | None = None
) -> dict[str, dict[str, float]]:
    """Predictions of a twin at the points of `drive` in `experiments/twins/points.csv`, and how far off they are.

    Args:
        twin: A preset.
        drive: Name of the drive in the file.
        same_flash: The drive has the twin's flash and exports another part of it.
        seed: Of the requests.

    Returns:
        By label (the run's name, or workload and fill): `write_amplification`, `off` (of a curve the mean over its
        parts), and `rate_off`, the throughput over the measured one less 1. Their means over the points that were not
        fitted stand under `mean`.
    """
    points = read_points(_folder() / "points.csv", only=drive)
    found: dict[str, dict[str, float]] = {"write_amplification": {}, "off": {}, "rate_off": {}}
    for each in predict(twin_of(Drive(twin), points, same_flash), points, seed=seed):
        point = each.point
        label = point.name or f"{point.workload} {format_bytes(point.fill_bytes)}"
        found["write_amplification"][label] = each.expected
        found["off"][label] = each.absolute_error
        if each.mib_per_s is not None and point.mib_per_s is not None:
            found["rate_off"][label] = each.mib_per_s / point.mib_per_s - 1.0
    fitted = {point.name or f"{point.workload} {format_bytes(point.fill_bytes)}" for point in points if point.fits}
    for figure in ("off", "rate_off"):
        others = [abs(value) for label, value in found[figure].items() if label not in fitted]
        if others:
            found[figure]["mean"] = fmean(others)
    return found


def halves(drive: str, seed: int) -> dict[str, dict[str, float]]:
    """How far off a twin is that was fitted to half of the drive's points, at the other half: `off`, by `HALVES`.

    Args:
        drive: Name of the drive in `experiments/twins/points.csv`.
        seed: Of the predictions.
    """
    found = {half: predictions_of_half(drive, half, seed) for half in HALVES}
    return {"off": {half: fmean(each.absolute_error for each in asked) for half, asked in found.items()}}


def predictions_of_half(drive: str, half: str, seed: int) -> list[Prediction]:
    """Predictions of a twin that was fitted to half of the points, of the others."""
    twin, others = fitted_to_half(drive, half)
    return predict(twin, others, seed=seed)


@cache
def fitted_to_half(drive: str, half: str) -> tuple[Drive, list[Point]]:
    """The twin, and the points that it was not fitted to."""
    points = [
        replace(point, use="fit" if HALVES[place % 2] == half else "predict", mib_per_s=None)
        for place, point in enumerate(read_points(_folder() / "points.csv", only=drive))
    ]
    return Drive.from_toml(preset(f"{half} points", fit(points))), [point for point in points if not point.fits]


def known_future(
    drive: str, workload: str, warm_up: int, open_units: Sequence[int], set: Mapping[str, Any] | None = None
) -> dict[str, dict[str, float]]:
    """The least that a drive of `experiments/twins` can write with the future known, by number of open units."""
    found = bound(
        Drive(_folder() / drive, set=set),
        Workload(workload),
        open_units=open_units,
        precondition="fill",
        warm_up=warm_up,
    )
    return {
        "write_amplification": {f"{each.open_units} open units": each.write_amplification for each in found.placements}
    }


def _folder() -> Path:
    folder = bundled("experiments/twins")
    if folder is None:
        raise ConfigurationError("The folder experiments/twins is not here. It comes with the source of Rewear.")
    return folder


def flash_cache(
    spare: float, small_writes: float, points: Mapping[str, Mapping[str, Any]], drive_writes: float = _DRIVE_WRITES
) -> dict[str, dict[str, float]]:
    """Write amplification of a drive with so much spare flash under a flash cache, by label of the points.

    Args:
        spare: Over-provisioning.
        small_writes: Part of the bytes written that goes to small objects.
        points: Label -> `small`, the part of the cache that holds small objects; `apart`, whether they have a reclaim
            unit handle of their own; `used`, the part of the drive that the cache takes up (1 unless given).
        drive_writes: Bytes written, in capacities of the drive.
    """
    return {
        "write_amplification": {
            label: flash_cache_amplification(
                float(point["small"]),
                bool(point["apart"]),
                float(point.get("used", 1.0)),
                {"ftl.over_provisioning": spare},
                small_writes,
                drive_writes,
            )
            for label, point in points.items()
        }
    }


def flash_cache_amplification(
    small: float, apart: bool, used: float, settings: Mapping[str, float], small_writes: float, drive_writes: float
) -> float:
    """Bytes that a drive of 2,048 units of 1 MiB writes for a byte of the cache with `settings`, in the second half."""
    handles: dict[str, str | float] = {"ftl.streams.scheme": "host", "ftl.streams.handles": 2} if apart else {}
    drive = Drive("warp-ssd-a", set={**_MODEL, **settings, **handles})
    pages = int(drive.exported_bytes // drive.logical_page_bytes * used)
    spec = (
        f"flash-cache:pages={pages},small={small},small_writes={small_writes},region={_REGION},"
        f"volume_bytes={int(drive_writes * drive.exported_bytes)},stream=component"
    )
    # What a cache that takes up a part of the drive leaves was never written, or is trimmed.
    begin: Literal["fill", "none"] = "fill" if used == 1 else "none"
    report = drive.replay(Workload(spec), precondition=begin, no_time=True)
    # A trial is too short to have a second half.
    long_run = report["long_run"] or {"write_amplification": report.write_amplification}
    return float(long_run["write_amplification"])
