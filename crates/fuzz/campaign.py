"""Runs the fuzz targets and says how many inputs each has had.

Most targets are programs of libFuzzer, built by `make fuzz`; sweep files and clients that hang up are scripts of
Python. Their inputs follow from the seed. An input that ends in a panic, takes longer than the limit, or takes too much
memory is kept, and the command that repeats it is printed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Executions in a hundred million. What reads the files and words of users has two thirds of the processor's time, the
# codes the rest: they are faster by one or two orders. In the order in which they begin: the long ones first.
EXECUTIONS = {
    "open_trace": 6_000_000,
    "workload_spec": 6_000_000,
    "set": 800_000,
    "descriptions": 500_000,
    "live_requests": 1_000_000,
    "nvme_units": 2_000_000,
    "compact_blocks": 2_000_000,
    "compact_columns": 1_000_000,
    "drive_file": 100_000,
    "stand_in_profile": 40_000,
    "hang_ups": 2_000,
    "wom_v": 10_000_000,
    "coset": 1_000_000,
    "bch_decode": 10_000_000,
    "rivest_shamir": 20_000_000,
    "ldpc_decode": 3_000_000,
    "sensing": 1_000_000,
    "polar_decode": 2_000_000,
    "polar_page_read": 100_000,
    "polar_second_write": 100_000,
    "flip_n_write": 34_358_000,
}
ALL = sum(EXECUTIONS.values())
# Scripts, with their number of executions and the seed to fill in; what they print of executions.
SCRIPTS = {
    "descriptions": (
        [str(ROOT / "crates/fuzz/descriptions.py"), "--executions={executions}", "--seed={seed}", "--limit={limit}"],
        r"([\d,]+) executions in",
    ),
    "hang_ups": (
        [str(ROOT / "experiments/studies/live.py"), "--drives=qlc", "hang-ups", "--rounds=1", "--times={executions}"],
        r'"hang_ups": (\d+)',
    ),
}
# Bytes of the longest input: enough for every argument of the body.
LONGEST = {
    "polar_page_read": 2048,
    "polar_second_write": 2048,
    "open_trace": 4096,
    "compact_blocks": 4096,
    "compact_columns": 2048,
}


def command_of(name: str, executions: int, options: argparse.Namespace) -> tuple[list[str], str]:
    """What executes a target, and where its output says how many executions there were."""
    folder = options.folder / name
    if name in SCRIPTS:
        words, counted = SCRIPTS[name]
        wanted = {"executions": executions, "seed": options.seed, "limit": options.limit}
        return [sys.executable, *(word.format(**wanted) for word in words)], counted
    command = [
        str(options.programs / name),
        f"-runs={executions}",
        f"-seed={options.seed}",
        f"-timeout={options.limit}",
        f"-report_slow_units={options.limit}",
        "-rss_limit_mb=4096",
        "-malloc_limit_mb=2048",
        "-reload=0",
        "-print_final_stats=1",
        f"-max_len={LONGEST.get(name, 1024)}",
        f"-artifact_prefix={folder / 'findings'}/",
        str(folder / "corpus"),
    ]
    return command, r"stat::number_of_executed_units:\s*(\d+)"


def run(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Executes one target; its new inputs gather in a folder of its own."""
    executions = max(1, round(EXECUTIONS[name] * options.executions / ALL))
    folder = options.folder / name
    for gathers in ("corpus", "findings"):
        (folder / gathers).mkdir(parents=True, exist_ok=True)
    command, counted = command_of(name, executions, options)
    # Inputs that must be files lie in memory where that is possible.
    environment = {"TMPDIR": "/dev/shm", **os.environ} if os.access("/dev/shm", os.W_OK) else None
    begun = time.monotonic()
    with (folder / "log").open("w", encoding="utf-8") as log:
        status = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, check=False).returncode
    text = (folder / "log").read_text(encoding="utf-8", errors="replace")
    executed = re.findall(counted, text)
    edges = re.findall(r" cov: (\d+)", text)
    findings = sorted(str(path) for path in (folder / "findings").iterdir())
    repeat = [f"{command[0]} {path}" for path in findings]
    if status != 0 and not findings:
        repeat = [f"{' '.join(command)}    # see {folder / 'log'}"]
    return {
        "target": name,
        "executions": int(executed[-1].replace(",", "")) if executed else 0,
        "asked": executions,
        "seconds": round(time.monotonic() - begun, 1),
        "edges": int(edges[-1]) if edges else 0,
        "findings": findings,
        "repeat": repeat,
        "status": status,
    }


def line_of(result: dict[str, Any]) -> str:
    """A line of the table."""
    found = f"{len(result['repeat'])} found" if result["repeat"] else "none"
    rate = result["executions"] / max(result["seconds"], 0.1)
    figures = f"{result['executions']:12,} {result['seconds']:8,.0f} {rate:10,.0f} {result['edges']:6}"
    return f"{result['target']:20} {figures}  {found}"


def main() -> int:
    """Runs the campaign; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="folder of the programs")
    parser.add_argument("--executions", type=float, default=1e6, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="seconds that one input may take")
    parser.add_argument("--folder", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("--targets", nargs="*", choices=sorted(EXECUTIONS), default=list(EXECUTIONS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    results: list[dict[str, Any]] = []
    print(f"{'target':20} {'executions':>12} {'seconds':>8} {'a second':>10} {'edges':>6}  findings", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(run, name, options) for name in options.targets]):
            results.append(done.result())
            print(line_of(results[-1]), flush=True)
            (options.folder / "results.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    print(f"{'together':20} {sum(result['executions'] for result in results):12,}")
    repeat = [command for result in results for command in result["repeat"]]
    for command in repeat:
        print(f"repeat: {command}", file=sys.stderr)
    return 1 if repeat else 0


if __name__ == "__main__":
    sys.exit(main())
