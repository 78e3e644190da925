"""Expectations of a drive of which nothing has been measured."""

from collections.abc import Iterator
from dataclasses import dataclass

from rewear.core.bench import Say, replays
from rewear.core.drive import Drive, drives
from rewear.core.errors import ConfigurationError
from rewear.twin.model import nameplate_bytes, task, written
from rewear.twin.points import Point


@dataclass(frozen=True, slots=True)
class Range:
    """Write amplification of the drives behind the twins, if they exported this capacity."""

    low: float
    high: float
    by_twin: dict[str, float]
    """Write amplification by twin: its policy, and its flash in the proportion to its nameplate."""


def expect(point: Point, progress: Say | None = None, seed: int | None = None) -> Range:
    """The range of write amplification of a drive without points, under the workload and over the fill of `point`.

    Twins differ in which part of the nameplate's flash holds data and in what they do with it. Each twin that comes
    along gives one answer. The range holds what was seen, on as many drives as there are twins; it is no confidence
    interval.

    Raises:
        ConfigurationError: The workload does not exist, or no twin could export so much.
    """
    flash = nameplate_bytes(point.capacity_bytes)
    known = {}
    for twin in _twins():
        about = twin.configuration["product"]
        part = about["flash_bytes"] / nameplate_bytes(about["capacity_bytes"])
        spare = flash * part / point.capacity_bytes - 1.0
        if spare > 0.0:
            known[twin.name] = twin.with_settings({"ftl.over_provisioning": spare, **point.settings})
    if not known:
        raise ConfigurationError("No twin has enough flash beyond its nameplate to export so much.")
    reports = replays([task(drive, point, seed) for drive in known.values()], progress=progress)
    found = {name: written(report) for name, report in zip(known, reports, strict=True)}
    return Range(min(found.values()), max(found.values()), found)


def _twins() -> Iterator[Drive]:
    return (drive for drive in map(Drive, drives()) if drive.configuration.get("twin"))
