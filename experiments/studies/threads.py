"""What several threads give one replay: `python experiments/studies/threads.py [--threads 2] [--rounds 3]`.

Plain drives with static striping are replayed without times, by one thread and by several in turn. The reports are
compared to the last byte. Seconds are medians over the rounds: by the clock, and of processor time over all threads,
without the start of Python. On a machine with other work give the process precedence (nice, autogroup).
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
    ) -> Replay:
        return lambda threads: drive.replay(
            source, precondition="fill", no_time=True, threads=threads, fit=fit, loops=loops
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
    ]


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
