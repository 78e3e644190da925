"""What several threads give one replay: `python experiments/studies/threads.py [--threads 2] [--rounds 3]`.

Drives with static striping are replayed by one thread and by several in turn: plain ones and schemes without times, and
some with times, in an open loop. The reports are compared to the last byte. Seconds are medians over the rounds, by the
clock and of processor time over all threads, without the start of Python. On a machine with other work give the process
precedence (nice, autogroup).
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import rewear

ROOT = Path(__file__).parents[2]
Replay = Callable[[int], rewear.Report]
"""A replay by so many threads."""
LITTLE_SPARE = {"ftl.over_provisioning": 0.15}
TIMED = "requests=2000000,read=0.2,arrival=poisson,rate=200"
"""Requests that arrive at times of their own."""
MLC = {
    "flash.bits_per_cell": 2,
    "flash.page_order": "paired",
    "flash.timing.read_ns": [50_000, 60_000],
    "flash.timing.program_ns": [500_000, 900_000],
}


def replays(folder: Path) -> list[tuple[str, Replay]]:
    """Names and replays."""
    small, large = (
        rewear.Drive("disksim", set={**LITTLE_SPARE, "flash.blocks_per_plane": blocks}) for blocks in (1024, 16_384)
    )
    short = rewear.Drive("disksim", set={**LITTLE_SPARE, "flash.blocks_per_plane": 64})
    rows = folder / "uniform.csv"
    draw = random.Random(1)
    pages = small.exported_bytes // small.logical_page_bytes
    rows.write_text("".join(f"{at},W,{draw.randrange(pages) * 8192},8192\n" for at in range(3_000_000)))

    def replay(
        drive: rewear.Drive,
        source: rewear.Workload | Path,
        fit: Literal["modulo"] | None = None,
        loops: int = 1,
        *,
        no_time: bool = True,
    ) -> Replay:
        return lambda threads: drive.replay(
            source, precondition="fill", no_time=no_time, threads=threads, fit=fit, loops=loops
        )

    def made(text: str) -> rewear.Workload:
        return rewear.Workload(text)

    return [
        ("disksim, 1 million pages, uniform", replay(small, made("uniform:requests=8000000"))),
        ("disksim, 1 million pages, zipf", replay(small, made("zipf:requests=8000000"))),
        ("disksim, 1 million pages, 32 KiB each", replay(small, made("uniform:requests=2000000,size=32KiB"))),
        ("disksim, 16 million pages, uniform", replay(large, made("uniform:requests=8000000"))),
        ("toshiba-slc, uniform", replay(rewear.Drive("toshiba-slc"), made("uniform:requests=4000000"))),
        ("disksim, 1 million pages, csv of 3 million writes", replay(small, rows, loops=2)),
        (
            "disksim, 64 blocks a die, recordings/day.rwt",
            replay(short, ROOT / "recordings/day.rwt", fit="modulo", loops=20),
        ),
        *((f"{name}, zipf", replay(drive, made("zipf:requests=2000000,read=0.2"))) for name, drive in schemes()),
        *(
            (f"{name} with times, {workload}", replay(drive, made(f"{workload}:{TIMED}"), no_time=False))
            for name, drive in [("toshiba-slc", rewear.Drive("toshiba-slc")), *schemes()[:1]]
            for workload in ("uniform", "zipf")
        ),
        (
            "toshiba-slc with times, 16 KiB each",
            replay(rewear.Drive("toshiba-slc"), made(f"uniform:{TIMED},size=16KiB"), no_time=False),
        ),
    ]


def schemes() -> list[tuple[str, rewear.Drive]]:
    """Drives with schemes whose dies share nothing, with the shape of `toshiba-slc`."""
    shape = {
        "flash.channels": 4,
        "flash.dies_per_channel": 1,
        "flash.planes_per_die": 2,
        "flash.blocks_per_plane": 1024,
        "flash.pages_per_block": 128,
        "ftl.striping": "static-die",
        "ftl.erase_unit": "block",
        "ftl.over_provisioning": 0.25,
    }
    settings: dict[str, dict[str, object]] = {
        "wom-v": {"reuse.scheme": "wom-v", "reuse.data_bits": 2},
        "coset": {"reuse.scheme": "coset", "reuse.rate": 0.857},
        "seal": {"reuse.scheme": "seal", **MLC},
        "agcr": {"effort.scheme": "agcr", **MLC},
        "slc cache": {"ftl.slc_cache.scheme": "static"},
    }
    return [(name, rewear.Drive("qlc", set={**shape, **own})) for name, own in settings.items()]


def measured(replay: Replay, threads: int) -> tuple[float, float, str]:
    """Seconds by the clock, of processor time, and the report as text."""
    began, worked = time.perf_counter(), time.process_time()
    report = replay(threads)
    return time.perf_counter() - began, time.process_time() - worked, json.dumps(report.to_dict())


def main() -> None:
    """Reads the command line, prints a row for each replay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"| replay | seconds, 1 thread | {given.threads} threads | times as fast | processor seconds | |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, replay in replays(Path(folder)):
            found: dict[int, list[tuple[float, float]]] = {1: [], given.threads: []}
            reports = set()
            for threads in [1, given.threads] * given.rounds:
                clock, processor, report = measured(replay, threads)
                found[threads].append((clock, processor))
                reports.add(report)
            if len(reports) != 1:
                raise SystemExit(f"{name}: reports differ")
            (one, work), (several, works) = (
                [statistics.median(column) for column in zip(*rows, strict=True)] for rows in found.values()
            )
            cells = f"{one:.2f} | {several:.2f} | {one / several:.2f} | {work:.2f} | {works:.2f}"
            print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
