"""SMART logs as JSON: what `smartctl -j` and `nvme smart-log -o json` write."""

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from rewear.core.errors import RewearError, RewearWarning
from rewear.core.printable import printable
from rewear.disk.contradictions import (
    Held,
    bytes_differ,
    doubts,
    falling_value_refused,
    host_bytes_refused,
    percentages_differ,
)
from rewear.disk.counters import (
    FALLING,
    HOST,
    erases,
    host_bytes,
    is_worn_by_words,
    nand_per_host,
    used_percent,
    worn_by_words,
)

_NVME_UNIT_BYTES = 512_000
"""A data unit: a thousand times 512 bytes (NVM Express Base Specification, SMART / Health Information)."""
_MOST_BYTES_PER_HOUR = 3600 * 64 * 10**9
"""Sixteen lanes of PCI Express 5.0."""
_MOST_BYTES = 16 * 2**20
_REMEDY = "Write it with: smartctl -j -x /dev/DISK > FILE (as root), or nvme smart-log -o json /dev/nvme0"
_OCP = ("Physical media units written", "physical_media_units_written")
"""In the two forms of `nvme ocp smart-add-log -o json`."""
_HEALTH = "nvme_smart_health_information_log"


@dataclass(frozen=True, slots=True)
class DiskLog:
    """Values of a log; `None` where it has none."""

    path: str
    model: str | None
    serial: str | None
    capacity_bytes: int | None
    time_s: int | None
    """When it was written, of the machine's clock, in seconds since 1970."""
    hours: int
    """Hours powered on."""
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
    lines: Mapping[str, str] = field(default_factory=dict)
    """File and line of `hours`, `host_bytes`, `nand_bytes`, `used` and `time_s`."""

    @property
    def part_in_use(self) -> float | None:
        """Part of the namespaces that the drive counts as in use, if it counts: 1 where it may not."""
        used, size = self.in_use_bytes, self.namespace_bytes
        return None if not used or not size else min(1.0, used / size)


@dataclass(frozen=True, slots=True)
class _OcpPage:
    """The page of the Open Compute Project, in a file of its own: it names neither drive nor time."""

    path: Path
    nand_bytes: float
    at: str
    """File and line."""


class _HardDiskError(RewearError):
    """A log of a disk without flash."""


def read_logs(paths: Sequence[str | Path]) -> list[DiskLog]:
    """The logs of files and of folders (their `*.json`), in the order of their power-on hours.

    A hard disk in a folder is left out, with a warning. An OCP page goes to the log beside it.

    Raises:
        RewearError: A file is no log of a flash drive; the message has file, line and remedy.
    """
    read: list[DiskLog | _OcpPage] = []
    for path in map(Path, paths):
        read += _of_folder(path) if path.is_dir() else [_read(path)]
    logs = [each for each in read if isinstance(each, DiskLog)]
    for page in read:
        if isinstance(page, _OcpPage):
            _add(page, logs)
    return sorted(logs, key=lambda log: (log.hours, log.time_s or 0))


def _of_folder(folder: Path) -> list["DiskLog | _OcpPage"]:
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RewearError(f"{folder}: no file in it ends in .json. {_REMEDY}.")
    read: list[DiskLog | _OcpPage] = []
    for path in files:
        if not path.is_file():
            # A pipe would wait for somebody to write.
            warnings.warn(f"{path} is no regular file, and is left out.", RewearWarning, stacklevel=4)
            continue
        try:
            read.append(_read(path))
        except _HardDiskError as error:
            warnings.warn(f"{error} The other logs of the folder are read.", RewearWarning, stacklevel=4)
    if not read:
        raise RewearError(
            f"{folder}: all of its logs are of hard disks, which have no erases to wear out, or no files. {_REMEDY}."
        )
    return read


