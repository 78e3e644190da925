"""Text of `smartctl -a`, `-x`, `-A` and of `nvme smart-log`, as the fields that smartctl's JSON has.

Sources: smartmontools' ataprint.cpp, nvmeprint.cpp, scsiprint.cpp and nvme-cli's nvme-print-stdout.c, intel-nvme.c,
which print each value beside the key of its JSON. Prompts, fences and quotation marks around the text are passed over.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rewear.disk.counts import count

Tables = dict[str, Any]
_Log = tuple[Tables, dict[str, int], int, str]
"""Fields, the lines of their keys, where in the text the log begins, and the device."""

_HEALTH = "nvme_smart_health_information_log"
_BEGIN = re.compile(
    r"^smartctl \d|^(?:Additional )?Smart Log for NVME device: ?(?P<device>\S+)|=== START OF INFORMATION SECTION", re.I
)
_QUOTED = re.compile(r"^[\s>|+]*|\x1b\[[0-9;]*[A-Za-z]|</?[A-Za-z][^>]*>")
_PAIR = re.compile(r"([A-Za-z][\w /.()-]*?)\s*:\s+(.*)")
_ATTRIBUTE = re.compile(
    r"(?P<id>\d{1,3}|0x[0-9a-f]{2})\s+(?P<name>[A-Za-z]\S*?)\s*(?:0x[0-9a-f]{4}|(?<=\s)[POSRCK+-]{6,7})\s+"
    r"(?P<value>\d{1,3}|0x[0-9a-f]{2}|-{3,4})\s+(?:\d{1,3}|0x[0-9a-f]{2}|-{3,4})\s+(?:\d{1,3}|0x[0-9a-f]{2}|-{3,4})\s+"
    r"(?:(?:Pre-fail|Old_age)\s+(?:Always|Offline)\s+)?(?:-|NOW|Past|FAILING_NOW|In_the_past)\s+(?P<raw>.*\S)"
)
_STATISTIC = re.compile(
    r"(?P<page>0x[0-9a-f]{2}|\d+)\s+0x[0-9a-f]{3}\s+[\d-]\s+(?P<value>-?\d+|-)~?\s+(?:[N-][D-][C-][+ ]?\s*)?"
    r"(?P<name>[A-Z].*?)(?:\s+\[.*\])?"
)
_DATE = re.compile(
    r"[A-Z][a-z]{2}\s+(?P<month>[A-Z][a-z]{2})\s+(?P<day>\d+)\s+(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)\s+(?P<year>\d{4})"
    r"\s*(?P<zone>\S*)"
)
_ZONES: Final = {
    "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "SAST": 2,
    "MSK": 3, "PKT": 5, "IST": 5.5, "WIB": 7, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9, "ACST": 9.5, "AEST": 10,
    "AEDT": 11, "NZST": 12, "NZDT": 13, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}  # fmt: skip
"""Hours that abbreviations of zones are before UTC; of one that is not here, or has two meanings, the difference
between two logs is right, and that alone counts."""


def logs(text: str) -> list[_Log]:
    """The logs in a text, each with the lines of its fields."""
    found: list[_Log] = []
    for number, begin, device, lines in _parts(text):
        reader = _Text(number)
        for line in lines:
            reader.take(line)
        tables = reader.tables()
        if tables:
            found.append((tables, reader.lines, begin, device))
    return found


def _parts(text: str) -> Iterator[tuple[int, int, str, list[str]]]:
    """The lines of each log: it begins with the banner of its tool, or with a model where there is none."""
    first, begin, device, lines = 1, 0, "", list[str]()
    at = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = _QUOTED.sub("", raw).rstrip()
        banner = _BEGIN.match(line)
        if banner and any(_PAIR.match(each) or _ATTRIBUTE.match(each) for each in lines):
            yield first, begin, device, lines
            first, begin, device, lines = number, at, "", []
        if banner and banner["device"]:
            device = banner["device"]
        lines.append(line)
        at += len(raw) + 1
    yield first, begin, device, lines


class _Text:
    """One log, line by line."""

    def __init__(self, first: int) -> None:
        self.number = first - 1
        self.lines: dict[str, int] = {}
        self.found: Tables = {}
        self.is_nvme_cli = False
        self.words: list[str] = []

    def take(self, line: str) -> None:
        self.number += 1
        if (row := _ATTRIBUTE.fullmatch(line)) is not None:
            self._attribute(row)
        elif (row := _STATISTIC.fullmatch(line)) is not None:
            self._statistic(row)
        elif (row := _WRITTEN.match(line)) is not None:
            self.set(("scsi_error_counter_log", "write", "gigabytes_processed"), _gigabytes(row[1]))
        elif (row := _POWERED.search(line)) is not None:
            self.set(("power_on_time", "hours"), int(row[1]))
        elif (row := _INTEL.match(line)) is not None:
            self.set((row[1], "raw"), count(row[2]))
            self.lines[row[1]] = self.number
        elif (row := _PAIR.fullmatch(line)) is not None:
            self._pair(row[1], row[2].strip())

    def set(self, keys: tuple[str, ...], value: Any) -> None:
        if value is None:
            return
        table = self.found
        for key in keys[:-1]:
            table = table.setdefault(key, {})
        table[keys[-1]] = value
        self.lines[keys[-1]] = self.number

    def _pair(self, name: str, value: str) -> None:
        key = " ".join(name.lower().replace("_", " ").split())
        self.is_nvme_cli |= "_" in name and key in _NVME
        if key in ("vendor", "product"):
            self.words.append(value)
            self.set(("model_name",), " ".join(self.words))
        elif (health := _NVME.get(key)) is not None:
            self.set((_HEALTH, health), count(value))
        elif (namespace := re.fullmatch(r"namespace \d+ (.*)", key)) is not None:
            self._namespace(namespace[1], value)
        elif key in _FIELDS:
            keys, read = _FIELDS[key]
            self.set(keys, read(value))

    def _namespace(self, what: str, value: str) -> None:
        if what == "formatted lba size":
            self.set(("logical_block_size",), count(value))
            return
        rows, size = self.found.setdefault("nvme_namespaces", []), count(value)
        if size is None:
            return
        if what in ("size", "size/capacity"):
            # smartctl prints the utilization only where it is another number.
            rows.append({"size": {"bytes": size}, "utilization": {"bytes": size}})
        if what in ("capacity", "size/capacity"):
            self.set(("user_capacity", "bytes"), size)
        if what in ("capacity", "utilization") and rows:
            rows[-1]["utilization"] = {"bytes": size}

    def _attribute(self, row: re.Match[str]) -> None:
        table = self.found.setdefault("ata_smart_attributes", {}).setdefault("table", [])
        value = row["value"]
        attribute: Tables = {"id": int(row["id"], 0 if "x" in row["id"] else 10), "name": row["name"]}
        if not value.startswith("-"):
            attribute["value"] = int(value, 0 if "x" in value else 10)
        table.append({**attribute, "raw": {"string": row["raw"]}})
        self.lines[row["name"]] = self.number
        hours = re.match(r"\d+", row["raw"])
        if attribute["id"] == 9 and row["name"].startswith("Power_On_") and hours and int(hours[0]) <= 0xFFFFFF:
            self.set(("power_on_time", "hours"), int(hours[0]))

    def _statistic(self, row: re.Match[str]) -> None:
        pages = self.found.setdefault("ata_device_statistics", {}).setdefault("pages", [])
        number = int(row["page"], 0 if "x" in row["page"] else 10)
        if not pages or pages[-1]["number"] != number:
            pages.append({"number": number, "table": []})
        valid = row["value"] != "-"
        statistic: Tables = {"name": row["name"], "flags": {"valid": valid}}
        if valid:
            statistic["value"] = int(row["value"])
            self.lines[row["name"]] = self.number
            if (number, row["name"]) == (1, "Power-on Hours"):
                self.set(("power_on_time", "hours"), int(row["value"]))
        pages[-1]["table"].append(statistic)

    def tables(self) -> Tables:
        """The fields, under the names of the tool that printed them; none where it is no log."""
        found = dict(self.found)
        health = found.get(_HEALTH)
        if health and self.is_nvme_cli:
            del found[_HEALTH]
            found |= {_NVME_CLI.get(key, key): value for key, value in health.items()}
            self.lines |= {_NVME_CLI.get(key, key): self.lines[key] for key in health}
        elif health and "power_on_hours" in health:
            found["power_on_time"] = {"hours": health["power_on_hours"]}
            self.lines["hours"] = self.lines["power_on_hours"]
        is_log = health or found.keys() & {
            "ata_smart_attributes", "ata_device_statistics", "scsi_error_counter_log", "power_on_time",
            "scsi_percentage_used_endurance_indicator", "nand_bytes_written", "rotation_rate",
        }  # fmt: skip
        return found if is_log else {}


_WRITTEN = re.compile(r"write:(?:\s+\d+){5}\s+(\d[\d.,]*)\s+\d+")
_POWERED = re.compile(r"(?:Accumulated power on time, hours:minutes|number of hours powered up =)\s*(\d+)")
_INTEL = re.compile(
    r"(?:0x[0-9a-f]+\s+)?(nand_bytes_written|host_bytes_written)\s*:?\s+\d+\s*%?\s+(?:sectors:\s*)?(\d\S*)"
)
_NVME: Final = {
    "percentage used": "percentage_used", "data units written": "data_units_written",
    "data units read": "data_units_read", "host write commands": "host_writes", "power on hours": "power_on_hours",
}  # fmt: skip
"""Lines of the NVMe health log, in words or with underscores, and their keys in smartctl's JSON."""
_NVME_CLI: Final = {"percentage_used": "percent_used", "host_writes": "host_write_commands"}
"""What nvme-cli calls them in its JSON."""


