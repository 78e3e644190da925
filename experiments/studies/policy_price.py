"""Price of a policy in Python: processor time of a replay beside that of its Rust twin, and of a call.

    python experiments/studies/policy_price.py [--rounds N]

Each round replays both drives, one after the other, so that both have the same machine; medians of the rounds count.
Prints the table of docs/notebook/policies.md.
"""

import argparse
import time
from pathlib import Path
from statistics import median

from rewear import Drive, Policy, Workload

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "policies"
WORKLOAD = "zipf:requests=600000"
TWINS: dict[str, dict[str, str]] = {
    "greedy.py": {"ftl.victim.scheme": "greedy"},
    "cost_benefit.py": {"ftl.victim.scheme": "cost-benefit"},
    "sep_bit.py": {"ftl.streams.scheme": "sep-bit"},
}
SHAPES: dict[str, dict[str, str]] = {"drive": {}, "block": {"ftl.erase_unit": "block"}}
"""Erase units of all planes, and of a block: the latter are 64 times as many, in 64 pools."""


def replay_s(drive: Drive) -> float:
    """Processor time of a replay."""
    begin = time.process_time()
    drive.replay(Workload(WORKLOAD), precondition="fill", no_time=True)
    return time.process_time() - begin


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="replays of each drive")
    rounds = parser.parse_args().rounds
    print(
        "| policy | erase unit | calls | time of the replay | a call, us | calls a second |\n|---|---|--:|--:|--:|--:|"
    )
    for shape, settings in SHAPES.items():
        for file, twin in TWINS.items():
            policy = Policy(EXAMPLES / file)
            drives = Drive("qlc-op28", set={**settings, **twin}), Drive("qlc-op28", set=settings).with_policy(policy)
            times = [tuple(map(replay_s, drives)) for _ in range(rounds)]
            calls = policy.calls / rounds
            plain, mine = (median(each) for each in zip(*times, strict=True))
            call_s = median(each[1] - each[0] for each in times) / calls
            cells = (f"{calls:,.0f}", f"{mine / plain:.2f} times", f"{call_s * 1e6:.1f}", f"{1 / call_s:,.0f}")
            print(f"| `{file}` | {shape} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
