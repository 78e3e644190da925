"""Metrics of Prometheus, as the fields that smartctl's JSON has: of smartctl_exporter and of node_exporter.

Sources: prometheus-community/smartctl_exporter, metrics.go; the scripts smartmon.sh, smartmon.py and nvme_metrics of
prometheus-community/node-exporter-textfile-collector-scripts; the text format of Prometheus and its HTTP API.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rewear.disk.counters import canonical

_SAMPLE = re.compile(r"^([a-z_:][\w:]*)(?:\{(.*)\})?[ \t]+([-+\d.eE]+|NaN|[+-]Inf)(?:[ \t]+(-?[\d.eE+]+))?\s*$", re.M)
_LABEL = re.compile(r'(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"')
_HEALTH = "nvme_smart_health_information_log"
_NVME_UNIT_BYTES = 512_000
_PAGES: Final = {"General Statistics": 1, "Solid State Device Statistics": 7}
_INFO: Final = ("smartctl_device", "smartmon_device_info", "nvme_device_info", "node_disk_info")
_SINCE_BOOT = "node_disk_written_bytes_total"


class Sample(NamedTuple):
    """A value of a metric."""

    name: str
    labels: Mapping[str, str]
    value: float
    time_s: float | None
    line: int

    @property
    def device(self) -> str:
        """The drive without the folder of its file."""
        return (self.labels.get("device") or self.labels.get("disk") or "").rpartition("/")[2]


class _Field(NamedTuple):
    """A field of smartctl's JSON, and what a metric's value is multiplied by to be it."""

    keys: tuple[str, ...]
    factor: float = 1


_FIELDS: Final = {
    "smartctl_device_percentage_used": _Field((_HEALTH, "percentage_used")),
    "smartctl_device_bytes_written": _Field((_HEALTH, "data_units_written"), 1 / _NVME_UNIT_BYTES),
    "smartctl_device_power_on_seconds": _Field(("power_on_time", "hours"), 1 / 3600),
    "smartctl_device_capacity_bytes": _Field(("user_capacity", "bytes")),
    "smartctl_device_nvme_capacity_bytes": _Field(("nvme_total_capacity",)),
    "smartctl_device_rotation_rate": _Field(("rotation_rate",)),
    "nvme_percentage_used_ratio": _Field((_HEALTH, "percentage_used"), 100),
    "nvme_data_units_written_total": _Field((_HEALTH, "data_units_written")),
    "nvme_host_write_commands_total": _Field((_HEALTH, "host_writes")),
    "nvme_power_on_hours_total": _Field((_HEALTH, "power_on_hours")),
    "nvme_physical_size_bytes": _Field(("user_capacity", "bytes")),
    _SINCE_BOOT: _Field((_SINCE_BOOT,)),
}


def samples(text: str) -> list[Sample]:
    """The samples in a text; none where it has no metric of a drive."""
    if not re.search(r"^(smartctl_device|smartmon_|nvme_|node_disk_)", text, re.M):
        return []
    found = []
    for each in _SAMPLE.finditer(text):
        stamp = None if each[4] is None else float(each[4])
        time_s = stamp / 1000 if stamp and stamp > 1e11 else stamp
        line = text.count("\n", 0, each.start()) + 1
        found.append(Sample(each[1], dict(_LABEL.findall(each[2] or "")), float(each[3]), time_s, line))
    return found


def samples_of_query(result: Any) -> list[Sample]:
    """The samples of a query through Prometheus' HTTP API, of an instant or of a range."""
    found = []
    for series in result if isinstance(result, list) else []:
        labels = dict(series.get("metric", {})) if isinstance(series, dict) else {}
        name = labels.pop("__name__", "")
        pairs = [series["value"]] if "value" in series else series.get("values", [])
        found += [Sample(name, labels, float(value), float(at), 1) for at, value in pairs]
    return found


