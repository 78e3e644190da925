"""Effects of a cache of cells with one bit each on a client drive: the tables of docs/notebook/slc-cache.md.

    python experiments/studies/slc_cache.py [--workers 2] [--write]

Runs slc_cache.toml and prints the tables, or writes them between the marks of the page.
"""

import argparse
import re
from pathlib import Path

from rewear.core.report import Report
from rewear.figures.units import format_bytes, format_time
from rewear.sweep import Results, Sweep

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "notebook" / "slc-cache.md"
TABLES = re.compile(r"(?<=<!-- tables -->\n).*(?=<!-- end -->)", re.DOTALL)
HEAD = (
    "workload", "cache", "in the cache", "past it", "folded", "cleaned", "W", "erased", "mean write", "p99", "TBW",
)  # fmt: skip


def programs(report: Report) -> list[float]:
    """Programs of each kind for a page that the host wrote: in the cache, past it, folded, moved by cleaning."""
    cache, page = report.slc_cache, report.derived["logical_page_bytes"]
    written = report.host_pages_written
    if cache is None:
        return [0.0, report.pages_programmed["host"] / written, 0.0, report.pages_moved / written]
    cached, direct, folded = (cache[f"bytes_{kind}"] / page / written for kind in ("cached", "direct", "folded"))
    return [cached, direct, folded, report.pages_moved / written - folded]


def cells(report: Report | None, plain: Report | None) -> list[str]:
    """A row behind its labels."""
    if report is None or plain is None:
        return ["-"] * (len(HEAD) - 2)
    erased = report.flash_erased_bytes / plain.flash_erased_bytes if plain.flash_erased_bytes else None
    write = report.to_dict()["latency_ns"]["write"]
    return [
        *(f"{part:.2f}" for part in programs(report)),
        f"{report.write_amplification:.2f}",
        "-" if erased is None else f"{erased:.2f}",
        format_time(write["mean"]),
        format_time(write["p99"]),
        "-" if report.life is None else format_bytes(report.life["tbw_bytes"]),
    ]


def table(results: Results, recycle: str) -> str:
    """The rows of all workloads and caches with one way to recycle."""
    lines = [f"| {' | '.join(HEAD)} |", f"|---|---|{'--:|' * (len(HEAD) - 2)}"]
    axes = {axis.name: [point.label for point in axis.points] for axis in results.description.axes}
    for workload in axes["workload"]:
        for cache in axes["cache"]:
            row, plain = (
                results.select(workload=workload, cache=each, recycle=recycle)[0].report for each in (cache, "none")
            )
            lines.append(f"| {' | '.join([workload, cache, *cells(row, plain)])} |")
    return "\n".join(lines) + "\n"


def together(results: Results) -> str:
    """Flash erased with cache and recycling over the product of what each leaves alone."""
    axes = {axis.name: [point.label for point in axis.points] for axis in results.description.axes}
    caches = [cache for cache in axes["cache"] if cache != "none"]
    lines = [f"| | {' | '.join(caches)} |", f"|---|{'--:|' * len(caches)}"]

    def erased(workload: str, cache: str, recycle: str) -> float:
        report = results.select(workload=workload, cache=cache, recycle=recycle)[0].report
        return 0.0 if report is None else float(report.flash_erased_bytes)

    for workload in axes["workload"]:
        values = []
        for cache in caches:
            product = erased(workload, cache, "none") * erased(workload, "none", "lx")
            both = erased(workload, cache, "lx") * erased(workload, "none", "none")
            values.append(f"{both / product:.2f}" if product else "-")
        lines.append(f"| {workload} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs what has not been run and prints or writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, help="processes; one a core unless given")
    parser.add_argument("--write", action="store_true", help="put the tables in the place of the page's")
    given = parser.parse_args()
    results = Sweep.from_file(ROOT / "experiments" / "studies" / "slc_cache.toml").run(workers=given.workers)
    for row in results.rows:
        if row.report is None:
            print(f"{row.job.label}: {row.reason}")
    made = "\n".join(
        [table(results, "none"), "The same with recycling by value (`lx`):\n", table(results, "lx"),
         "Flash erased with both, over the product of what each leaves alone:\n", together(results)]
    )  # fmt: skip
    print(made)
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLES.sub(lambda _: "\n" + made + "\n", page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
