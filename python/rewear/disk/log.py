"""SMART logs as JSON: what `smartctl -j` and `nvme smart-log -o json` write."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rewear.disk.counters import host_bytes, nand_per_host, used_percent
from rewear.errors import RewearError

__all__ = ["DiskLog", "read_log", "read_logs"]

_NVME_UNIT_BYTES = 512_000
"""A data unit: a thousand times 512 bytes (NVM Express Base Specification, SMART / Health Information)."""
_MOST_BYTES = 16 * 2**20
_REMEDY = "Write it with: smartctl -j -x /dev/DISK > FILE (as root), or nvme smart-log -o json /dev/nvme0"
_OCP = "Physical media units written"
_HEALTH = "nvme_smart_health_information_log"


@dataclass(frozen=True, slots=True)
class DiskLog:
    """What a log says; `None` where it does not."""

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
    used: int | None
    """Percentage of the vendor's rated life that is used."""
    used_from: str


def read_logs(paths: Sequence[str | Path]) -> list[DiskLog]:
    """The logs of files and of folders (their `*.json`), in the order of their power-on hours.

    Raises:
        RewearError: A file is no log of a flash drive; the message has file, line and remedy.
    """
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found = sorted(path.glob("*.json"))
            if not found:
                raise RewearError(f"{path}: no file in it ends in .json. {_REMEDY}.")
            files += found
        else:
            files.append(path)
    return sorted((read_log(path) for path in files), key=lambda log: (log.hours, log.time_s or 0))


def read_log(path: Path) -> DiskLog:
    """The log of one file.

    Raises:
        RewearError: It is no log of a flash drive.
    """
    text = _text(path)
    try:
        tables = json.loads(text)
    except json.JSONDecodeError as error:
        raise RewearError(
            f"{path}, line {error.lineno}, column {error.colno}: no JSON ({error.msg}). {_REMEDY}."
        ) from None
    except (RecursionError, ValueError):
        raise RewearError(f"{path}, line 1: no JSON of a log: too deep, or a number is too long. {_REMEDY}.") from None
    if not isinstance(tables, dict):
        raise RewearError(f"{path}, line 1: not an object of JSON, so no log of a drive. {_REMEDY}.")
    return _Reader(path, text, tables).log()


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RewearError(f"{path}: larger than 16 MiB, so no log of a drive. {_REMEDY}.")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RewearError(f"{path}: byte {error.start + 1} is not UTF-8, so it is no JSON. {_REMEDY}.") from None
    except OSError as error:
        raise RewearError(f"{path}: {error.strerror or error}. Name a file or a folder of logs. {_REMEDY}.") from None


def _rows(table: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The tables in a list; none where there is no list."""
    rows = table.get(key)
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


class _Reader:
    """One log; knows the lines of its keys."""

    def __init__(self, path: Path, text: str, tables: dict[str, Any]) -> None:
        self.path, self.text, self.tables = path, text, tables

    def refuse(self, key: str | None, problem: str) -> NoReturn:
        at = self.text.find(f'"{key}"') if key else -1
        line = self.text.count("\n", 0, at) + 1 if at >= 0 else 1
        raise RewearError(f"{self.path}, line {line}: {problem}")

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
            self.refuse("rotation_rate", f"a hard disk{speed}, not flash: it has no erases to wear out. Leave it out.")
        health = self.table(_HEALTH) or (tables if "data_units_written" in tables else {})
        hours = self.number(health, "power_on_hours", 10**7)
        if hours is None:
            hours = self.number(self.table("power_on_time"), "hours", 10**7)
        if hours is None:
            said = self.table("smartctl").get("messages") or [{}]
            why = said[0].get("string") if isinstance(said, list) and isinstance(said[0], dict) else None
            self.refuse("smartctl", f"no SMART values, not even power-on hours{f' ({why})' if why else ''}. {_REMEDY}.")
        host, used = self._host(health, names), self._used(health, names)
        nand = self._nand(names, host[0])
        return DiskLog(
            str(self.path), self._word("model_name"), self._word("serial_number"),
            self.number(self.table("user_capacity"), "bytes") or self.number(tables, "nvme_total_capacity") or None,
            self.number(self.table("local_time"), "time_t", 10**11), hours, *host, *nand, *used,
        )  # fmt: skip

    def _word(self, key: str) -> str | None:
        value = self.tables.get(key)
        return value if isinstance(value, str) else None

    def _statistic(self, page: int, name: str) -> int | None:
        """Of the standard ATA Device Statistics (ACS-3)."""
        for each in _rows(self.table("ata_device_statistics"), "pages"):
            for row in _rows(each, "table") if each.get("number") == page else []:
                if row.get("name") == name:
                    return self.number(row, "value")
        return None

    def _known(self) -> bool:
        """Whether smartctl's database has the drive, so that names are not its general ones."""
        return bool(self.tables.get("in_smartctl_database", self.tables.get("model_family")))

    def _host(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[int | None, str]:
        if (units := self.number(health, "data_units_written")) is not None:
            return units * _NVME_UNIT_BYTES, "data_units_written"
        if (sectors := self._statistic(1, "Logical Sectors Written")) is not None:
            block = self.number(self.tables, "logical_block_size") or 512
            return sectors * block, "device statistics, Logical Sectors Written"
        if found := host_bytes(names, self._known()):
            return found
        if "Total_LBAs_Written" in names:
            return None, "smartctl's database does not have this drive, so the unit of Total_LBAs_Written is unknown"
        return None, "no counter of what the host wrote"

    def _nand(self, names: Mapping[str, Any], host: int | None) -> tuple[float | None, str]:
        ocp = self.table(_OCP)
        if (low := self.number(ocp, "lo", 2**64)) is not None:
            return float((self.number(ocp, "hi", 2**64) or 0) * 2**64 + low), "OCP, physical media units written"
        found = nand_per_host(names, host) if self._known() else None
        return found or (None, "no counter of what was written to flash")

    def _used(self, health: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[int | None, str]:
        for key in ("percentage_used", "percent_used"):
            if (used := self.number(health, key, 255)) is not None:
                return used, key
        if (used := self._statistic(7, "Percentage Used Endurance Indicator")) is not None:
            return used, "device statistics, Percentage Used Endurance Indicator"
        if self._known() and (found := used_percent(names)):
            return found
        if (used := self.number(self.table("endurance_used"), "current_percent", 255)) is not None:
            return used, "endurance_used of smartctl, its guess from an attribute"
        return None, "no attribute of the life that is used"
