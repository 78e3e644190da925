"""Throughput of a closed loop over its depth against what the planes allow, for units of a block, a die, the drive.

    python experiments/studies/queue_depths.py [--requests 300000]

Prints the table of docs/notebook/timing.md and draws its picture. "Planes allow" is what the run would have
written in its time had all planes been busy; "busiest" is the busy share of the plane that had most to do, which
bounds a drive whose writes go round its pools.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from rewear import Drive, Report, Workload

UNITS = ("block", "die", "drive")
BALANCED = ("block", "die")
"""Units of which a drive has several pools, for `ftl.striping = "balanced"`."""
DEPTHS = (1, 8, 64, 512, 1024)
PICTURE = Path("docs/pictures/queue-depths.svg")

# The same bytes on every run.
matplotlib.rcParams["svg.hashsalt"] = "rewear"


def throughput(report: Report) -> float:
    """10^6 bytes per second that the host wrote."""
    return float(report["host_bytes_written"]) / float(report.simulated_ns) * 1e3


def measure(requests: int) -> dict[str, list[Report]]:
    """A report for each unit, with its striping where that is not the default, and depth."""
    reports = {}
    stripings = {unit: (unit, "dynamic") for unit in UNITS} | {
        f"{unit}, balanced": (unit, "balanced") for unit in BALANCED
    }
    for name, (unit, striping) in stripings.items():
        drive = Drive("qlc", set={"ftl.erase_unit": unit, "ftl.striping": striping})
        workload = Workload(f"uniform:requests={requests}")
        reports[name] = [
            drive.replay(workload, precondition="fill", arrival="closed", queue_depth=depth) for depth in DEPTHS
        ]
    return reports


def row(unit: str, report: Report, depth: int) -> str:
    """A row of the table."""
    planes = report["busy_ns"]["planes"]
    busy, busiest = report["utilisation"]["planes"], max(planes) / report.simulated_ns
    written = throughput(report)
    p999 = report["latency_ns"]["write"]["p999"] / 1e6
    cells = (unit, depth, f"{written:.2f}", f"{written / busy:.2f}", f"{busy:.0%}", f"{busiest:.0%}", f"{p999:.0f} ms")
    return "| " + " | ".join(map(str, cells)) + " |"


def plot(reports: dict[str, list[Report]]) -> None:
    """Throughput over depth, and dashed what the planes allow."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for unit, of_unit in reports.items():
        (line,) = axes.plot(DEPTHS, [throughput(report) for report in of_unit], marker="o", label=f"erase unit: {unit}")
        allowed = [throughput(report) / report["utilisation"]["planes"] for report in of_unit]
        axes.plot(DEPTHS, allowed, color=line.get_color(), linestyle="dashed", linewidth=1)
    axes.set(xscale="log", xlabel="requests in flight", ylabel="MB/s written (dashed: planes allow)", ylim=(0, None))
    axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
    axes.legend()
    figure.savefig(PICTURE, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table, draws the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=300_000)
    options = parser.parse_args(arguments)
    reports = measure(options.requests)
    print("| erase unit | in flight | MB/s written | planes allow | planes busy | busiest | p99.9 |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for unit, of_unit in reports.items():
        for depth, report in zip(DEPTHS, of_unit, strict=True):
            print(row(unit, report, depth))
    plot(reports)


if __name__ == "__main__":
    main()
