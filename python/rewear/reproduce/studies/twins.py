"""Published measurements of real drives, and closed forms, beside what the model says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rewear.bundled import bundled
from rewear.drive import Drive
from rewear.errors import ConfigurationError
from rewear.placement_bound import bound
from rewear.twin import read_points, simulated
from rewear.twin.closed_forms import two_zones
from rewear.units import format_bytes
from rewear.workload import Workload

__all__ = ["flash_cache", "flash_cache_amplification", "known_future", "measured_points", "optimum_of_two_zones"]

_DRIVE_WRITES = 24
# Regions of 16 MiB are small beside the reclaim units of real drives, of gigabytes. A twin's units have 1 MiB.
_REGION = "64KiB"


def optimum_of_two_zones(fill: float, zones: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The least write amplification of two zones that share the spare flash, by label.

    Args:
        fill: Part of the flash that the host fills.
        zones: Label -> the part p of the pages that gets 1 - p of the writes.
    """
    found = {label: two_zones(part, 1 - part, 1 / fill) for label, part in zones.items()}
    return {"write_amplification": found}


def measured_points(twin: str, drive: str) -> dict[str, dict[str, float]]:
    """What a twin writes where `experiments/twins/points.csv` has a measurement of `drive`, by workload and fill."""
    found = {}
    points = read_points(_folder() / "points.csv", only=drive)
    for prediction in simulated(Drive(twin), points):
        if prediction.expected is not None:
            point = prediction.point
            found[f"{point.workload} {format_bytes(point.fill_bytes)}"] = prediction.expected
    return {"write_amplification": found}


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
    """What a drive with so much spare flash writes under a flash cache, by label of the points.

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
    """What the preset `warp-ssd-a` with `settings` writes for a byte of the cache, in the second half of the run."""
    handles: dict[str, str | float] = {"ftl.streams.scheme": "host", "ftl.streams.handles": 2} if apart else {}
    drive = Drive("warp-ssd-a", set={**settings, **handles})
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
