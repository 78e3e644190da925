"""Drives on sale, at the requested capacity."""

import math
from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.plan import Plan
from rewear.advice.rivals import Rival
from rewear.advice.row import Row
from rewear.advice.sizing import OPEN_UNITS, UNITS, Sized, sold_drive
from rewear.core.drive import Drive
from rewear.core.report import Report
from rewear.core.toml_text import merged, to_toml
from rewear.sold.catalogue import Rated, sold_classes
from rewear.sold.classes import class_tables

_RESPONDING_BYTES = 4 * 1024**3
"""Capacity at least of a drive that tells response times."""
_FIXED_CACHE = 32
"""Times as large a cache of a fixed size is in it as its share of such a drive, and its capacity twice as large.

A burst is as large on a drive of any size, so a cache that is 256 times too small is soon full. This leaves an eighth
of that of a drive of 1 TB, 1.5 GB. What lies behind the cache need not be as large: what the cache has no room for is
written at the rate of the dies.
"""
_ROUNDED = 1.01
"""Times as large, since blocks are whole pages."""
_SETTLED = 0.02
"""Change of the flash erased for a byte written, from a quarter of a run to the next, at which a replay is steady."""
QUEUE_DEPTH = 8
"""Requests in flight where a recording has no times, or a drive does not keep up with them."""
_FALLS = math.sqrt(0.5)
"""What is left of a change of the life when the number of units doubles once more."""
_TO_COME = 1 / (math.sqrt(2) - 1)
"""All further changes over the last one, if each is a root of two smaller than the one before."""


@dataclass(frozen=True, slots=True)
class Class:
    """A class of drives on sale."""

    rival: Rival
    preset: dict[str, Any]
    """The tables of a drive of the requested capacity."""
    rated: Rated | None
    """The named drive whose rating stands for the class."""
    late: bool = False
    """Whether it does not follow the recording."""

    @property
    def page_bytes(self) -> int:
        """What its map has, in bytes."""
        return int(self.preset["flash"]["page_bytes"])

    @property
    def units(self) -> float:
        """Erase units of the whole drive."""
        return float(self.preset["flash"]["blocks_per_plane"])

    @property
    def how(self) -> dict[str, Any]:
        """How its wear is replayed: without times, unless it works while the host is idle.

        Where it does not follow it is never idle, and requests that pile up would take hours to replay: each read that
        overtakes a queue moves all of it. So a few are in flight.
        """
        if not self.caches:
            return {"no_time": True}
        return {"arrival": "closed", "queue_depth": QUEUE_DEPTH} if self.late else {}

    @property
    def caches(self) -> bool:
        """Whether it has a cache of cells with one bit each."""
        return "slc_cache" in self.preset["ftl"]

    @property
    def spare(self) -> float:
        """Flash beyond what is exported, over what is exported."""
        return float(self.preset["ftl"]["over_provisioning"])

    @property
    def fixed_cache(self) -> float:
        """Part of the flash that is always in the cache, and so is no spare space for cleaning."""
        cache = self.preset["ftl"].get("slc_cache", {})
        return float(cache["share"]) if cache.get("scheme") == "static" else 0.0

    def responding(self, least_bytes: int, size: float = 1.0) -> Drive:
        """The drive that answers at the recorded times: all dies and the whole write buffer of the real one.

        A burst of the host is as large on a drive of any size. A cache of cells with one bit each is as much smaller
        as the model is, which exports `least_bytes` at least, and one of a fixed size `_FIXED_CACHE` times less so. A
        model `size` times as large shows what its size does.
        """
        name, capacity = str(self.preset["name"]), int(self.preset["product"]["capacity_bytes"])
        share = self.fixed_cache
        exported = max(min(size * _RESPONDING_BYTES * (2 if share else 1), capacity), least_bytes) * _ROUNDED
        flash = exported * (1 + self.spare)
        # Of a drive as large as the cache is, which cannot have more than the whole one.
        cache = share * (1 + self.spare) * min(max(size * _RESPONDING_BYTES * _FIXED_CACHE, exported), capacity)
        flash += cache - share * flash
        tables = class_tables(name, capacity, over_provisioning=self.spare, model_flash_bytes=round(flash))
        if share:
            smaller = {"over_provisioning": flash / exported - 1, "slc_cache": {"share": cache / flash}}
            tables = merged(tables, {"ftl": smaller})
        return Drive.from_toml(to_toml(tables), name)

    def sized(self, plan: Plan, settings: dict[str, Any] | None = None, units: int = UNITS) -> Sized:
        """The drive that is replayed, with further settings."""
        rival = replace(self.rival, set=merged(self.rival.set, settings or {}))
        return sold_drive(rival, self.preset, plan.exported_bytes, units)


def classes(capacity: int, cycles: int | None = None) -> list[Class]:
    """The classes of the catalogue at a capacity; with `cycles` their blocks endure these, whatever is published."""
    found = []
    for sold in sold_classes():
        if capacity < sold.least_bytes:
            continue
        tables = class_tables(sold.preset, capacity, over_provisioning=sold.spare, cycles=cycles)
        about = "" if sold.rated is None else f"{sold.rated.name} ({sold.rated.source})"
        found.append(Class(Rival(sold.label, "plain", "sold", {}, about), tables, sold.rated))
    return found


def row_of(
    each: Class,
    sized: Sized,
    report: Report,
    plan: Plan,
    rate: float | None,
    other: Report | None = None,
    response: Report | None = None,
) -> Row:
    """A drive of the answer. By `other`, the report of a drive with half as many units, its life is carried on."""
    row = Row(
        each.rival, sized, report, plan.capacity_bytes * (1 + each.spare), rate,
        rated_bytes=None if each.rated is None else each.rated.drive_writes * plan.capacity_bytes, response=response,
    )  # fmt: skip
    if other is None:
        return replace(row, error=_unsettled(row))
    fewer = replace(row, report=other)
    doublings = math.log2(max(1.0, each.units / _units(sized)))
    carried = _carried(row.replayed_tbw, fewer.replayed_tbw, doublings)
    return replace(row, carried=carried, error=min(0.9, abs(carried - 1) / carried + _unsettled(row)))


def _units(sized: Sized) -> float:
    """Erase units of a replayed drive without those that stand for its open ones."""
    return float(sized.drive.configuration["flash"]["blocks_per_plane"]) - OPEN_UNITS


def _carried(life: float, with_half: float, doublings: float) -> float:
    """The life with 2 ** `doublings` times as many units over that of the replayed drive.

    What chance does to units falls with the root of their number, so each doubling changes the life by 1 / sqrt(2) of
    what the one before changed. The sum of this series is carried on, and the answer's error is as large: the life lies
    between no further change and twice as much.

    Args:
        life: Bytes until the replayed drive dies.
        with_half: The same with half as many units.
        doublings: How often the units double up to the whole drive.
    """
    if not life or not with_half:
        return 1.0
    series = _FALLS * (1 - math.pow(_FALLS, doublings)) / (1 - _FALLS)
    return min(2.0, max(0.5, 1 + (life / with_half - 1) * series))


def _unsettled(row: Row) -> float:
    """Part of the life by which the replay may be off, since it ended.

    A run ends once its drift is below `_SETTLED`, so it is off by that at least. What changed when it became twice as
    long falls at least by the root of two with each further doubling, so all that is still to come is at most 2.4 times
    as much (`crates/sim/src/long_run.rs`).
    """
    long_run = row.report.long_run or {}
    drift, change = (abs(float(long_run.get(key) or 0.0)) for key in ("drift", "change"))
    return max(_SETTLED, drift, _TO_COME * change)
