"""Drives as they are sold, at the capacity that is asked about: what one can buy."""

from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.plan import Plan
from rewear.advice.rivals import Rival
from rewear.advice.row import Row
from rewear.advice.sizing import UNITS, Sized, sold_drive
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


@dataclass(frozen=True, slots=True)
class Class:
    """A class of drives on sale."""

    rival: Rival
    preset: dict[str, Any]
    """The tables of a drive of the capacity that is asked about."""
    rated: Rated | None
    """The named drive whose rating stands for the class."""

    @property
    def page_bytes(self) -> int:
        """What its map has, in bytes."""
        return int(self.preset["flash"]["page_bytes"])

    @property
    def how(self) -> dict[str, Any]:
        """How its wear is replayed: without times, unless it works while the host is idle."""
        return {} if self.caches else {"no_time": True}

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
    """A drive of the answer. `other` is the report of a drive with half as many units."""
    row = Row(
        each.rival, sized, report, plan.capacity_bytes * (1 + each.spare), rate,
        rated_bytes=None if each.rated is None else each.rated.drive_writes * plan.capacity_bytes, response=response,
    )  # fmt: skip
    return replace(row, error=_error(row, None if other is None else replace(row, report=other)))


def _error(row: Row, fewer: Row | None) -> float:
    """Part by which the life may be off.

    The error of a small drive halves as its units double, so what half as many units change is about what is left. It
    is the change of the life and not of the flash erased: a life may end with the cache, or with the most worn units.
    A run ends once its drift is below `_SETTLED`, so it is off by that at least, and by its drift where that is more.
    """
    life, other = row.tbw, None if fewer is None else fewer.tbw
    size = abs(other.mean / life.mean - 1) if life is not None and other is not None else 0.0
    drift = float((row.report.long_run or {}).get("drift") or 0.0)
    return min(0.9, size + max(_SETTLED, abs(drift)))