def _add(page: _OcpPage, logs: list[DiskLog]) -> None:
    """Gives an OCP page to its log: the only one, or that of the same name without `ocp`."""
    beside = [log for log in logs if _name(Path(log.path)) == _name(page.path)] or (logs if len(logs) == 1 else [])
    if len(beside) != 1:
        raise RewearError(
            f"{page.path}, line 1: an OCP page, which names neither drive nor time, and no one log is beside it. "
            "Name it as its log: monday-ocp.json for monday.json."
        )
    log = beside[0]
    told = f"OCP page, {page.path.name}"
    lines = {**log.lines, "nand_bytes": page.at}
    logs[logs.index(log)] = replace(log, nand_bytes=page.nand_bytes, nand_from=told, lines=lines)


def _name(path: Path) -> tuple[Path, str]:
    """Folder and name of a file, without `ocp` and what divides words."""
    return path.parent, re.sub("ocp|[^a-z0-9]", "", path.stem.lower())


def _read(path: Path) -> DiskLog | _OcpPage:
    """The log of one file, or its OCP page.

    Raises:
        RewearError: It is neither.
    """
    text = _text(path)
    try:
        tables = json.loads(text, object_pairs_hook=lambda pairs: _table(path, text, pairs))
    except RewearError:
        raise
    except json.JSONDecodeError as error:
        raise RewearError(
            f"{path}, line {error.lineno}, column {error.colno}: no JSON ({error.msg}). {_REMEDY}."
        ) from None
    except (RecursionError, ValueError):
        raise RewearError(f"{path}, line 1: no JSON of a log: too deep, or a number is too long. {_REMEDY}.") from None
    if not isinstance(tables, dict):
        raise RewearError(f"{path}, line 1: not an object of JSON, so no log of a drive. {_REMEDY}.")
    reader = _Reader(path, text, tables)
    nand = reader.ocp()
    if nand is not None and not reader.has_health():
        return _OcpPage(path, nand[0], reader.at(nand[1]))
    return reader.log()


