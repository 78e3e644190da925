"""Whether LX-SSD's Figure 12 can be had: a search over the time of a hash, that of a comparison, and the load.

    python experiments/studies/lx_load.py [STORE]

The paper has responses 14.4 to 28.5% longer with a store in the order of use, and 13.3 to 29.7% shorter with one in
the order of probability (section V.D). One drive can show both only if the two orders lie 31.6 points apart on home,
41.8 on mail and 47.0 on web. The table has how far apart they are at every point of the search: the drives, stand-ins
and stores of experiments/papers/lx/F12.toml, one seed, requests that arrive up to 64 times as fast, one hash engine
or as many as are wanted.
"""

import itertools
import sys
from pathlib import Path

from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.sources import Counts, Originals, read_sources
from rewear.sweep import Results, Sweep
from rewear.sweep.grid import Job
from rewear.sweep.store import Store

PAPER = {"home": (0.144, -0.172), "mail": (0.285, -0.133), "web": (0.173, -0.297)}
"""Change of the mean response under the order of use and under that of probability (section V.D)."""
RATE_PER_S = 500
FASTER = (1, 16, 64)
HASH_NS = (0, 32_000)
COMPARISON_NS = (0, 3)
ENGINES = (0, 1)


def jobs(sweep: Sweep) -> list[Job]:
    """Every point of the search; the plain drive depends on the load only."""
    found = []
    for job in sweep.jobs:
        if job.coordinates["seed"] != "1":
            continue
        plain = job.coordinates["order"] == "plain"
        points = (
            itertools.product(FASTER, *([0],) * 3)
            if plain
            else itertools.product(FASTER, HASH_NS, COMPARISON_NS, ENGINES)
        )
        for faster, hash_ns, comparison_ns, engines in points:
            if engines and not hash_ns:
                continue
            store = (
                {}
                if plain
                else {
                    "recycle.hash_ns": hash_ns,
                    "recycle.comparison_ns": comparison_ns,
                    "recycle.hash_engines": engines,
                }
            )
            place = {"faster": faster, "hash": hash_ns, "comparison": comparison_ns, "engines": engines}
            settings = {**job.settings, "workload.rate": faster * RATE_PER_S, **store}
            found.append(Job({**job.coordinates, **{key: str(value) for key, value in place.items()}}, settings))
    return found


def table(results: Results) -> list[str]:
    """A line for each point: both orders against the plain drive, and how far they are apart."""
    response = {
        tuple(
            row.job.coordinates[axis] for axis in ("trace", "order", "faster", "hash", "comparison", "engines")
        ): float(row.report.mean_response_ns)
        for row in results.rows
        if row.report is not None
    }
    lines = [
        "| trace | load | hash | comparison | engines | LRU | PROB | apart, points |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for trace, order, *point in sorted(response, key=lambda key: (key[0], *(int(each) for each in key[2:]), key[1])):
        if order != "LRU":
            continue
        plain = response[trace, "plain", point[0], "0", "0", "0"]
        lru, prob = (response[trace, each, *point] / plain - 1 for each in ("LRU", "PROB"))
        engines = "any" if point[3] == "0" else point[3]
        lines.append(
            f"| {trace} | x {point[0]} | {int(point[1]) / 1000:.0f} us | {point[2]} ns | {engines} "
            f"| {lru:+.1%} | {prob:+.1%} | {100 * (lru - prob):.1f} |"
        )
    return lines


def main() -> None:
    """Runs the search and prints its table."""
    folder = Path(__file__).parents[1] / "papers" / "lx"
    store = Store(sys.argv[1] if len(sys.argv) > 1 else "out/runs")
    sources = read_sources(folder / "traces.toml", Originals(None))
    counts = Counts(store)
    sweep = read_experiment(folder / "F12.toml", sources, counts, quick=False).work
    assert isinstance(sweep, Sweep)
    sweep.jobs = tuple(jobs(sweep))
    results = sweep.run(store=store.folder)
    for row in results.rows:
        if row.report is None:
            print(f"{row.job.label}: {row.failure}", file=sys.stderr)
    for name, (longer, shorter) in PAPER.items():
        print(f"{name}: the paper has the two {100 * (longer - shorter):.1f} points apart")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
