"""Credit of a drive whose second writes never succeed: erases over the plain drive's.

docs/notebook/second-write.md has the table.
"""

from math import sqrt
from statistics import mean, stdev

import rewear

DRIVE = {
    "flash.channels": 1,
    "flash.pages_per_block": 16,
    "flash.page_bytes": 4096,
    "ftl.over_provisioning": 0.14,
    "ftl.gc_threshold": 0.02,
}
NEVER = {"reuse.scheme": "second-write", "reuse.guard": "none", "reuse.success_probability": 0}
SEEDS = range(1, 9)
# Of Student's distribution with seven degrees of freedom, 95%.
QUANTILE = 2.365


def erases(settings: dict, seed: int) -> int:
    """Erases of a drive that is full at the start and written three times over."""
    requests = settings["flash.blocks_per_plane"] * 195
    workload = rewear.Workload(f"zipf:theta=1,seed={seed},requests={requests}")
    drive = rewear.Drive("toshiba-slc", set={**DRIVE, **settings})
    return drive.replay(workload, precondition="fill", no_time=True).erases


def main() -> None:
    """Prints the table."""
    print("| blocks a plane, step, striping | its own place | the plain drive's place |")
    print("|---|--:|--:|")
    for blocks in (128, 256):
        for step in ("restore-lazy", "until-room"):
            for striping in ("dynamic", "static-die"):
                settings = {
                    "flash.blocks_per_plane": blocks,
                    "ftl.cleaning_step": step,
                    "ftl.striping": striping,
                }
                cells = []
                for place in ({}, {"reuse.plane_choice": "striped"}):
                    shares = [erases({**settings, **NEVER, **place}, seed) / erases(settings, seed) for seed in SEEDS]
                    half = QUANTILE * stdev(shares) / sqrt(len(shares))
                    cells.append(f"{mean(shares):.3f} ±{half:.3f}")
                print(f"| {blocks}, `{step}`, `{striping}` | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
