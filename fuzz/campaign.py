"""Runs the fuzz targets one after the other and says how many inputs each has had.

Every target is a program of libFuzzer, built by `make fuzz`. Its inputs follow from the seed. An input that ends in a
panic, takes longer than the limit, or takes too much memory is kept, with the command that repeats it.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

# Executions in a hundred million. Those of which one takes more than 100 us have fewer than a million.
EXECUTIONS = {
    "rivest_shamir": 10_000_000,
    "wom_v": 8_000_000,
    "bch_decode": 8_000_000,
    "ldpc_decode": 2_000_000,
    "sensing": 1_000_000,
    "polar_decode": 1_000_000,
    "polar_page_read": 60_000,
    "polar_second_write": 60_000,
    "compact_blocks": 2_000_000,
    "open_trace": 2_000_000,
    "workload_spec": 2_000_000,
    "set": 1_000_000,
    "drive_file": 100_000,
    "stand_in_profile": 60_000,
    "live_requests": 100_000,
    "flip_n_write": 62_620_000,
}
ALL = sum(EXECUTIONS.values())
# Bytes of the longest input: enough for every argument of the body.
LONGEST = {"polar_page_read": 2048, "polar_second_write": 2048, "open_trace": 4096, "compact_blocks": 4096}


def run(program: Path, executions: int, options: argparse.Namespace) -> dict[str, object]:
    """Executes one target; its new inputs gather in a folder of its own."""
    name = program.name
    corpus, findings = options.folder / name / "corpus", options.folder / name / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    command = [
        str(program),
        f"-runs={executions}",
        f"-seed={options.seed}",
        f"-timeout={options.limit}",
        "-rss_limit_mb=4096",
        "-malloc_limit_mb=2048",
        "-reload=0",
        "-print_final_stats=1",
        f"-max_len={LONGEST.get(name, 1024)}",
        f"-artifact_prefix={findings}/",
        str(corpus),
    ]
    begun = time.monotonic()
    with (options.folder / name / "log").open("w", encoding="utf-8") as log:
        status = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    text = (options.folder / name / "log").read_text(encoding="utf-8", errors="replace")
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    edges = re.findall(r" cov: (\d+)", text)
    seconds = time.monotonic() - begun
    return {
        "target": name,
        "executions": int(executed[1]) if executed else 0,
        "asked": executions,
        "seconds": round(seconds, 1),
        "edges": int(edges[-1]) if edges else 0,
        "findings": sorted(str(path) for path in findings.iterdir()),
        "status": status,
    }


def main() -> int:
    """Runs the campaign; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="folder of the programs")
    parser.add_argument("--executions", type=float, default=1e6, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="seconds that one input may take")
    parser.add_argument("--folder", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--targets", nargs="*", choices=sorted(EXECUTIONS), default=list(EXECUTIONS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    results = []
    print(f"{'target':20} {'executions':>12} {'seconds':>8} {'a second':>10} {'edges':>6}  findings", flush=True)
    for name in options.targets:
        share = max(1, round(EXECUTIONS[name] * options.executions / ALL))
        result = run(options.programs / name, share, options)
        results.append(result)
        rate = result["executions"] / max(result["seconds"], 0.1)
        found = ", ".join(result["findings"]) or ("none" if result["status"] == 0 else f"exit code {result['status']}")
        figures = f"{result['executions']:12,} {result['seconds']:8,.0f} {rate:10,.0f} {result['edges']:6}"
        print(f"{name:20} {figures} {found:>9}", flush=True)
        (options.folder / "results.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    print(f"{'together':20} {sum(result['executions'] for result in results):12,}")
    bad = [result for result in results if result["findings"] or result["status"] != 0]
    for result in bad:
        for path in result["findings"]:
            print(f"repeat: {options.programs / result['target']} {path}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
