"""Savings of second writes as a function of the valid pages in victims.

`python experiments/studies/valid_pages.py` prints a table. A pair of used blocks of which a share v of the pages is
valid has room for N (1 - v)^2 / 2 second writes where pages are valid independently of each other. So of the plain
drive's erases 1 / (1 + (1 - v)^2 / 2) are left: two thirds at v = 0. Beside that stands what a drive does, for
workloads and over-provisioning that give other v: erases of the second half of the run, means over `--seeds` seeds.
It takes half a minute of processor time.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import rewear
from rewear.figures.uncertainty import Interval, interval_of

SECOND: dict[str, Any] = {
    "reuse.scheme": "second-write", "reuse.success_probability": 0.95, "reuse.guard": "none"
}  # fmt: skip
GEOMETRY = {"flash.channels": 4, "flash.planes_per_die": 2, "flash.blocks_per_plane": 128}
WORKLOADS = ("uniform", "hot-cold:hot=0.2,hits=0.8", "zipf:theta=1", "zipf:theta=1.5", "zipf:theta=2")
OVER_PROVISIONING = (0.07, 0.15, 0.28, 0.5)
CAPACITIES = 6
"""Exported capacities that are written."""


def predicted(valid_share: float) -> float:
    """Erases left of the plain drive's where so many pages of victims are valid, each independently of the others."""
    return 1 / (1 + (1 - valid_share) ** 2 / 2)


def measured(workload: str, over_provisioning: float, seed: int) -> tuple[float, float]:
    """The share of valid pages in victims, and the erases of the second half over the plain drive's."""
    reports = []
    for scheme in ({}, SECOND):
        settings = {**GEOMETRY, **scheme, "ftl.over_provisioning": over_provisioning}
        drive = rewear.Drive("toshiba-slc", set=settings)
        pages = next(int(item["value"]) for item in drive.derived if item["key"] == "exported_pages")
        separator = "," if ":" in workload else ":"
        source = rewear.Workload(f"{workload}{separator}requests={CAPACITIES * pages}")
        reports.append(drive.replay(source, precondition="fill", seed=seed, no_time=True))
    plain, second = reports
    return second["victim_valid_share"], second["erases_in_second_half"] / plain["erases_in_second_half"]


def rows(seeds: int) -> Iterator[tuple[str, float, Interval, Interval]]:
    """Workload, over-provisioning, valid share and erases left."""
    points = list(product(WORKLOADS, OVER_PROVISIONING))
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(measured, *point, seed) for point in points for seed in range(1, seeds + 1)]
        for number, (workload, over_provisioning) in enumerate(points):
            own = [run.result() for run in runs[number * seeds : (number + 1) * seeds]]
            yield workload, over_provisioning, interval_of([v for v, _ in own]), interval_of([left for _, left in own])


def main() -> None:
    """Prints the table, the fewest valid pages first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each point (default 5)")
    print("| workload | over-provisioning | valid pages of victims | predicted | measured |\n|---|--:|--:|--:|--:|")
    for workload, spare, valid, left in sorted(rows(parser.parse_args().seeds), key=lambda row: row[2].mean):
        change, half = 100 * (left.mean - 1), 100 * left.half_width
        print(
            f"| `{workload}` | {spare:.0%} | {valid.mean:.1%} ±{100 * valid.half_width:.1f} "
            f"| {100 * (predicted(valid.mean) - 1):+.1f}% | {change:+.1f}% ±{half:.1f} |"
        )


if __name__ == "__main__":
    main()