def _table(path: Path, text: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON; which of two values under one key counts, no standard says."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for key in keys if keys.count(key) > 1)
        written = json.dumps(key)
        line = text.count("\n", 0, text.find(written, text.find(written) + 1)) + 1
        raise RewearError(f"{path}, line {line}: the key {printable(key)} stands twice in one table. {_REMEDY}.")
    return table


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise RewearError(f"{path}: larger than 16 MiB, so no log of a drive. {_REMEDY}.")
        return content.decode()
    except UnicodeDecodeError as error:
        raise RewearError(f"{path}: byte {error.start + 1} is not UTF-8, so it is no JSON. {_REMEDY}.") from None
    except OSError as error:
        raise RewearError(f"{path}: {error.strerror or error}. Name a file or a folder of logs. {_REMEDY}.") from None


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

    def __init__(self, path: Path, text: str, tables: dict[str, Any]) -> None:
        self.path, self.text, self.tables = path, text, tables

    def at(self, key: str) -> str:
        """File and line of a key, or of a text; the first line where it is not."""
        at = self.text.find(f'"{key}"')
        return f"{self.path}, line {self.text.count(chr(10), 0, at) + 1 if at >= 0 else 1}"

    def refuse(self, key: str, problem: str, error: type[RewearError] = RewearError) -> NoReturn:
        raise error(f"{self.at(key)}: {problem}")

    def table(self, *keys: str) -> Mapping[str, Any]:
        found: Any = self.tables
        for key in keys:
            found = found.get(key, {})
            if not isinstance(found, Mapping):
                self.refuse(key, f"{key} is no table. {_REMEDY}.")
        return dict(found)

    def number(self, table: Mapping[str, Any], key: str, most: int = 2**128) -> int | None:
        """A count; 128-bit numbers may be written as texts."""
        value = table.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
            value = int(value)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0 or not 0 <= value <= most:
            self.refuse(key, f"{key} is {str(value)[:40]!r}, not a count. Write the log anew. {_REMEDY}.")
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
                "power_on_hours", f"power_on_hours is {hours:,}, and {self.at('hours')} has {by_smartctl:,}. {_REMEDY}."
            )
        if hours is None:
            said = self.table("smartctl").get("messages") or [{}]
            why = said[0].get("string") if isinstance(said, list) and isinstance(said[0], dict) else None
            self.refuse("smartctl", f"no SMART values, not even power-on hours{f' ({why})' if why else ''}. {_REMEDY}.")
        capacity = self._capacity()
        host, used = self._host(health, names), self._used(health, names)
        if host[0] is not None and host[0] > (hours + 1) * _MOST_BYTES_PER_HOUR:
            key = host[1].rpartition(", ")[2]
            self.refuse(key, f"{host[0]:.3g} bytes in {hours:,} hours are more than any interface carries. {_REMEDY}.")
        nand = self._nand(names, host[0])
        worn = erases(names) if self._known() else None
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
        namespaces = _rows(tables, "nvme_namespaces")
        keys = {"hours": hours_key, "host_bytes": host[1], "nand_bytes": nand[1], "used": used[1], "time_s": "time_t"}
        return DiskLog(
            str(self.path), self._word("model_name"), self._word("serial_number"),
            capacity, self.number(self.table("local_time"), "time_t", 10**11), hours, *host, *nand, *used,
            self._commands(health), self._sum(namespaces, "utilization"), self._sum(namespaces, "size"),
            self._takes_trim(health), tuple(contradictions),
            {name: self.at(key.rpartition(", ")[2]) for name, key in keys.items()},
        )  # fmt: skip

    def _capacity(self) -> int | None:
        by_smartctl = self.number(self.table("user_capacity"), "bytes")
        return by_smartctl or self.number(self.tables, "nvme_total_capacity") or None

    def health(self) -> Mapping[str, Any]:
        """The table of NVMe, where `smartctl` and `nvme` write it."""
        return self.table(_HEALTH) or (self.tables if self.has_health() else {})

    def has_health(self) -> bool:
        """Whether it has more than an OCP page."""
        return "data_units_written" in self.tables or "smartctl" in self.tables or _HEALTH in self.tables

    def ocp(self) -> tuple[float, str] | None:
        """Bytes written to flash, by the OCP page, and the key."""
        for key in _OCP:
            table = self.table(key)
            if (low := self.number(table, "lo", 2**64)) is not None:
                return float((self.number(table, "hi", 2**64) or 0) * 2**64 + low), key
        return None

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

    def _known(self) -> bool:
        """Whether smartctl's database has the drive, so that names are not its general ones."""
        return bool(self.tables.get("in_smartctl_database", self.tables.get("model_family")))

    def _host(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[int | None, str]:
        if (units := self.number(health, "data_units_written")) is not None:
            return units * _NVME_UNIT_BYTES, "data_units_written"
        found = host_bytes(names, self._known())
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

    def _nand(self, names: Mapping[str, Any], host: int | None) -> tuple[float | None, str]:
        if (nand := self.ocp()) is not None:
            return nand[0], f"OCP page, {nand[1]}"
        found = nand_per_host(names, host) if self._known() else None
        return found or (None, "no counter of what was written to flash")

    def _used(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[float | None, str]:
        for key in ("percentage_used", "percent_used"):
            if (used := self.number(health, key, 255)) is not None:
                return used, key
        by_words = self._known() and is_worn_by_words(
            names, self._word("model_family") or self._word("model_name") or ""
        )
        found: tuple[float, str] | None = None
        if by_words:
            words = worn_by_words(names)
            found = None if words is None else (words, "raw words of attribute 230")
        elif self._known():
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
        if (used := self.number(self.table("endurance_used"), "current_percent", 255)) is not None:
            return used, "endurance_used of smartctl, its guess from an attribute"
        return None, "no attribute of the life that is used"
