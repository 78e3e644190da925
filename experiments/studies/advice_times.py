"""Times `rewear advise` for each recording on each chip, in seconds of processor and by the clock.

    python experiments/studies/advice_times.py [--recordings home web] [--chips qlc mlc]

Prints the table of docs/notebook/advice.md. Processor time is that of the command and of all its threads (user and
system), so it says the same beside other work; the time on an idle machine is at least that over the number of cores.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

from rewear import recordings
from rewear.advice import chips


def measure(trace: str, chip: str) -> tuple[float, float, dict[str, object]]:
    """Processor seconds, seconds by the clock, and the answer."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "rewear", "advise", trace, "--chip", chip, "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    clock, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, clock, json.loads(done.stdout)


def main() -> None:
    """A row a pair, as they end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", nargs="*", default=sorted(recordings()))
    parser.add_argument("--chips", nargs="*", default=list(chips()))
    chosen = parser.parse_args()
    print("| recording | chip | drives | processor | over two cores | by the clock, load | buy |", flush=True)
    print("|---|---|--:|--:|--:|--:|---|", flush=True)
    for name in chosen.recordings:
        for chip in chosen.chips:
            used, clock, answer = measure(str(recordings()[name]), chip)
            drives = len(answer["sold"]) + sum(len(each["drives"]) for each in answer["techniques"].values())
            load = f"{clock:.0f} s, {os.getloadavg()[0]:.1f}"
            print(
                f"| {name} | {chip} | {drives} | {used:.0f} s | {used / 2:.0f} s | {load} | {answer['buy']} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
