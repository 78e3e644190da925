"""Second writes against the plain drive, over all workloads.

`python experiments/studies/second_writes.py` prints a table. Of each workload, at 7% and at 28% over-provisioning:
erases with second writes relative to the plain drive, and the pages that the host writes until the drive is worn out
(100 cycles a block), also relative; then mean and worst of all. The chip is that of `toshiba-slc`. Made-up workloads
have four chips of two planes of 256 blocks. A recording has a drive hardly larger than what it touches, the hardest
case, and is replayed until it has written eight times its capacity, or until the drive is worn out. `--traces` adds
traces; `--set` gives the drive with second writes further parameters, `--both` gives them to the plain drive, too;
`--capacities` replays so many capacities instead of eight; `--rows` leaves out workloads whose name lacks the word. On
two cores made-up workloads and recordings take about two minutes; they and 16 traces took 1 min 18 s of processor time
without lives (`--no-lives`).

`--rules` compares the rules of recycling instead (`reuse.recycling`), without a guard: erases under each, beside second
writes that never succeed, and the valid pages of victims. Its workloads are the paper's two, on a chip of the paper,
and the traces, on planes of 512 blocks and more, as the paper's are: on smaller ones 1% is next to no block. Trims are
left out, as the paper's traces have none.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import rewear

SECOND: dict[str, Any] = {"reuse.scheme": "second-write", "reuse.success_probability": 0.95}
CYCLES = 100
PAPER = {"reuse.prefetch": "at-once", "reuse.pair_failures": 1}
RULES = ("before-erasing", "for-hot-writes")
CHANCES = (0.95, 0.0)
FEWEST_BLOCKS = 512
"""Of a plane in the paper: those of Hynix."""
MADE_UP = [
    *(f"zipf:theta={theta}" for theta in (0, 0.5, 0.8, 1, 1.2, 1.5, 2)),
    "hot-cold:hot=0.05,hits=0.95",
    "hot-cold:hot=0.2,hits=0.8",
    "uniform",
]


@dataclass(frozen=True)
class Row:
    """A workload on a drive of its size."""

    name: str
    geometry: dict[str, int]
    trace: Path | None
    pages_of_pass: int
    """Pages that one pass over a trace writes."""

    skip_trims: bool = False

    def source(self, requests: int) -> rewear.Trace | rewear.Workload:
        """The requests: of a made-up workload so many."""
        if self.trace:
            return rewear.Trace(self.trace, skip_trims=self.skip_trims)
        separator = "," if ":" in self.name else ":"
        return rewear.Workload(f"{self.name}{separator}requests={requests}")


def of_trace(path: Path, over_provisioning: float, fewest_blocks: int = 128, skip_trims: bool = False) -> Row:
    """The row of a trace: the drive has at least so many blocks a plane if it can have, of 64 pages or fewer."""
    info = rewear.Trace(path, skip_trims=skip_trims).info()
    distinct = info["distinct_pages_touched"]
    shapes = [(channels, 64) for channels in (4, 2, 1)] + [(1, pages) for pages in (32, 16, 8)]
    for channels, pages_per_block in shapes:
        planes = 2 * channels
        # A block a plane more, since pages are cut evenly.
        blocks = math.ceil(distinct * (1 + over_provisioning) / (planes * pages_per_block)) + 1
        if blocks >= fewest_blocks:
            break
    blocks = max(blocks, fewest_blocks)
    geometry = {"channels": channels, "blocks_per_plane": blocks, "pages_per_block": pages_per_block}
    return Row(path.name.split(".")[0], geometry, path, info["write"]["pages"], skip_trims)


def rows(traces: list[Path], over_provisioning: float) -> Iterator[Row]:
    """All rows at an over-provisioning."""
    for name in MADE_UP:
        yield Row(name, {"channels": 4, "blocks_per_plane": 256, "pages_per_block": 64}, None, 0)
    for path in traces:
        yield of_trace(path, over_provisioning)


def replay(row: Row, over_provisioning: float, settings: dict[str, Any], capacities: int) -> rewear.Report:
    """Replays so many capacities of a row's workload; if 0, until the drive is worn out."""
    life = capacities == 0
    flash = {f"flash.{key}": value for key, value in row.geometry.items()}
    if life:
        flash["flash.endurance_cycles"] = CYCLES
    drive = rewear.Drive("toshiba-slc", set={**flash, "ftl.over_provisioning": over_provisioning, **settings})
    pages = drive.exported_bytes // drive.logical_page_bytes
    options: dict[str, Any] = {"precondition": "fill", "no_time": True}
    written = pages * (capacities or 3 * CYCLES)
    if row.trace:
        options |= {"fit": "dense", "loops": math.ceil(written / row.pages_of_pass)}
    return drive.replay(row.source(written), **options)


def measure(
    row: Row, over_provisioning: float, drives: tuple[dict[str, Any], dict[str, Any]], capacities: int, lives: bool
) -> dict[str, Any]:
    """Erases and, if asked for, lives of a row, relative to the plain drive."""
    result: dict[str, Any] = {"name": row.name, "over_provisioning": over_provisioning}
    plain, second = (replay(row, over_provisioning, drive, capacities) for drive in drives)
    result["erases"] = second.erases / max(plain.erases, 1)
    result["plain"] = plain.erases
    result["second_writes"] = second["second_writes"]["written"] / second.host_pages_written
    result["valid"] = plain.to_dict().get("victim_valid_share")
    if lives:
        plain, second = (replay(row, over_provisioning, drive, 0) for drive in drives)
        if plain.complete or second.complete:
            raise rewear.ReplayError(f"{row.name}: a drive outlived the requests. Give it more.")
        result["life"] = second.host_pages_written / plain.host_pages_written
    return result


