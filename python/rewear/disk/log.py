"""SMART logs: the values of a log that a life is told by, whatever tool wrote it and in whatever form."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from rewear.core.errors import RewearError, RewearWarning
from rewear.disk.contradictions import (
    Held,
    bytes_differ,
    doubts,
    falling_value_refused,
    host_bytes_refused,
    percentages_differ,
    too_little,
)
from rewear.disk.counters import (
    FALLING,
    HOST,
    erases,
    guessed_used,
    host_bytes,
    is_named,
    is_worn_by_words,
    nand_per_host,
    raw_counts,
    used_percent,
    worn_by_words,
)
from rewear.disk.counts import whole_count
from rewear.disk.documents import HEALTH, INTEL, OCP, REMEDY, Document, documents

_NVME_UNIT_BYTES = 512_000
"""A data unit: a thousand times 512 bytes (NVM Express Base Specification, SMART / Health Information)."""
_MOST_BYTES_PER_HOUR = 3600 * 64 * 10**9
"""Sixteen lanes of PCI Express 5.0."""
_INTEL_UNIT_BYTES = 2**25
ERASED = " erases of the capacity"
_SINCE_BOOT = "node_disk_written_bytes_total"
"""Of node_exporter: what was written since the machine started."""


@dataclass(frozen=True, slots=True)
class DiskLog:
    """Values of a log; `None` where it has none."""

    path: str
    model: str | None
    serial: str | None
    capacity_bytes: int | None
    time_s: int | None
    """When it was written, of the machine's clock, in seconds since 1970."""
    hours: int | None
    """Hours powered on; `None` of a page that has none."""
    host_bytes: int | None
    """Written by the host since the drive was new."""
    host_from: str
    """The counter behind it, or why there is none."""
    nand_bytes: float | None
    """Written to flash since the drive was new."""
    nand_from: str
    used: float | None
    """Percentage of the vendor's rated life that is used: a whole number, but for drives that say hundredths."""
    used_from: str
    write_commands: int | None = None
    """Of the host, since the drive was new."""
    in_use_bytes: int | None = None
    """Bytes that the drive counts as in use: written and not trimmed since."""
    namespace_bytes: int | None = None
    """Total namespace bytes."""
    takes_trim: bool | None = None
    """Where a SATA drive says so."""
    contradictions: tuple[str, ...] = ()
    """Values of the log that contradict each other, a sentence each."""
    erases: int | None = None
    """Of a block on average, where an attribute counts them."""
    place: str = ""
    """Where in its file the log stands, if nothing else tells it from the file's others."""
    raw: Mapping[str, int] = field(default_factory=dict)
    """Raw values of the attributes, and counters of other pages, by name."""
    lines: Mapping[str, str] = field(default_factory=dict)
    """File and line of `hours`, `host_bytes`, `nand_bytes`, `used` and `time_s`."""

    @property
    def by_erases(self) -> bool:
        """Whether the bytes to flash are erases times the capacity."""
        return self.nand_from.endswith(ERASED)

    @property
    def part_in_use(self) -> float | None:
        """Part of the namespaces that the drive counts as in use, if it counts: 1 where it may not."""
        used, size = self.in_use_bytes, self.namespace_bytes
        return None if not used or not size else min(1.0, used / size)


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of counters without power-on hours: of the Open Compute Project, or Intel's."""

    path: Path
    nand_bytes: float
    told: str
    at: str
    """File and line."""
    alone: DiskLog | None
    """What it says without a log beside it."""


class _HardDiskError(RewearError):
    """A log of a disk without flash."""


def read_logs(paths: Sequence[str | Path]) -> list[DiskLog]:
    """The logs of files and of folders, in the order of their power-on hours.

    A file may hold several. In a folder, hard disks and files that are no logs are left out, with a warning. A page of
    counters goes to the log beside it.

    Raises:
        RewearError: A file has no log of a flash drive; the message has file, line and remedy.
    """
    read: list[DiskLog | _Page] = []
    for path in map(Path, paths):
        read += _of_folder(path) if path.is_dir() else _read(path)
    logs = [each for each in read if isinstance(each, DiskLog)]
    for page in read:
        if isinstance(page, _Page):
            _add(page, logs)
    return sorted(logs, key=lambda log: (log.hours or 0, log.time_s or 0))


_SUFFIXES = (".json", ".jsonl", ".ndjson", ".txt", ".log", ".prom", ".smart", "")


