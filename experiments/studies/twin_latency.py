"""Response times of the Micron twin under load, beside those that SSD-iq measured (paper/finallat10).

Of the drive's times nothing was fitted but its bandwidth, to one point of full throughput. The drive was driven by six
threads of 99% writes at the rate that is named, and by a seventh of 10,000 requests a second, half of them reads; all
together it had at most 448 requests in flight. The twin takes both as one stream, arrivals at random, into a queue of
448. Read times are the seventh thread's, write times those of the six.

    .venv/bin/python experiments/studies/twin_latency.py            # about three minutes
    .venv/bin/python experiments/studies/twin_latency.py --requests 20000
"""

import argparse
import csv
from pathlib import Path

from rewear import Drive, Workload
from rewear.twin import Point, twin_of

_IN_FLIGHT = 448
# Times need a buffer of the right size, not of the right proportion. 8 MiB absorb a fiftieth of uniform writes.
_BUFFER_PAGES = 2048
_EXPORTED = {"Micron 7450 MAX 800GB": 745 << 30, "Micron 7450 PRO 960GB": 894 << 30}
_PERCENTILES = ("p50", "p99", "p999")
_FILE = Path(__file__).parents[1] / "twins" / "latency.csv"


def measured() -> dict[tuple[str, int], dict[str, dict[str, float]]]:
    """Rows of the file by drive and rate, then by the kind of thread."""
    found: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
    with _FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = {key: float(value) for key, value in row.items() if key not in ("drive", "requests")}
            kind = "writes" if row["requests"].startswith("99%") else "reads"
            found.setdefault((row["drive"], int(row["rate"])), {})[kind] = numbers
    return found


def replayed(twin: Drive, threads: dict[str, dict[str, float]], requests: int) -> dict[str, list[float]]:
    """Percentiles of reads and writes in microseconds, at the rate that was asked for."""
    rate = threads["writes"]["rate"]
    reads = threads["reads"]["reads_per_s"] + 0.01 * rate
    workload = (
        f"uniform:requests={requests},read={reads / (rate + 10_000):.4f},arrival=poisson,rate={rate + 10_000:.0f}"
    )
    report = twin.replay(Workload(workload), precondition="steady", warm_up=requests // 5)
    times = report["latency_ns"]
    return {kind: [times[kind][each] / 1000 for each in _PERCENTILES] for kind in ("read", "write")}


def main() -> None:
    """Prints a row for each drive and rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--twin", default="micron-7450-max")
    arguments = parser.parse_args()
    print("| drive | rate | reads, drive | reads, twin | writes, drive | writes, twin |")
    print("|---|--:|---|---|---|---|")
    for (name, rate), threads in measured().items():
        twin = twin_of(Drive(arguments.twin), [Point(1.0, 1, _EXPORTED[name])], same_flash=True)
        twin = twin.with_settings({"ftl.command_queue": _IN_FLIGHT, "ftl.write_buffer.pages": _BUFFER_PAGES})
        expected = replayed(twin, threads, arguments.requests)
        cells = []
        for kind, thread in (("read", threads["reads"]), ("write", threads["writes"])):
            cells.append([thread[f"{kind}_{each}_us"] for each in _PERCENTILES])
            cells.append(expected[kind])
        columns = " | ".join(" / ".join(f"{value:,.0f}" for value in cell) for cell in cells)
        print(f"| {name.split()[2]} | {rate:,} | {columns} |", flush=True)


if __name__ == "__main__":
    main()