def _word(value: str) -> str | None:
    return value or None


def _rate(value: str) -> int | None:
    """Revolutions a minute; 0 of a solid state device."""
    return 0 if value.lower().startswith("solid state") else count(value)


def _trim(value: str) -> bool:
    return value.lower().startswith("available")


def _known(value: str) -> bool:
    return not value.lower().startswith("not ")


def _gigabytes(text: str) -> str | None:
    """With three decimals, by whatever sign a locale has for them."""
    whole, _, decimals = re.sub(r"[.,](?=.*[.,])", "", text).replace(",", ".").partition(".")
    return f"{whole}.{decimals}" if decimals else whole


def _date(value: str) -> int | None:
    """Seconds since 1970 of `Sat Jul  4 10:00:00 2026 UTC`."""
    parts = _DATE.match(value)
    months = list(calendar.month_abbr)
    if parts is None or parts["month"] not in months:
        return None
    day = (int(parts["year"]), months.index(parts["month"]), int(parts["day"]))
    seconds = calendar.timegm((*day, int(parts["h"]), int(parts["m"]), int(parts["s"]), 0, 0, 0))
    zone = parts["zone"]
    if (sign := re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?", zone)) is not None:
        hours = (int(sign[2]) + int(sign[3] or 0) / 60) * (-1 if sign[1] == "-" else 1)
    else:
        hours = _ZONES.get(zone, 0)
    return seconds - round(hours * 3600)


_Read = Callable[[str], Any]
_FIELDS: Final[Mapping[str, tuple[tuple[str, ...], _Read]]] = {
    "model number": (("model_name",), _word), "device model": (("model_name",), _word), "mn": (("model_name",), _word),
    "model family": (("model_family",), _word), "serial number": (("serial_number",), _word),
    "sn": (("serial_number",), _word), "total nvm capacity": (("nvme_total_capacity",), count),
    "tnvmcap": (("nvme_total_capacity",), count), "user capacity": (("user_capacity", "bytes"), count),
    "sector size": (("logical_block_size",), count), "sector sizes": (("logical_block_size",), count),
    "logical block size": (("logical_block_size",), count), "rotation rate": (("rotation_rate",), _rate),
    "trim command": (("trim", "supported"), _trim), "device is": (("in_smartctl_database",), _known),
    "local time is": (("local_time", "time_t"), _date),
    "percentage used endurance indicator": (("scsi_percentage_used_endurance_indicator",), count),
}  # fmt: skip
"""Other lines: the keys of smartctl's JSON, and how the value is read."""