def _of_folder(folder: Path) -> list[DiskLog | _Page]:
    files = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _SUFFIXES and not path.is_dir()]
    if not files:
        raise RewearError(f"{folder}: no file in it ends in {', '.join(_SUFFIXES[:-1])}. {REMEDY}.")
    read: list[DiskLog | _Page] = []
    for path in files:
        if not path.is_file():
            # A pipe would wait for somebody to write.
            warnings.warn(f"{path} is no regular file, and is left out.", RewearWarning, stacklevel=4)
            continue
        try:
            read += _read(path)
        except RewearError as error:
            if not isinstance(error, _HardDiskError) and path.suffix == ".json":
                raise
            warnings.warn(f"{error} The other logs of the folder are read.", RewearWarning, stacklevel=4)
    if not read:
        raise RewearError(
            f"{folder}: all of its logs are of hard disks, which have no erases to wear out, or no files. {REMEDY}."
        )
    return read


def _add(page: _Page, logs: list[DiskLog]) -> None:
    """Gives a page to its log: the only one, or that of the same name without `ocp` or `intel`."""
    beside = [log for log in logs if _name(Path(log.path)) == _name(page.path)] or (logs if len(logs) == 1 else [])
    if len(beside) != 1:
        if page.alone is not None and not beside:
            logs.append(page.alone)
            return
        raise RewearError(
            f"{page.path}, line 1: an OCP page, which names neither drive nor time, and no one log is beside it. "
            "Name it as its log: monday-ocp.json for monday.json."
        )
    log = beside[0]
    lines = {**log.lines, "nand_bytes": page.at}
    logs[logs.index(log)] = replace(log, nand_bytes=page.nand_bytes, nand_from=page.told, lines=lines)


def _name(path: Path) -> tuple[Path, str]:
    """Folder and name of a file, without `ocp`, `intel` and what divides words."""
    return path.parent, re.sub("ocp|intel|[^a-z0-9]", "", path.stem.lower())


def _read(path: Path) -> list[DiskLog | _Page]:
    """The logs of one file, and its pages of counters.

    Raises:
        RewearError: It has none.
    """
    return [_Reader(document).read() for document in documents(path)]