def logs(found: list[Sample]) -> Iterator[tuple[str, dict[str, Any], dict[str, int]]]:
    """A log of each drive at the first time and at the last: device, fields, lines of their keys."""
    clock = next((each.value for each in found if each.name == "node_time_seconds"), None)
    smart = [each for each in found if each.name.startswith(("smartctl_", "smartmon_", "nvme_"))]
    for device in dict.fromkeys(each.device for each in smart or found if each.device):
        mine = [each for each in smart or found if each.device == device]
        counted = {each.time_s for each in mine if each.time_s is not None and each.name not in _INFO}
        for at in sorted({min(counted), max(counted)}) if counted else [None]:
            lines: dict[str, int] = {}
            tables = _tables([each for each in mine if each.time_s in (at, None) or each.name in _INFO], lines)
            if (time_s := clock if at is None else at) is not None and tables:
                tables["local_time"] = {"time_t": round(time_s)}
            if tables.keys() - {"local_time", "model_name", "serial_number", "model_family"}:
                yield device, tables, lines


def _tables(mine: Iterable[Sample], lines: dict[str, int]) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    attributes: dict[str, dict[str, Any]] = {}
    for each in mine:
        labels = each.labels
        if each.name in _INFO:
            words = {
                "model_name": labels.get("model_name") or labels.get("device_model") or labels.get("model"),
                "serial_number": labels.get("serial_number") or labels.get("serial"),
                "model_family": labels.get("model_family"),
            }
            tables |= {key: word for key, word in words.items() if word}
        elif (to := _FIELDS.get(each.name)) is not None:
            _set(tables, to.keys, each.value * to.factor)
            lines[to.keys[-1]] = each.line
        elif each.name == "smartctl_device_block_size" and labels.get("blocks_type") == "logical":
            _set(tables, ("logical_block_size",), each.value)
        elif each.name == "smartctl_device_statistics":
            _statistic(tables, labels, each.value)
        elif (attribute := _attribute(each)) is not None:
            name, key = attribute
            row = attributes.setdefault(name, {"name": name, "id": _id(labels)})
            row |= {"raw": {"value": int(each.value)}} if key == "raw" else {"value": int(each.value)}
            lines[name] = each.line
    if attributes:
        tables["ata_smart_attributes"] = {"table": list(attributes.values())}
        hours = attributes.get("Power_On_Hours", {}).get("raw", {}).get("value")
        if hours is not None and hours <= 0xFFFFFF:
            tables.setdefault("power_on_time", {"hours": hours})
    return tables


def _set(tables: dict[str, Any], keys: tuple[str, ...], value: float) -> None:
    for key in keys[:-1]:
        tables = tables.setdefault(key, {})
    tables[keys[-1]] = round(value) if keys[-1] != "hours" else int(value + 1e-6)


def _id(labels: Mapping[str, str]) -> int | None:
    number = labels.get("attribute_id") or labels.get("smart_id")
    return int(number) if number and number.isdigit() else None


def _attribute(sample: Sample) -> tuple[str, str] | None:
    """The attribute's name and which of its values it is, `raw` or `value`."""
    labels = sample.labels
    if sample.name == "smartctl_device_attribute":
        key = labels.get("attribute_value_type", "")
        return (labels.get("attribute_name", ""), key) if key in ("raw", "value") else None
    if sample.name in ("smartmon_attr_raw_value", "smartmon_attr_value"):
        return canonical(labels.get("name", "")), "raw" if "raw" in sample.name else "value"
    found = re.fullmatch(r"smartmon_(\w+?)_(raw_value|value)", sample.name)
    return None if found is None else (canonical(found[1]), "raw" if found[2] == "raw_value" else "value")


def _statistic(tables: dict[str, Any], labels: Mapping[str, str], value: float) -> None:
    number = _PAGES.get(labels.get("statistic_table", ""))
    if number is not None:
        pages = tables.setdefault("ata_device_statistics", {}).setdefault("pages", [])
        pages.append({"number": number, "table": [{"name": labels.get("statistic_name"), "value": round(value)}]})
