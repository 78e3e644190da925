"""Worth of two policies of other programs: collections within each other, and a reserve that is counted in slots.

Run:
    python experiments/studies/two_policies.py nested      # erases of `openssd-73`, moved pages dealt round all banks
    python experiments/studies/two_policies.py reserve     # erases of GC_OPT on full QLC drives

The first column of `nested` is what the firmware counts that Margaglia and Brinkmann (MSST '15) released.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import rewear

FIRMWARE = {(0.4, 0.05): (4608, 3859), (0.6, 0.05): (4704, 4729), (0.6, 0.15): (4341, 4576), (0.8, 0.05): (3712, 554),
            (0.8, 0.25): (3776, 2791), (0.8, 0.4): None, (0.8, 0.5): None}  # fmt: skip
"""Erases of the baseline and of seal by skew and region, as far as they were compared."""

SCHEMES: dict[str, dict[str, str]] = {
    "baseline": {},
    "seal": {"reuse.scheme": "seal", "reuse.victims": "seal"},
    "seal-preserve": {"reuse.scheme": "seal", "reuse.victims": "seal-preserve"},
}
SEEDS = (1, 2, 3)


def nested() -> None:
    """Erases by where moved pages go: open blocks of all banks, or all banks with collections within each other."""
    print("| skew, region | firmware | open blocks: " + ", ".join(SCHEMES) + " | nested: the same |\n|---|--:|--:|--:|")
    for (skew, region), firmware in FIRMWARE.items():
        spec = f"overwrite-regions:dataset_pages=196608,writes=393216,skew={skew},region={region}"
        columns = [
            ", ".join(f"{_erases(moved_to, scheme, spec):,.0f}" for scheme in SCHEMES.values())
            for moved_to in ("drive", "drive-nested")
        ]
        counted = "-" if firmware is None else ", ".join(f"{count:,}" for count in firmware)
        print(f"| {skew:.0%}, {region:.0%} | {counted} | {columns[0]} | {columns[1]} |")


def _erases(moved_to: str, scheme: dict[str, str], spec: str) -> float:
    drive = rewear.Drive("openssd-73", set={"ftl.moved_to": moved_to, **scheme})
    return fmean(
        drive.replay(rewear.Workload(spec), arrival="closed", queue_depth=1, seed=seed).erases for seed in SEEDS
    )


WORKLOADS = (
    "uniform", "sequential", "zipf:theta=0.9", "hot-cold:hot=0.2,hits=0.8", "hot-cold:hot=0.05,hits=0.95"
)  # fmt: skip
RECORDINGS = ("day", "home", "mail", "web")
REQUESTS = 600_000


def reserve() -> None:
    """Cycles of blocks under GC_OPT with an erased unit in reserve, and with as many programmable slots.

    Drives are full at the start. A recording has a drive that exports what it touches and little more, and is replayed
    until it has written as much as the others.
    """
    print("| code, over-provisioning, workload | erased unit | slots | erases | mean write |\n|---|--:|--:|--:|--:|")
    for bits in (2, 1):
        for space in (0.11, 0.28):
            for name in (*WORKLOADS, *RECORDINGS):
                unit, slots = (_of_reserve(bits, space, name, kept) for kept in ("erased-units", "programmable-slots"))
                cycles, written = (after / before - 1 for before, after in zip(unit, slots, strict=True))
                print(f"| ({bits},4), {space:.0%}, {name} | {unit[0]:,.0f} | {slots[0]:,.0f} ", end="")
                print(f"| {cycles:+.1%} | {written:+.1%} |")


def _of_reserve(bits: int, space: float, name: str, kept: str) -> tuple[float, float]:
    """Cycles of blocks, and the mean response of a write."""
    code: dict[str, Any] = {"reuse.scheme": "wom-v", "reuse.data_bits": bits, "reuse.reopen": "in-place"}
    settings = {**code, "reuse.reserve": kept, "flash.pages_per_block": 160, "ftl.over_provisioning": space}
    options: dict[str, Any] = {"arrival": "closed", "queue_depth": 1, "precondition": "fill"}
    if name in RECORDINGS:
        source: rewear.Trace | rewear.Workload = rewear.Trace(Path("recordings") / f"{name}.rwt")
        info = source.info()
        planes = 4
        # A logical page takes 4 / bits flash pages; a block a plane more, since pages are cut evenly.
        pages = info["distinct_pages_touched"] * 4 / bits * (1 + space)
        settings["flash.blocks_per_plane"] = math.ceil(pages / (planes * 160)) + 2
        options |= {"fit": "dense", "loops": math.ceil(REQUESTS / info["write"]["pages"])}
    else:
        source = rewear.Workload(f"{name}{',' if ':' in name else ':'}requests={REQUESTS}")
    report = rewear.Drive("wom-v-qlc", set=settings).replay(source, **options)
    return report.erase_equivalents, report.latency_ns["write"]["mean"]


PARTS: dict[str, Callable[[], None]] = {"nested": nested, "reserve": reserve}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        sys.exit(f"Give one of: {', '.join(PARTS)}.")
    PARTS[sys.argv[1]]()
