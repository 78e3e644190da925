"""Presets and traces beside what papers say of them."""

from collections.abc import Mapping
from typing import Any

from rewear.core.ask import ask
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.trace import Trace
from rewear.core.workload import Workload


def configuration(keys: Mapping[str, Mapping[str, Any]], set: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parameters and derived quantities of presets: `keys` gives for each drive the names of those wanted."""
    found: dict[str, Any] = {}
    for name, wanted in keys.items():
        drive = Drive(name, set=(set or {}).get(name, {}))
        derived = {item["key"]: item["value"] for item in drive.derived}
        found[name] = {key: derived[key] if key in derived else _at(drive.configuration, key) for key in wanted}
    return found


def printed_words(table: str) -> dict[str, tuple[int, int]]:
    """First and second codeword of each data word in a printed table of the code of Rivest and Shamir."""
    rows = ask("codes.rivest-shamir", table=table)["rows"]
    return {row["data"]: (int(row["first"], 2), int(row["second"], 2)) for row in rows}


def _at(tables: Mapping[str, Any], key: str) -> Any:
    value: Any = tables
    for name in key.split("."):
        value = value[name]
    return value


def mix_beside_table(
    sources: Mapping[str, Mapping[str, Any]],
    read_share: Mapping[str, float],
    mean_kib: Mapping[str, float],
    requests: int = 50_000,
    seed: int = 1,
) -> dict[str, dict[str, float]]:
    """Share of reads and mean size of the sources, beside those that a paper's table gives."""
    found: dict[str, dict[str, float]] = {"read_share_apart": {}, "size_over_table": {}}
    for name, source in sources.items():
        reads, mean_bytes = _mix(source, requests, seed)
        found["read_share_apart"][name] = reads - read_share[name]
        found["size_over_table"][name] = mean_bytes / 1024 / mean_kib[name]
    return found


def _mix(source: Mapping[str, Any], requests: int, seed: int) -> tuple[float, float]:
    if "trace" in source:
        info = trace_of(source).info()
        served = info["read"]["requests"] + info["write"]["requests"]
        return info["read"]["requests"] / served, (info["read"]["bytes"] + info["write"]["bytes"]) / served
    # The drive only counts; it has room for the workload's pages.
    page = int(source["page_bytes"])
    blocks = int(source["pages"]) * 5 // 4 // (8 * 128) + 24
    drive = Drive("differentiated-ecc-mlc", set={"flash.page_bytes": page, "flash.blocks_per_plane": blocks})
    report = drive.replay(Workload(source["workload"]), max_requests=requests, seed=seed)
    counts = report["requests"]
    served = counts["read"] + counts["write"]
    return counts["read"] / served, (report["host_bytes_read"] + report["host_bytes_written"]) / served


def trace_of(source: Mapping[str, Any]) -> Trace:
    """The trace of a source, with its options.

    Raises:
        ConfigurationError: It is a workload.
    """
    if "trace" not in source:
        raise ConfigurationError("This study needs a trace, not a workload.")
    options = {key[6:]: value for key, value in source.items() if key.startswith("trace.")}
    return Trace(source["trace"], **options)
