"""How far drawn states are off: `python experiments/studies/drawn.py [--pages N] [--seeds N]`.

Each drive is replayed twice from the same seed on a workload that overwrites half of the drive: from a steady state
that was reached (`--precondition steady`) and from a drawn one. What is compared is the write amplification of those
writes, relative. The last columns are page writes of the preparations.
"""

import argparse
from collections.abc import Sequence

import rewear

SCHEMES: dict[str, dict[str, object]] = {
    "plain": {},
    "cost-benefit": {"ftl.victim.scheme": "cost-benefit"},
    "d-choices": {"ftl.victim.scheme": "d-choices"},
    "cyclic": {"ftl.victim.scheme": "cyclic"},
    "unit over the drive": {"ftl.erase_unit": "drive"},
    "dynamic striping": {"ftl.striping": "dynamic"},
    "moved pages apart": {"ftl.moved_pages": "apart"},
    "diffecc": {"effort.scheme": "differentiated-ecc"},
    "agcr": {"effort.scheme": "agcr"},
}
WORKLOADS = ("uniform", "zipf:theta=0.9", "hot-cold", "sequential")


def drive(pages: int, spare: float, settings: dict[str, object]) -> rewear.Drive:
    """The MLC chip on eight planes."""
    flash = {
        "flash.channels": 4,
        "flash.dies_per_channel": 1,
        "flash.planes_per_die": 2,
        "flash.pages_per_block": 64,
        "flash.page_bytes": 4096,
        "flash.blocks_per_plane": round(pages * (1 + spare) / 8 / 64),
        "ftl.over_provisioning": spare,
    }
    return rewear.Drive("samsung-mlc", set={**flash, **settings})


def table(pages: int, seeds: Sequence[int]) -> None:
    """Prints a row for each drive: the largest error over workloads, by spare space, and what preparing took."""
    print("| drive | spare | " + " | ".join(WORKLOADS) + " | pages reached | drawn |")
    print("|---|--:|" + "--:|" * (len(WORKLOADS) + 2))
    for name, settings in SCHEMES.items():
        for spare in (0.07, 0.28):
            cells, prepared = [], {}
            for workload in WORKLOADS:
                separator = "," if ":" in workload else ":"
                source = rewear.Workload(f"{workload}{separator}requests={pages // 2}")
                errors = []
                for seed in seeds:
                    found = {}
                    for mode in ("steady", "drawn"):
                        report = drive(pages, spare, settings).replay(
                            source, precondition=mode, no_time=True, seed=seed
                        )
                        found[mode] = report.write_amplification
                        prepared[mode] = report["replay"]["preconditioned"]["pages_written"] / pages
                    errors.append(found["drawn"] / found["steady"] - 1)
                cells.append(f"{max(errors, key=abs):+.1%}")
            counts = f"{prepared['steady']:.1f} | {prepared['drawn']:.2f}"
            print(f"| {name} | {spare:.0%} | {' | '.join(cells)} | {counts} |", flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=130_000)
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    table(given.pages, range(1, given.seeds + 1))


if __name__ == "__main__":
    main()
