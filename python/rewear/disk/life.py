"""The life that is left to a disk, from one SMART log or several."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from rewear.advice.columns import life_text, terabytes, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.core.errors import RewearError, RewearWarning
from rewear.core.printable import printable
from rewear.disk import changes
from rewear.disk.log import DiskLog, read_logs
from rewear.disk.units_told import with_units
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_number
from rewear.sold.catalogue import Rated, rated_drives
from rewear.sold.classes import drive_classes
from rewear.twin.closed_forms import cyclic

USED_POINTS: Final = 1.0
"""The percentage used is a whole number, and no standard says how it is rounded: it is within a point either way."""
WARRANTY_YEARS: Final = 5.0
"""What data sheets promise."""
LEAST_HOURS: Final = 24.0
"""Two logs nearer than this give no rate: a host has a day and a night."""
LEAST_ERASES: Final = 10
"""Erases of a block between two logs from which on they tell a write amplification: they are whole numbers."""
_NEW = "no hour powered on yet"
_YEAR_HOURS: Final = 8766.0
_INNER = ("lines", "raw", "place")
"""Fields of a log that no answer has."""


@dataclass(frozen=True, slots=True)
class Other:
    """A class of drives on sale, in the capacity of the disk."""

    name: str
    """The class."""
    drive: str
    """The named drive that stands for it."""
    rated_bytes: float
    """Its rating, for this capacity."""
    rated: str
    """Who says so."""
    amplification: float
    """At most: uniform random writes over the whole drive."""
    years: float | None
    """Until the rating is reached by what the host writes."""
    by_cycles: Interval | None = None
    """Years until the fewest published P/E cycles at the most amplification are used, and the most cycles at none."""


@dataclass(frozen=True, slots=True)
class DiskLife:
    """One disk: what its logs say, and how long it lives."""

    logs: tuple[DiskLog, ...]
    """Those of one drive, the earliest first."""

    @property
    def last(self) -> DiskLog:
        """The latest log."""
        return self.logs[-1]

    @property
    def between_hours(self) -> float | None:
        """Hours from the first log to the last, by the clock if both have it; `None` where they are too near."""
        first, last = self.logs[0], self.last
        on = None if first.hours is None or last.hours is None else float(last.hours - first.hours)
        by_clock = None if first.time_s is None or last.time_s is None else (last.time_s - first.time_s) / 3600
        hours = on if by_clock is None else by_clock
        return hours if hours is not None and hours >= LEAST_HOURS else None

    @property
    def since_new(self) -> float | None:
        """Host bytes a day of power, on average since the drive was new."""
        last = self.last
        return None if last.host_bytes is None or not last.hours else last.host_bytes / last.hours * 24

    @property
    def recent(self) -> float | None:
        """Host bytes a day between the first log and the last."""
        hours, written = self.between_hours, self._written("host_bytes")
        return None if hours is None or written is None else written / hours * 24

    @property
    def a_day(self) -> float | None:
        """Host bytes a day: between the logs where two tell it, otherwise since the drive was new."""
        return self.since_new if self.recent is None else self.recent

    @property
    def amplification(self) -> float | None:
        """Bytes written to flash for a byte of the host, since the drive was new."""
        nand, host = self.last.nand_bytes, self.last.host_bytes
        return nand / host if nand is not None and host else None

    @property
    def recent_amplification(self) -> float | None:
        """The same between the first log and the last."""
        nand, host, erased = (self._written(each) for each in ("nand_bytes", "host_bytes", "erases"))
        if self.last.by_erases and (erased or 0) < LEAST_ERASES:
            return None
        return nand / host if nand is not None and host else None

    @property
    def mean_write_bytes(self) -> float | None:
        """Bytes of the host's mean write: between the logs where two tell it, otherwise since the drive was new."""
        host, commands = self._written("host_bytes"), self._written("write_commands")
        if not host or not commands:
            host, commands = self.last.host_bytes, self.last.write_commands
        return host / commands if host and commands else None

    def _written(self, counter: str) -> float | None:
        """The rise of a counter between the logs, where they are far enough apart."""
        first, last = getattr(self.logs[0], counter), getattr(self.last, counter)
        return None if self.between_hours is None or first is None or last is None else float(last - first)

    @property
    def years(self) -> Interval | None:
        """Years until the vendor's rated life is used up; endless where nothing wears. `None` where unknown.

        By the use so far, a point of percentage either way. Two logs turn it into the time at their rate; the interval
        then reaches to that at the average rate since the drive was new.
        """
        last, used = self.last, self.last.used
        if used is None or not last.hours:
            return None
        powered = last.hours / _YEAR_HOURS

        def left(points: float, speed: float) -> float:
            return math.inf if points <= 0 or speed <= 0 else max(0.0, 100 - points) / points * powered / speed

        recent, since = self.recent, self.since_new
        speed = recent / since if recent is not None and since else 1.0
        ends = [left(used + sign * USED_POINTS, each) for sign in (1, -1) for each in (speed, self._powered)]
        return Interval(left(used, speed), min(ends), max(ends))

    @property
    def _powered(self) -> float:
        """Hours powered on over hours of the clock between the logs; 1 where one log tells none."""
        hours, first, last = self.between_hours, self.logs[0].hours, self.last.hours
        if self.recent is None or hours is None or first is None or last is None:
            return 1.0
        return (last - first) / hours

    def lives_for(self, years: float) -> bool | None:
        """Whether it lives this long by the middle of the answer; `None` where nothing tells."""
        mine = self.years
        if mine is None:
            return None
        if self.last.used is not None and self.last.used < USED_POINTS:
            return True if mine.low >= years else None
        return mine.mean >= years

    @property
    def headline(self) -> str:
        """The answer in a line."""
        years = self.years
        if years is None:
            return f"Cannot say how long it lives: {self.last.used_from if self.last.used is None else self._unpowered}"
        if (self.last.used or 0) >= 100:
            return f"The rated life is used up ({self.last.used:g}%)"
        clock = ", in powered-on time" if self.recent is None else ""
        if self.last.used is not None and self.last.used < USED_POINTS and years.low <= MOST_YEARS:
            return f"At least {life_text(years.low)} by this use{clock}; {self.last.used:g}% used tells no more"
        if years.mean > MOST_YEARS:
            sure = "" if years.low > MOST_YEARS else f"; {life_text(years.low)} at least"
            return f"More than {MOST_YEARS:g} years by this use{clock}{sure}"
        middle, both = life_text(years.mean), years_range(years)
        return f"About {middle} left by this use{'' if both == middle else f' ({both})'}{clock}"

    @property
    def others(self) -> list[Other]:
        """Classes of drives on sale, at this disk's capacity."""
        capacity = self.last.capacity_bytes
        if capacity is None or capacity < 10**9:
            return []
        return [_other(each, capacity, self.a_day) for each in rated_drives() if each.beside]

    def facts(self) -> list[tuple[str, str]]:
        """Values of the logs, as labels and sentences."""
        last, years = self.last, self.years
        unknown = f"unknown: {last.host_from if last.host_bytes is None else self._unpowered}"
        daily = unknown if self.a_day is None else f"{terabytes(self.a_day)} ({self._rate()})"
        recent = self.recent_amplification
        between = "" if recent is None else f"{format_number(recent)} between the logs, "
        flash = (
            f"{between}{format_number(self.amplification)} since new (from {last.nand_from})"
            if self.amplification is not None
            else f"not told ({last.nand_from})" + self._amplifications()
        )
        found = [
            ("powered on", self._hours),
            ("host wrote", unknown if last.host_bytes is None else f"{terabytes(last.host_bytes)} ({last.host_from})"),
            ("a day", daily),
            ("write amplification", flash),
            (
                "rated life used",
                f"unknown: {last.used_from}" if last.used is None else f"{last.used:g}% ({last.used_from})",
            ),
        ]
        if (early := self._below_warranty()) is not None:
            found.append(("below a warranty", early))
        found += [("contradiction", sentence) for sentence in last.contradictions]
        if years is not None:
            spread = "" if self.recent is None else ", and the rate is between that of the logs and that since new"
            found.append(("interval", f"the percentage is a whole number, within a point either way{spread}"))
        return found

    @property
    def _unpowered(self) -> str:
        return _NEW if self.last.hours is not None else "the log has no power-on hours; give smartctl -x, too"

    @property
    def _hours(self) -> str:
        hours = self.last.hours
        return "unknown" if hours is None else f"{hours:,} hours, {format_number(hours / _YEAR_HOURS, 2)} years"

    def _below_warranty(self) -> str | None:
        """What used the rated life up, where all of it is shorter than a usual warranty."""
        years, last = self.years, self.last
        if years is None or not last.used or last.used < USED_POINTS or not last.hours:
            return None
        whole = last.hours / _YEAR_HOURS + years.mean
        if whole >= WARRANTY_YEARS:
            return None
        lasts = f"{life_text(whole)} in all, and drives are usually sold with {WARRANTY_YEARS:g} years of warranty"
        if last.host_bytes is None or not last.capacity_bytes:
            return f"{lasts}: this use wears the drive sooner than its vendor counts on"
        whole_bytes = last.host_bytes * 100 / last.used
        return (
            f"{lasts}: at 100% the host will have written {terabytes(whole_bytes)}, "
            f"{format_number(whole_bytes / last.capacity_bytes)} times the drive. Over the warranty that is "
            f"{terabytes(whole_bytes / WARRANTY_YEARS / 365.25)} a day; the host wrote "
            f"{terabytes(last.host_bytes / last.hours * 24)} a day of power"
        )

    def _rate(self) -> str:
        if self.recent is not None:
            new = self.since_new
            average = "" if new is None else f"; since new by power-on hours {terabytes(new)}"
            return f"between the logs, {format_number((self.between_hours or 0) / 24)} days{average}"
        near = f"; the logs are less than {LEAST_HOURS:g} hours apart" if len(self.logs) > 1 else ""
        return f"average of days powered on since new{near}"

    def _amplifications(self) -> str:
        most = [other.amplification for other in self.others]
        if not most:
            return "; capacity unknown, so no range by class"
        return f"; 1, in order, to {format_number(max(most), 2)}, random on a full drive, by class (Desnoyers 2014)"

    def changes(self) -> list[tuple[str, str]]:
        """Changes that would lengthen or shorten the life, in figures of this disk where its logs have them."""
        amplification = self.amplification if self.recent_amplification is None else self.recent_amplification
        return [
            ("more spare", changes.more_spare(amplification, self.years, self.last.part_in_use)),
            ("trim", changes.trim(self.last)),
            ("record size", changes.record_size(self.mean_write_bytes)),
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain data; endless years are `None`."""
        years = self.years
        return {
            "headline": self.headline,
            "logs": [{key: each for key, each in asdict(log).items() if key not in _INNER} for log in self.logs],
            "host_bytes_a_day": self.a_day,
            "write_amplification": self.amplification,
            "write_amplification_between_logs": self.recent_amplification,
            "mean_write_bytes": self.mean_write_bytes,
            "years": years and {key: _finite(getattr(years, key)) for key in ("mean", "low", "high")},
            "others": [asdict(other) for other in self.others],
        }


def _other(each: Rated, capacity: int, a_day: float | None) -> Other:
    """A class at a capacity, under a host that writes `a_day` bytes a day."""
    of, rated, factor = drive_classes()[each.drive_class], each.drive_writes * capacity, 1 + each.over_provisioning
    cache = of["ftl"].get("slc_cache", {})
    # A fixed cache is no spare space for cleaning.
    most = cyclic(factor * (1 - (cache["share"] if cache.get("scheme") == "static" else 0)))
    other = Other(each.beside or each.name, each.name, rated, each.source, most, None)
    if not a_day:
        return other
    a_year = a_day * 365.25
    low, high = (cycles * capacity * factor / a_year for cycles in of["flash"]["life"]["cycles_between"])
    by_cycles = Interval(math.sqrt(low / most * high), low / most, high)
    return replace(other, years=rated / a_year, by_cycles=by_cycles)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def life(paths: Sequence[str | Path], wrote: str | int | None = None) -> list[DiskLife]:
    """Estimate the life of each disk by its logs; model, serial number and size tell disks apart.

    Args:
        paths: Files of `smartctl -x` or `nvme smart-log`, as text or JSON, metrics of Prometheus, or folders of them.
            Logs without a serial number are taken to be of one disk.
        wrote: Bytes that the host wrote between two logs of one disk, as `10GiB`: they tell the unit of a counter
            that has none.

    Raises:
        RewearError: A log is broken or is no flash drive's, or two logs contradict each other.
    """
    disks: dict[tuple[object, ...], list[DiskLog]] = {}
    for log in read_logs(paths):
        who = (log.model, log.serial, log.capacity_bytes, None if log.serial else log.place)
        disks.setdefault(who, []).append(log)
    models: dict[str, set[str]] = {}
    for log in (logs[0] for logs in disks.values()):
        if log.serial is not None:
            models.setdefault(log.serial, set()).add(log.model or "a drive without a name")
    for serial, several in models.items():
        if len(several) > 1:
            names = ", ".join(sorted(several))
            said = f"The serial number {printable(serial)} is that of {len(several)} models: {names}"
            warnings.warn(f"{said}. Each is taken for a disk of its own.", RewearWarning, stacklevel=2)
    for logs in disks.values():
        for earlier, later in pairwise(logs):
            _check(earlier, later)
    if wrote is None:
        return [DiskLife(tuple(logs)) for logs in disks.values()]
    return [DiskLife(with_units(logs, wrote)) for logs in disks.values()]


def _check(earlier: DiskLog, later: DiskLog) -> None:
    """Refuses logs that contradict each other. `earlier` has no more power-on hours than `later`."""

    def both(key: str) -> str:
        return f"{earlier.lines.get(key, earlier.path)} and {later.lines.get(key, later.path)} contradict each other"

    for name, key in (
        ("host bytes", "host_bytes"),
        ("bytes written to flash", "nand_bytes"),
        ("percentage used", "used"),
        ("time of the log", "time_s"),
    ):
        before, after = getattr(earlier, key), getattr(later, key)
        if before is not None and after is not None and after < before:
            raise RewearError(
                f"{both(key)}: with {earlier.hours or 0:,} and {later.hours or 0:,} power-on hours the {name} went "
                f"back from {before:,} to {after:,}. Give logs of one drive that was not reset; ask of each drive "
                "alone where serial numbers were taken out."
            )
    if earlier.time_s is not None and later.time_s is not None and later.hours is not None:
        passed = (later.time_s - earlier.time_s) / 3600
        on = 0 if earlier.hours is None else later.hours - earlier.hours
        if on > passed + 2:
            raise RewearError(
                f"{both('hours')}: {on:,} power-on hours passed in {format_number(passed)} hours of the clock, as "
                f"{earlier.lines['time_s']} and {later.lines['time_s']} have it. Correct or remove local_time in both; "
                "without it, time is counted in power-on hours."
            )