def rows_of_rules(traces: list[Path], over_provisioning: float) -> Iterator[Row]:
    """The paper's workloads on a chip of the paper, and traces on planes of as many blocks."""
    for theta in (1, 2):
        yield Row(f"zipf:theta={theta}", {"channels": 1, "blocks_per_plane": 2048, "pages_per_block": 64}, None, 0)
    for path in traces:
        yield of_trace(path, over_provisioning, FEWEST_BLOCKS, skip_trims=True)


def measure_rules(row: Row, over_provisioning: float, capacities: int) -> dict[str, Any]:
    """Erases of a row under each rule relative to the plain drive, in the order of `RULES` and `CHANCES`."""
    plain = replay(row, over_provisioning, {}, capacities)
    base = {"reuse.scheme": "second-write", "reuse.guard": "none", **PAPER}
    erases, valid = [], [plain.to_dict().get("victim_valid_share")]
    for rule in RULES:
        for chance in CHANCES:
            settings = {**base, "reuse.recycling": rule, "reuse.success_probability": chance}
            report = replay(row, over_provisioning, settings, capacities)
            erases.append(report.erases / max(plain.erases, 1))
            valid.append(report.to_dict().get("victim_valid_share"))
    name = f"{row.name}, {over_provisioning:.0%}"
    return {"name": name, "plain": plain.erases, "erases": erases, "valid": valid, **row.geometry}


def print_rules(traces: list[Path], arguments: argparse.Namespace) -> None:
    """Prints the table of both rules, or lines of JSON."""
    if not arguments.json:
        columns = [f"`{rule}`{', never succeeds' if chance == 0 else ''}" for rule in RULES for chance in CHANCES]
        print(f"| workload, over-provisioning | blocks a plane | plain | {' | '.join(columns)} |")
        print("|---" + "|--:" * 6 + "|")
    wanted = [(row, op) for op in (0.07, 0.28) for row in rows_of_rules(traces, op) if arguments.rows in row.name]
    with ThreadPoolExecutor(arguments.workers) as pool:
        for result in pool.map(lambda item: measure_rules(*item, arguments.capacities), wanted):
            if arguments.json:
                print(json.dumps(result))
            else:
                cells = " | ".join(f"{value:.3f}" for value in result["erases"])
                print(f"| {result['name']} | {result['blocks_per_plane']:,} | {result['plain']:,} | {cells} |")
            sys.stdout.flush()


def summary(results: list[dict[str, Any]]) -> Iterator[str]:
    """Mean and worst of the rows at each over-provisioning, and the mean of those that gain."""
    for over_provisioning in sorted({result["over_provisioning"] for result in results}):
        these = [result for result in results if result["over_provisioning"] == over_provisioning]
        erases = [result["erases"] for result in these]
        gaining = [value for value in erases if value <= 0.98]
        line = f"{over_provisioning:.0%}, {len(these)} workloads: erases {mean(erases):.3f} in the mean"
        if gaining:
            line += f" ({mean(gaining):.3f} where they gain 2% or more, {len(gaining)})"
        line += f", {max(erases):.4f} at worst"
        lives = [result["life"] for result in these if "life" in result]
        if lives:
            line += f"; life {mean(lives):.3f} in the mean, {min(lives):.4f} at worst"
        yield line


def main() -> None:
    """Prints the table, or lines of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", nargs="*", type=Path, default=[], help="further traces")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="of the drive with second writes"
    )
    parser.add_argument("--both", action="append", default=[], metavar="KEY=VALUE", help="of both drives")
    parser.add_argument("--capacities", type=int, default=8, help="capacities that are written (default 8)")
    parser.add_argument("--rows", default="", help="only workloads whose name has this in it")
    parser.add_argument("--rules", action="store_true", help="both rules of recycling instead")
    parser.add_argument("--no-lives", action="store_true", help="erases only")
    parser.add_argument("--workers", type=int, default=2, help="replays at a time (default 2)")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each row")
    arguments = parser.parse_args()
    both, more = (dict(setting.split("=", 1) for setting in given) for given in (arguments.both, arguments.set))
    drives = (both, {**SECOND, **both, **more})
    if arguments.rules:
        print_rules(arguments.traces, arguments)
        return
    traces = sorted(Path("recordings").glob("*.rwt")) + arguments.traces
    wanted = [(row, op) for op in (0.07, 0.28) for row in rows(traces, op) if arguments.rows in row.name]
    with ThreadPoolExecutor(arguments.workers) as pool:
        results = pool.map(
            lambda item: measure(item[0], item[1], drives, arguments.capacities, not arguments.no_lives), wanted
        )
        if not arguments.json:
            print("| workload, over-provisioning | valid in victims, plain | erases | life |\n|---|--:|--:|--:|")
        measured = []
        for result in results:
            measured.append(result)
            if arguments.json:
                print(json.dumps(result))
            else:
                life = f"{result['life']:.3f}" if "life" in result else ""
                name = f"{result['name']}, {result['over_provisioning']:.0%}"
                print(f"| {name} | {result['valid'] or 0:.0%} | {result['erases']:.3f} | {life} |")
            sys.stdout.flush()
    if not arguments.json:
        print("", *summary(measured), sep="\n")


if __name__ == "__main__":
    main()
