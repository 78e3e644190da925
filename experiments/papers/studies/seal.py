"""Extended P/E cycles: the code, the cell, and the order of pages in a block."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from rewear.codes import study
from rewear.core.ask import ask
from rewear.core.drive import Drive
from rewear.core.workload import Workload
from rewear.reproduce.studies.common import printed_words


def printed_code() -> dict[str, Any]:
    """Table I, as `first second` for each data word, and whether second codewords only clear bits."""
    words = printed_words("seal")
    only_clear = all(
        first & second == second
        for old, (first, _) in words.items()
        for new, (_, second) in words.items()
        if old != new
    )
    shown = {data: f"{first:03b} {second:03b}" for data, (first, second) in words.items()}
    return {"words": shown, "second_writes_only_clear_bits": only_clear}


def cell() -> dict[str, Any]:
    """Figure 3: transitions, which of them lose data, and which orders of programming are safe for all data."""
    found = study(["mlc-cell"], samples=1)["sections"]["mlc-cell"]
    # A state in which the high page is programmed is left by no legal program; those are not drawn.
    numbered = {row["number"]: row["effect"] for row in found["transitions"] if row["number"] is not None}
    orders = {tuple(row["order"]): row["safe"] for row in found["orders"]}
    low_then_high = all(
        orders[order]
        for order in orders
        if order.count("high") <= 1 and (not order.count("high") or order[-1] == "high")
    )
    return {
        "states": len({row["state"] for row in found["transitions"]}),
        "transitions": len(numbered),
        "effects": {str(number): str(numbered[number]) for number in sorted(numbered)},
        "low_pages_again_then_high_once_is_safe": low_then_high,
        "low_after_high_is_unsafe": not orders["low", "high", "low"],
    }


def pages() -> dict[str, Any]:
    """Figure 2: which pages of a block are low ones, told by how long each takes when one bank is written in order."""
    drive = Drive("openssd", set={"flash.channels": 1, "flash.dies_per_channel": 1})
    per_block = int(drive.configuration["flash"]["pages_per_block"])
    low_ns = int(drive.configuration["flash"]["timing"]["program_ns"][0])
    # The last page of a full block holds the inverse map, so the host writes one page less.
    spec = f"sequential:pages={per_block - 2},requests={per_block - 2}"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.parquet"
        drive.replay(Workload(spec), arrival="closed", queue_depth=1, log=log)
        times = _parquet().read_table(log, columns=["response_ns"])["response_ns"].to_numpy()
    low = [int(page) for page in np.flatnonzero(times == low_ns)]
    return {
        "pages_per_block": per_block,
        "low_pages": len(low),
        "first_low_pages": " ".join(map(str, low[:5])),
        "last_low_page": low[-1],
    }


_AGES = (1000, 2000, 3000, 5000, 7000, 9000, 12000, 20000)


def wear(programs: int) -> dict[str, Any]:
    """Figure 6: bit error rates of low pages over extended cycles, by what is taken to age the cells."""
    rows = ask("physics", cycles=_AGES, programs=programs)["sections"]["extended_cycles"]
    curves = {"plain": "plain", **{f"aged_by_{what}": what for what in ("erases", "charge", "programs")}}
    found: dict[str, dict[str, float]] = {
        label: {f"{row['cycles']:g}": row[key] for row in rows} for key, label in curves.items()
    }
    at = dict(zip(_AGES, rows, strict=True))
    by = ("erases", "charge", "programs")
    found["over_1e-4"] = {what: at[9000][f"aged_by_{what}"] / 1e-4 for what in by}
    found["over_plain"] = {what: at[9000][f"aged_by_{what}"] / at[9000]["plain"] for what in by}
    found["rise"] = {what: at[20000][f"aged_by_{what}"] / at[9000][f"aged_by_{what}"] for what in by}
    return found


_PAGE_BYTES, _GIB = 32768, 1 << 30
_STEPS_GIB = (0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


def distances(regions: list[int], dataset_pages: int, writes: int, seed: int = 1) -> dict[str, Any]:
    """Figure 12: the share of overwrites of a page that come within so many GiB, by region, at skew 80%."""
    found: dict[str, dict[str, float]] = {"below_3_gib": {}}
    for region in regions:
        measured = _distances_gib(region, dataset_pages, writes, seed)
        found[f"{region}%"] = {f"{step:g}": float((measured < step).mean()) for step in _STEPS_GIB}
        found["below_3_gib"][f"{region}%"] = float((measured < 3).mean())
    return found


def _distances_gib(region: int, dataset_pages: int, writes: int, seed: int) -> Any:
    """Distances of all overwrites in the requests as a drive gets them, warm-up included."""
    spec = f"overwrite-regions:region={region / 100},skew=0.8,dataset_pages={dataset_pages},writes={writes}"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.parquet"
        Drive("openssd").replay(Workload(spec), arrival="closed", queue_depth=1, log=log, seed=seed)
        rows = _parquet().read_table(log, columns=["operation", "offset_bytes"])
    overwrites = np.flatnonzero(rows["operation"].to_numpy(zero_copy_only=False) == "overwrite")
    offsets = rows["offset_bytes"].to_numpy()[overwrites]
    order = np.lexsort((overwrites, offsets))
    same = np.diff(offsets[order]) == 0
    return np.diff(overwrites[order])[same] * _PAGE_BYTES / _GIB


def _parquet() -> Any:
    # Only here: it takes long to load.
    import pyarrow.parquet

    return pyarrow.parquet
