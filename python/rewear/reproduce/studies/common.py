"""Presets and traces beside what papers say of them."""

from collections.abc import Mapping
from typing import Any

from rewear.drive import Drive
from rewear.errors import ConfigurationError
from rewear.trace import Trace
from rewear.workload import Workload

__all__ = ["configuration", "mix", "sizes_of_requests"]


def configuration(keys: Mapping[str, Mapping[str, Any]], set: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parameters and derived quantities of presets: `keys` gives for each drive the names of those wanted."""
    found: dict[str, Any] = {}
    for name, wanted in keys.items():
        drive = Drive(name, set=(set or {}).get(name, {}))
        derived = {item["key"]: item["value"] for item in drive.derived}
        found[name] = {key: derived[key] if key in derived else _at(drive.configuration, key) for key in wanted}
    return found


def _at(tables: Mapping[str, Any], key: str) -> Any:
    value: Any = tables
    for name in key.split("."):
        value = value[name]
    return value


def mix(sources: Mapping[str, Mapping[str, Any]], page_bytes: int = 4096) -> dict[str, dict[str, float]]:
    """Read share, mean size and footprint of each source, as tables of trace characteristics give them."""
    found: dict[str, dict[str, float]] = {"read_share": {}, "mean_kib": {}, "touched_gib": {}}
    for name, source in sources.items():
        reads, mean_bytes, touched = _mix(source, page_bytes)
        found["read_share"][name] = reads
        found["mean_kib"][name] = mean_bytes / 1024
        found["touched_gib"][name] = touched / (1 << 30)
    return found


def _mix(source: Mapping[str, Any], page_bytes: int) -> tuple[float, float, float]:
    if "trace" in source:
        info = trace_of(source).info()
        requests = info["read"]["requests"] + info["write"]["requests"]
        size = info["read"]["bytes"] + info["write"]["bytes"]
        return info["read"]["requests"] / requests, size / requests, info["distinct_pages_touched"] * 4096
    pages, page = int(source["pages"]), int(source["page_bytes"])
    # A plain drive with a little more than the workload's pages counts its requests.
    blocks = {"flash.page_bytes": page, "flash.blocks_per_plane": max(24, pages * 5 // 4 // (8 * 128) + 24)}
    report = Drive("diffecc-mlc", set=blocks).replay(Workload(source["workload"]), max_requests=100_000)
    counts = report["requests"]
    requests = counts["read"]["requests"] if isinstance(counts["read"], dict) else counts["read"]
    writes = counts["write"]["requests"] if isinstance(counts["write"], dict) else counts["write"]
    total = requests + writes
    size = report["host_bytes_read"] + report["host_bytes_written"]
    return requests / total, size / total, float(pages * page)


def trace_of(source: Mapping[str, Any]) -> Trace:
    """The trace of a source, with its options.

    Raises:
        ConfigurationError: It is a workload.
    """
    if "trace" not in source:
        raise ConfigurationError("This study needs a trace, not a workload.")
    options = {key[6:]: value for key, value in source.items() if key.startswith("trace.")}
    return Trace(source["trace"], **options)


def sizes_of_requests(sources: Mapping[str, Mapping[str, Any]], from_bytes: int) -> dict[str, Any]:
    """Share of the bytes written by requests of at least `from_bytes`, a power of two."""
    found = {}
    for name, source in sources.items():
        writes = trace_of(source).analyse().operation("write")
        assert writes is not None
        large = sum(each["weight"] for each in writes["sizes"] if each["up_to"] >= from_bytes)
        found[name] = large / max(1, writes["bytes"])
    return {"large_share": found}
