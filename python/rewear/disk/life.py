"""The life that is left to a disk, from one SMART log or several."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from rewear.advice.columns import life_text, terabytes, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.advice.sold import Class, classes
from rewear.disk.log import DiskLog, read_logs
from rewear.errors import RewearError
from rewear.twin.closed_forms import cyclic
from rewear.uncertainty import Interval
from rewear.units import format_number

__all__ = ["DiskLife", "Other", "life"]

USED_POINTS: Final = 1.0
"""The percentage used is a whole number, and no standard says how it is rounded: it is within a point either way."""
LEAST_HOURS: Final = 24.0
"""Two logs nearer than this give no rate: a host has a day and a night."""
_YEAR_HOURS: Final = 8766.0


@dataclass(frozen=True, slots=True)
class Other:
    """A class of drives on sale, of the same capacity."""

    name: str
    rated_bytes: float | None
    """For which named drives are rated; `None` where no rating is known."""
    rated: str
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
        on = float(last.hours - first.hours)
        by_clock = None if first.time_s is None or last.time_s is None else (last.time_s - first.time_s) / 3600
        hours = on if by_clock is None else by_clock
        return hours if hours >= LEAST_HOURS else None

    @property
    def since_new(self) -> float | None:
        """Host bytes a day of power, on average since the drive was new."""
        last = self.last
        return None if last.host_bytes is None or not last.hours else last.host_bytes / last.hours * 24

    @property
    def recent(self) -> float | None:
        """Host bytes a day between the first log and the last."""
        first, last, hours = self.logs[0], self.last, self.between_hours
        if hours is None or first.host_bytes is None or last.host_bytes is None:
            return None
        return (last.host_bytes - first.host_bytes) / hours * 24

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
    def years(self) -> Interval | None:
        """Years until the vendor's rated life is used up; endless where nothing wears. `None` where unknown.

        By the use so far, a point of percentage either way. Two logs turn it into the time at their rate; the interval
        then reaches to that at the average rate since the drive was new.
        """
        last, used = self.last, self.last.used
        if used is None or not last.hours:
            return None

        def left(points: float, speed: float) -> float:
            if points <= 0 or speed <= 0:
                return math.inf
            return max(0.0, 100 - points) / points * last.hours / _YEAR_HOURS / speed

        recent, since = self.recent, self.since_new
        speed = recent / since if recent is not None and since else 1.0
        ends = [left(used + sign * USED_POINTS, each) for sign in (1, -1) for each in (speed, self._powered)]
        return Interval(left(used, speed), min(ends), max(ends))

    @property
    def _powered(self) -> float:
        """Hours powered on over hours of the clock between the logs; 1 where one log tells none."""
        hours = self.between_hours if self.recent is not None else None
        return 1.0 if hours is None else (self.last.hours - self.logs[0].hours) / hours

    @property
    def headline(self) -> str:
        """The answer in a line."""
        years = self.years
        if years is None:
            return f"Cannot say how long it lives: {self.last.used_from}"
        if (self.last.used or 0) >= 100:
            return f"The rated life is used up ({self.last.used}%)"
        if self.last.used == 0 and years.low <= MOST_YEARS:
            return f"At least {life_text(years.low)} by this use; 0% used tells no more"
        if years.mean > MOST_YEARS:
            sure = "" if years.low > MOST_YEARS else f"; {life_text(years.low)} at least"
            return f"More than {MOST_YEARS:g} years by this use{sure}"
        middle, both = life_text(years.mean), years_range(years)
        return f"About {middle} left by this use{'' if both == middle else f' ({both})'}"

    @property
    def others(self) -> list[Other]:
        """Classes of drives on sale, at this disk's capacity."""
        capacity = self.last.capacity_bytes
        if capacity is None or capacity < 10**9:
            return []
        return [_other(each, capacity, self.a_day) for each in classes(capacity)]

    def facts(self) -> list[tuple[str, str]]:
        """What the logs say, as labels and sentences."""
        last, years = self.last, self.years
        unknown = f"unknown: {last.host_from}"
        daily = unknown if self.a_day is None else f"{terabytes(self.a_day)} ({self._rate()})"
        flash = (
            f"{format_number(self.amplification)} since new (from {last.nand_from})"
            if self.amplification is not None
            else f"not told ({last.nand_from})" + self._amplifications()
        )
        found = [
            ("powered on", f"{last.hours:,} hours, {format_number(last.hours / _YEAR_HOURS, 2)} years"),
            ("host wrote", unknown if last.host_bytes is None else f"{terabytes(last.host_bytes)} ({last.host_from})"),
            ("a day", daily),
            ("write amplification", flash),
            (
                "rated life used",
                f"unknown: {last.used_from}" if last.used is None else f"{last.used}% ({last.used_from})",
            ),
        ]
        if years is not None:
            spread = "" if self.recent is None else ", and the rate is between that of the logs and that since new"
            found.append(("interval", f"the percentage is a whole number, within a point either way{spread}"))
        return found

    def _rate(self) -> str:
        if self.recent is not None:
            return (
                f"between the logs, {format_number((self.between_hours or 0) / 24)} days; since new by power-on hours "
                f"{terabytes(self.since_new or 0)}"
            )
        near = f"; the logs are less than {LEAST_HOURS:g} hours apart" if len(self.logs) > 1 else ""
        return f"average of days powered on since new{near}"

    def _amplifications(self) -> str:
        most = [other.amplification for other in self.others]
        if not most:
            return "; capacity unknown, so no range by class"
        return f"; 1, in order, to {format_number(max(most), 2)}, random on a full drive, by class (Desnoyers 2014)"

    def changes(self) -> list[tuple[str, str]]:
        """What would change the life."""
        return [
            ("more spare", self._spare()),
            (
                "trim",
                "Mount with discard, or run fstrim weekly: what is deleted and not trimmed is moved as if in use.",
            ),
            (
                "record size",
                "Write whole pages of 4 KiB, aligned: a smaller write costs a page. The log does not tell sizes.",
            ),
        ]

    def _spare(self) -> str:
        before, after = ((cyclic(factor, 0)) for factor in (1.07, 1.07 / 0.9))
        return (
            f"A tenth of the drive left free, and trimmed, cuts the write amplification of random writes over a full "
            f"client drive from {format_number(before, 2)} to {format_number(after, 2)}; writes in order gain nothing."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data; endless years are `None`."""
        years = self.years
        return {
            "headline": self.headline,
            "logs": [asdict(log) for log in self.logs],
            "host_bytes_a_day": self.a_day,
            "write_amplification": self.amplification,
            "years": years and {key: _finite(getattr(years, key)) for key in ("mean", "low", "high")},
            "others": [asdict(other) for other in self.others],
        }


def _other(each: Class, capacity: int, a_day: float | None) -> Other:
    """A class at a capacity, under a host that writes `a_day` bytes a day."""
    rated = None if each.rated_writes is None else each.rated_writes * capacity
    most = cyclic((1 + each.spare) * (1 - each.fixed_cache), 0)
    if not a_day:
        return Other(each.rival.label, rated, each.rival.source, most, None)
    a_year = a_day * 365.25
    least_cycles, most_cycles = each.preset["flash"]["life"]["cycles_between"]
    flash = capacity * (1 + each.spare) / a_year
    low, high = least_cycles * flash / most, most_cycles * flash
    years = None if rated is None else rated / a_year
    return Other(each.rival.label, rated, each.rival.source, most, years, Interval(math.sqrt(low * high), low, high))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def life(paths: Sequence[str | Path]) -> list[DiskLife]:
    """How long each disk lives of which there are logs; logs of one serial number are of one disk.

    Args:
        paths: Files of `smartctl -j -x` or `nvme smart-log -o json`, or folders of them. Logs without a serial number
            are taken to be of one disk.

    Raises:
        RewearError: A log is broken or is no flash drive's, or two logs contradict each other.
    """
    disks: dict[tuple[str | None, str | None], list[DiskLog]] = {}
    for log in read_logs(paths):
        disks.setdefault((log.model, log.serial), []).append(log)
    for logs in disks.values():
        for earlier, later in pairwise(logs):
            _check(earlier, later)
    return [DiskLife(tuple(logs)) for logs in disks.values()]


def _check(earlier: DiskLog, later: DiskLog) -> None:
    """Refuses logs that contradict each other. `earlier` has no more power-on hours than `later`."""
    both = f"{earlier.path} and {later.path}"
    for name, before, after in (
        ("host bytes", earlier.host_bytes, later.host_bytes),
        ("bytes written to flash", earlier.nand_bytes, later.nand_bytes),
        ("percentage used", earlier.used, later.used),
        ("time of the log", earlier.time_s, later.time_s),
    ):
        if before is not None and after is not None and after < before:
            raise RewearError(
                f"{both} contradict each other: with {earlier.hours:,} and {later.hours:,} power-on hours the {name} "
                f"went back from {before:,} to {after:,}. Give logs of one drive that was not reset."
            )
    if earlier.time_s is not None and later.time_s is not None:
        passed, on = (later.time_s - earlier.time_s) / 3600, later.hours - earlier.hours
        if on > passed + 2:
            raise RewearError(
                f"{both} contradict each other: {on:,} power-on hours passed in {format_number(passed)} hours of the "
                "clock. Correct or remove local_time in both; without it, time is counted in power-on hours."
            )
