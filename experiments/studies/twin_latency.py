"""Response times of drives under load, beside those that SSD-iq measured (paper/finallat10).

The two Microns are answered by their twin. Of their times nothing was fitted but the bandwidth, to one point of full
throughput. A drive without a twin is answered by its class in its capacity, so nothing of it is fitted.

The rate that is named is of the writes. Six threads of 99% writes have 5,000 requests a second less than that. A
seventh has 10,000 requests a second, half of them reads. All together the drive had at most 448 requests in flight. The
model takes all threads as one stream, arrivals at random, into a queue of 448. Read times are the seventh thread's,
write times those of the six.

    .venv/bin/python experiments/studies/twin_latency.py            # about five minutes of processor
    .venv/bin/python experiments/studies/twin_latency.py --requests 20000
"""

import argparse
import csv
from functools import cache
from pathlib import Path
from statistics import fmean

from rewear import Drive, Workload
from rewear.sold.classes import class_drive
from rewear.twin.points import Point
from rewear.twin.predict import twin_of

_IN_FLIGHT = 448
# Times need a buffer of the right size, not of the right proportion. 8 MiB absorb a fiftieth of uniform writes.
_BUFFER_PAGES = 2048
_EXPORTED = {"Micron 7450 MAX 800GB": 745 << 30, "Micron 7450 PRO 960GB": 894 << 30}
_CLASSES = {
    "SK Hynix PE8110 960GB": ("enterprise-tlc", 960 * 10**9),
    "Samsung PM9A3 960GB": ("enterprise-tlc", 960 * 10**9),
    "WD DC 960GB": ("enterprise-tlc", 960 * 10**9),
    "Solidigm P5520 1920GB i0": ("enterprise-tlc", 1920 * 10**9),
    "Solidigm P5520 1920GB i1": ("enterprise-tlc", 1920 * 10**9),
    "Kioxia CM7-R 3840GB k4": ("enterprise-tlc", 3840 * 10**9),
    "Kioxia CM7-R 3840GB k5": ("enterprise-tlc", 3840 * 10**9),
}
# The class has its whole buffer of 64 MiB, a sixty-fourth of this.
_CLASS_FLASH_BYTES = 4 << 30
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


def _twin(micron: str, name: str) -> Drive:
    twin = twin_of(Drive(micron), [Point(1.0, 1, _EXPORTED[name])], same_flash=True)
    return twin.with_settings({"ftl.write_buffer.pages": _BUFFER_PAGES})


@cache
def replayed(model: Drive, rate: int, requests: int) -> dict[str, list[float]]:
    """Percentiles of reads and writes in microseconds, at the rate that was asked for."""
    total, reads = rate + 5_000, 5_000 + 0.01 * (rate - 5_000)
    workload = f"uniform:requests={requests},read={reads / total:.4f},arrival=poisson,rate={total}"
    report = model.with_settings({"ftl.command_queue": _IN_FLIGHT}).replay(
        Workload(workload), precondition="steady", warm_up=requests // 5
    )
    times = report["latency_ns"]
    return {kind: [times[kind][each] / 1000 for each in _PERCENTILES] for kind in ("read", "write")}


def main() -> None:
    """Prints a row for each drive and rate, then the mean relative errors of each drive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--twin", default="micron-7450-max")
    arguments = parser.parse_args()
    models = {name: _twin(arguments.twin, name) for name in _EXPORTED}
    of_class = {key: class_drive(*key, model_flash_bytes=_CLASS_FLASH_BYTES) for key in set(_CLASSES.values())}
    models |= {name: of_class[key] for name, key in _CLASSES.items()}
    errors: dict[str, list[list[float]]] = {name: [] for name in models}
    print("| drive | rate | reads, drive | reads, model | writes, drive | writes, model |")
    print("|---|--:|---|---|---|---|")
    for (name, rate), threads in measured().items():
        expected = replayed(models[name], rate, arguments.requests)
        cells = []
        for kind, thread in (("read", threads["reads"]), ("write", threads["writes"])):
            cells.append([thread[f"{kind}_{each}_us"] for each in _PERCENTILES])
            cells.append(expected[kind])
        columns = " | ".join(" / ".join(f"{value:,.0f}" for value in cell) for cell in cells)
        print(f"| {name} | {rate:,} | {columns} |", flush=True)
        pairs = [(cells[side][at], cells[side + 1][at]) for side in (0, 2) for at in (0, 1)]
        errors[name].append([abs(model / drive - 1) for drive, model in pairs])
    print("\n| drive | reads p50 | reads p99 | writes p50 | writes p99 |")
    print("|---|--:|--:|--:|--:|")
    for name, rows in errors.items():
        print(f"| {name} | " + " | ".join(f"{fmean(each):.0%}" for each in zip(*rows, strict=True)) + " |")


if __name__ == "__main__":
    main()