def _rows(table: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The tables in a list; none where there is no list."""
    rows = table.get(key)
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _is_valid(row: Mapping[str, Any]) -> bool:
    """Whether a device statistic is flagged as valid, or not flagged."""
    flags = row.get("flags")
    return not isinstance(flags, Mapping) or flags.get("valid") is not False


class _Reader:
    """One log; knows the lines of its keys."""

    def __init__(self, document: Document) -> None:
        self.document, self.path, self.tables = document, document.path, document.tables

    def at(self, key: str) -> str:
        """File and line of a key, or of a text; the first line where it is not."""
        return self.document.at(key)

    def read(self) -> "DiskLog | _Page":
        """The log, or its page of counters where it has nothing else."""
        nand = self.ocp()
        if nand is None or self.has_health() or self.tables.keys() & {"power_on_hours", "power_on_time"}:
            return self.log()
        told = f"{nand[1]}, {self.path.name}"
        # An OCP page says nothing of the host.
        alone = self.log() if self._intel(1) is not None else None
        return _Page(self.path, nand[0], told, self.at(nand[2]), alone)

    def refuse(self, key: str, problem: str, error: type[RewearError] = RewearError) -> NoReturn:
        raise error(f"{self.at(key)}: {problem}")

    def table(self, *keys: str) -> Mapping[str, Any]:
        found: Any = self.tables
        for key in keys:
            found = found.get(key, {})
            if not isinstance(found, Mapping):
                self.refuse(key, f"{key} is no table. {REMEDY}.")
        return dict(found)

    def number(self, table: Mapping[str, Any], key: str, most: int = 2**128) -> int | None:
        """A count; 128-bit numbers may be written as texts, and their digits be grouped."""
        value = table.get(key)
        if isinstance(value, str) and (grouped := whole_count(value)) is not None:
            value = grouped
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0 or not 0 <= value <= most:
            self.refuse(key, f"{key} is {str(value)[:40]!r}, not a count. Write the log anew. {REMEDY}.")
        return int(value)

    def log(self) -> DiskLog:
        tables = self.tables
        rotation = self.number(tables, "rotation_rate")
        names = {
            each["name"]: each
            for each in _rows(self.table("ata_smart_attributes"), "table")
            if isinstance(each.get("name"), str)
        }
        if rotation or "Spin_Up_Time" in names:
            speed = f" of {rotation:,} revolutions a minute" if rotation else ""
            problem = f"a hard disk{speed}, not flash: it has no erases to wear out. Leave it out."
            self.refuse("rotation_rate", problem, _HardDiskError)
        health = self.health()
        hours, hours_key = self.number(health, "power_on_hours", 10**7), "power_on_hours"
        by_smartctl = self.number(self.table("power_on_time"), "hours", 10**7)
        if hours is None:
            hours, hours_key = by_smartctl, "hours"
        elif by_smartctl is not None and abs(hours - by_smartctl) > 1:
            self.refuse(
                "power_on_hours", f"power_on_hours is {hours:,}, and {self.at('hours')} has {by_smartctl:,}. {REMEDY}."
            )
        if hours is None and not self._has_bytes():
            said = self.table("smartctl").get("messages") or [{}]
            why = said[0].get("string") if isinstance(said, list) and isinstance(said[0], dict) else None
            self.refuse("smartctl", f"no SMART values, not even power-on hours{f' ({why})' if why else ''}. {REMEDY}.")
        capacity = self._capacity()
        host, used = self._host(health, names), self._used(health, names)
        if hours is not None and host[0] is not None and host[0] > (hours + 1) * _MOST_BYTES_PER_HOUR:
            key = host[1].rpartition(", ")[2]
            self.refuse(key, f"{host[0]:.3g} bytes in {hours:,} hours are more than any interface carries. {REMEDY}.")
        nand = self._nand(names, host[0])
        worn = erases(names) if self._known(names) else None
        held = Held(capacity, *used, *host, nand[0], worn)
        if used[1] in FALLING and (why := falling_value_refused(held)) is not None:
            used = None, why
            held = replace(held, used=None)
        contradictions = doubts(held)
        if (why := host_bytes_refused(held)) is not None:
            # The unit of a standard counter is known; it is the vendor's that may be another.
            if host[1] in HOST:
                host = None, why
                nand = self._nand(names, None)
                contradictions = doubts(replace(held, host_bytes=None, nand_bytes=nand[0]))
            else:
                contradictions.append(why)
        if (why := too_little(nand, host[0])) is not None:
            nand = None, why
        if nand[0] is None and worn is not None and capacity and host[0]:
            nand = float(worn[0] * capacity), f"{worn[1]}, {worn[0]:,}{ERASED}"
        namespaces = _rows(tables, "nvme_namespaces")
        keys = {"hours": hours_key, "host_bytes": host[1], "nand_bytes": nand[1], "used": used[1], "time_s": "time_t"}
        return DiskLog(
            str(self.path), self._word("model_name"), self._word("serial_number"),
            capacity, self.number(self.table("local_time"), "time_t", 10**11), hours, *host, *nand, *used,
            self._commands(health), self._sum(namespaces, "utilization"), self._sum(namespaces, "size"),
            self._takes_trim(health), tuple(contradictions), worn and worn[0], self.document.place,
            raw_counts(names),
            {name: self.at(key.rpartition(", ")[2]) for name, key in keys.items()},
        )  # fmt: skip

    def _capacity(self) -> int | None:
        by_smartctl = self.number(self.table("user_capacity"), "bytes")
        return by_smartctl or self.number(self.tables, "nvme_total_capacity") or None

    def health(self) -> Mapping[str, Any]:
        """The table of NVMe, where `smartctl` and `nvme` write it."""
        own = {"data_units_written", "percent_used", "percentage_used", "power_on_hours"} & self.tables.keys()
        return self.table(HEALTH) or (self.tables if own else {})

    def has_health(self) -> bool:
        """Whether it has more than an OCP page."""
        return "data_units_written" in self.tables or "smartctl" in self.tables or HEALTH in self.tables

    def ocp(self) -> tuple[float, str, str] | None:
        """Bytes written to flash by the OCP page or Intel's, the page, and the key."""
        for key in OCP:
            table = self.table(key)
            if (low := self.number(table, "lo", 2**64)) is not None:
                return float((self.number(table, "hi", 2**64) or 0) * 2**64 + low), "OCP page", key
        units = self._intel(0)
        return None if units is None else (float(units * _INTEL_UNIT_BYTES), "Intel's page", INTEL[0])

    def _intel(self, which: int) -> int | None:
        """Units of 32 MiB written to flash (0) or by the host (1)."""
        page = self.tables.get(INTEL[which])
        return self.number(page, "raw") if isinstance(page, Mapping) else None

    def _has_bytes(self) -> bool:
        """Whether it has counters of bytes, though no power-on hours."""
        return self._intel(1) is not None or _SINCE_BOOT in self.tables

    def _commands(self, health: Mapping[str, Any]) -> int | None:
        """Write commands of the host; 0 tells nothing."""
        named = (self.number(health, key) for key in ("host_writes", "host_write_commands"))
        commands = next((each for each in named if each is not None), None)
        return (self._statistic(1, "Number of Write Commands") if commands is None else commands) or None

    def _sum(self, namespaces: Sequence[Mapping[str, Any]], key: str) -> int | None:
        """Bytes of all namespaces."""
        tables = [each.get(key) for each in namespaces]
        counts = [self.number(each, "bytes") for each in tables if isinstance(each, Mapping)]
        known = [count for count in counts if count is not None]
        return sum(known) if known and len(known) == len(namespaces) else None

    def _takes_trim(self, health: Mapping[str, Any]) -> bool | None:
        """Whether a SATA drive takes trim; most of NVMe do, and logs do not say so."""
        supported = self.table("trim").get("supported")
        return supported if isinstance(supported, bool) and not health else None

    def _word(self, key: str) -> str | None:
        value = self.tables.get(key)
        return value if isinstance(value, str) else None

    def _statistic(self, page: int, name: str) -> int | None:
        """Of the standard ATA Device Statistics (ACS-3)."""
        for each in _rows(self.table("ata_device_statistics"), "pages"):
            for row in _rows(each, "table") if each.get("number") == page else []:
                if row.get("name") == name and _is_valid(row):
                    return self.number(row, "value")
        return None

    def _known(self, names: Mapping[str, Any]) -> bool:
        """Whether smartctl's database has the drive, so that names are not its general ones."""
        said = self.tables.get("in_smartctl_database", self.tables.get("model_family"))
        return is_named(names) if said is None and "model_name" not in self.tables else bool(said)

    def _host(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[int | None, str]:
        if (units := self.number(health, "data_units_written")) is not None:
            return units * _NVME_UNIT_BYTES, "data_units_written"
        written = self.table("scsi_error_counter_log").get("write")
        if isinstance(written, Mapping) and (sas := self._gigabytes(written)) is not None:
            return sas, "scsi_error_counter_log, gigabytes_processed"
        if (intel := self._intel(1)) is not None:
            return intel * _INTEL_UNIT_BYTES, f"Intel's page, {INTEL[1]}"
        if (since := self.number(self.tables, _SINCE_BOOT)) is not None:
            return since, f"{_SINCE_BOOT}, since the machine started"
        found = host_bytes(names, self._known(names))
        if (sectors := self._statistic(1, "Logical Sectors Written")) is not None:
            block = self.number(self.tables, "logical_block_size") or 512
            counted = sectors * block, "device statistics, Logical Sectors Written"
            why = None if found is None else bytes_differ(counted, found)
            return counted if why is None else (None, why)
        if found:
            return found
        if "Total_LBAs_Written" in names:
            return None, "smartctl's database does not have this drive, so the unit of Total_LBAs_Written is unknown"
        return None, "no counter of what the host wrote"

    def _gigabytes(self, table: Mapping[str, Any]) -> int | None:
        """Bytes of a count of 10^9 bytes with three decimals."""
        text = str(table.get("gigabytes_processed", "")).strip()
        parts = re.fullmatch(r"(\d{1,12})(?:[.,](\d{1,9}))?", text)
        return None if parts is None else int(parts[1]) * 10**9 + int((parts[2] or "").ljust(9, "0"))

    def _nand(self, names: Mapping[str, Any], host: int | None) -> tuple[float | None, str]:
        if (nand := self.ocp()) is not None:
            return nand[0], f"{nand[1]}, {nand[2]}"
        found = nand_per_host(names, host) if self._known(names) else None
        return found or (None, "no counter of what was written to flash")

    def _used(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[float | None, str]:
        for key in ("percentage_used", "percent_used"):
            if (used := self.number(health, key, 255)) is not None:
                return used, key
        if (used := self.number(self.tables, "scsi_percentage_used_endurance_indicator", 255)) is not None:
            return used, "scsi_percentage_used_endurance_indicator"
        by_words = self._known(names) and is_worn_by_words(
            names, self._word("model_family") or self._word("model_name") or ""
        )
        found: tuple[float, str] | None = None
        if by_words:
            words = worn_by_words(names)
            found = None if words is None else (words, "raw words of attribute 230")
        elif self._known(names):
            found = used_percent(names)
        if (used := self._statistic(7, "Percentage Used Endurance Indicator")) is not None:
            stated = float(used), "device statistics, Percentage Used Endurance Indicator"
            # Some attributes stand still at 100 for ever.
            why = None if found is None or found[0] == 0 else percentages_differ(stated, found)
            return stated if why is None else (None, why)
        if found is not None:
            return found
        if by_words:
            return None, (
                "attribute 230 of such drives counts up or down by their firmware, and its raw value is of a form that "
                "is not known; smartctl -x shows the device statistics, which say it"
            )
        if (guess := guessed_used(names)) is not None:
            return float(guess[0]), f"{guess[1]}, as smartctl guesses: its database does not have this drive"
        if (used := self.number(self.table("endurance_used"), "current_percent", 255)) is not None:
            return used, "endurance_used of smartctl, its guess from an attribute"
        return None, "no attribute of the life that is used"
