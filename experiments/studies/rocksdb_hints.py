"""RocksDB's pull request 13994: the spare flash with which the model has 2.7 without hints, and what hints then give.

    python experiments/studies/rocksdb_hints.py native.rwt tuned.rwt

The recordings are those of experiments/studies/rocksdb_hints.sh. What is read and what is assumed was written down
before any run: docs/notebook/rocksdb-hints.md.
"""

import argparse
import itertools
from collections.abc import Sequence

from rewear import Trace
from rewear.advice.rivals import Rival
from rewear.advice.sizing import DoesNotFitError, sold_drive
from rewear.core.report import Report
from rewear.sold.classes import class_tables

PUBLISHED = {"no hints": 2.7, "native hints": 2.4, "tuned hints": 1.9}
PAUSE_NS = 9_000_000_000
"""A pause of ten seconds parts the load from the updates."""
SPARE = (0.07, 0.28)
HANDLES = {"ftl": {"streams": {"scheme": "host", "handles": 8, "isolation": "initial"}}}


def loaded(trace: Trace) -> int:
    """Requests of the load; half of all where the recording ends within it."""
    requests = trace.head(trace.info()["requests"])
    gaps = [after["at_ns"] - before["at_ns"] for before, after in itertools.pairwise(requests)]
    longest = max(range(len(gaps)), key=gaps.__getitem__)
    return longest + 1 if gaps[longest] > PAUSE_NS else len(requests) // 2


def replayed(trace: Trace, load: int, spare: float, handles: bool, pages_bytes: int) -> Report:
    """The update phase on a drive whose flash is so much more than what the file system takes."""
    tables = class_tables("enterprise-tlc", 3_840_000_000_000, over_provisioning=spare)
    drive = sold_drive(Rival("drive", "plain", "sold", HANDLES if handles else {}), tables, pages_bytes).drive
    return drive.replay(trace, fit="dense", precondition="none", warm_up=load, no_time=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("native")
    parser.add_argument("tuned")
    given = parser.parse_args(arguments)
    traces = {"native hints": Trace(given.native), "tuned hints": Trace(given.tuned)}
    infos = {name: trace.info() for name, trace in traces.items()}
    loads = {name: loaded(trace) for name, trace in traces.items()}
    size = max(info["distinct_pages_touched"] for info in infos.values()) * 4096
    for name, info in infos.items():
        print(f"{name}: {info['write']['bytes'] / 2**30:.2f} GiB written, {loads[name]} requests of the load")

    def waf(name: str, spare: float) -> float | None:
        trace = "tuned hints" if name.startswith("tuned") else "native hints"
        try:
            report = replayed(traces[trace], loads[trace], spare, name.endswith(" hints") and name != "no hints", size)
        except DoesNotFitError:
            return None
        return report.figure("write_amplification")

    low, high = 0.02, 0.5
    while high - low > 0.004:
        middle = (low + high) / 2
        found = waf("no hints", middle)
        print(f"without hints, {middle:.1%} of spare flash: {found}", flush=True)
        low, high = (middle, high) if found is None or found > PUBLISHED["no hints"] else (low, middle)
    names = ["no hints", "tuned, not heeded", "native hints", "tuned hints"]
    print(f"\n| spare flash | {' | '.join(names)} |\n|--:|" + "--:|" * len(names))
    for spare in sorted({*SPARE, round(high, 3)}):
        cells = [waf(name, spare) for name in names]
        fitted = " (fitted)" if spare == round(high, 3) else ""
        print(
            f"| {spare:.1%}{fitted} | {' | '.join('-' if cell is None else f'{cell:.2f}' for cell in cells)} |",
            flush=True,
        )
    print(f"\npublished: {PUBLISHED}")
    for name in ("native hints", "tuned hints"):
        print(f"\n{name}, by identifier:")
        for row in replayed(traces[name], loads[name], max(SPARE), True, size).streams or ():
            if row["pages_written"]:
                print(f"  {row['stream']}: {row['bytes_written'] / 2**30:.2f} GiB written")


if __name__ == "__main__":
    main()
