"""Differentiated ECC: overlap of reads and writes, the separator, and why the steps differ."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rewear.core.ask import ask
from rewear.core.drive import Drive
from rewear.core.workload import Workload
from rewear.reproduce.studies.common import trace_of

_PAGE_BYTES, _INTERVALS = 8192, 80


def overlap(sources: Mapping[str, Mapping[str, Any]], seed: int = 1) -> dict[str, Any]:
    """Figures 1 and 2: shares of 8 KiB pages by role, over the whole trace and within one of 80 intervals."""
    found: dict[str, dict[str, float]] = {
        "only_read": {}, "only_written": {}, "shared": {}, "shared_within_intervals": {}, "separation": {}
    }  # fmt: skip
    for name, source in sources.items():
        figures = _of_trace(source) if "trace" in source else _of_workload(source, seed)
        whole = sum(figures[kind] for kind in ("only_read", "only_written", "shared"))
        for kind in ("only_read", "only_written", "shared"):
            found[kind][name] = figures[kind] / whole
        within = figures["within"]
        found["shared_within_intervals"][name] = within
        found["separation"][name] = within / found["shared"][name] if figures["shared"] else 0.0
    return found


def _of_trace(source: Mapping[str, Any]) -> dict[str, float]:
    figures = trace_of(source).analyse()["overlap"]
    counts = {kind: float(figures[kind]) for kind in ("only_read", "only_written", "shared")}
    return {**counts, "within": float(figures["shared_share_within_intervals"])}


def _of_workload(source: Mapping[str, Any], seed: int) -> dict[str, float]:
    """The same from the requests of a workload, as a drive gets them."""
    import pyarrow.parquet

    blocks = int(source["pages"]) * 5 // 4 // (8 * 128) + 24
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.parquet"
        Drive("differentiated-ecc-mlc", set={"flash.blocks_per_plane": blocks}).replay(
            Workload(source["workload"]), log=log, seed=seed
        )
        rows = pyarrow.parquet.read_table(log)
    first = rows["offset_bytes"].to_numpy().astype(np.int64) // _PAGE_BYTES
    count = np.maximum(1, rows["length_bytes"].to_numpy().astype(np.int64) // _PAGE_BYTES)
    page = np.repeat(first, count) + np.concatenate([np.arange(each) for each in count])
    reads = np.repeat(rows["operation"].to_numpy(zero_copy_only=False) == "read", count)
    at = np.repeat(rows["at_ns"].to_numpy().astype(np.int64), count)
    roles = _roles(page, reads)
    interval = at // (int(at.max()) // _INTERVALS + 1)
    within = [_roles(page[interval == each], reads[interval == each]) for each in range(_INTERVALS)]
    touched = sum(sum(each.values()) for each in within)
    return {**roles, "within": sum(each["shared"] for each in within) / max(1.0, touched)}


def _roles(page: Any, reads: Any) -> dict[str, float]:
    read, written = np.unique(page[reads]), np.unique(page[~reads])
    shared = np.intersect1d(read, written, assume_unique=True).size
    return {
        "only_read": float(read.size - shared),
        "only_written": float(written.size - shared),
        "shared": float(shared),
    }


def separator() -> dict[str, Any]:
    """Section IV.A: sizes of the separator, its weights, and the memory that a replay reports for it."""
    settings: dict[str, Any] = {"effort.scheme": "differentiated-ecc", "flash.blocks_per_plane": 40}
    drive = Drive("differentiated-ecc-mlc", set=settings)
    accesses, filters = 2048, 2 * 4
    effort = drive.replay(Workload(f"uniform:requests={accesses},read=0.5"), precondition="fill")["effort"]
    pages = next(item["value"] for item in drive.derived if item["key"] == "pages")
    return {
        # The accesses behind the last reset would lead to the next one.
        "settings": {
            "bits": 8 * effort["history_bytes"] // filters,
            "decay_accesses": accesses // (effort["decays"] + 1),
        },
        "history_bytes": effort["history_bytes"],
        "tag_bits_a_page": 8 * effort["tag_bytes"] / pages,
        "resets": effort["decays"],
    }


def errors(cycles: float, retention_hours: float) -> dict[str, Any]:
    """Raw bit error rates of a step and of a doubled one, and which code reads them."""
    found = ask("physics", cycles=[cycles], retention_hours=[retention_hours])["sections"]
    # Half, once and twice the normal step.
    _, fine, coarse = (float(row["by_cycles"][0]["rber"]) for row in found["rber"])
    bch, *ldpc = (float(code["rber"]) for code in found["limits"])
    soft = ldpc[-1]
    return {
        "rber_ratio": coarse / fine,
        "normal_below_bch": fine < bch,
        "doubled_beyond_bch": coarse > bch,
        "doubled_within_ldpc": coarse < soft,
    }
