"""Points of write amplification a minute, and their error: `python experiments/studies/waf_points.py [--every N]`.

`experiments/sweeps/waf.toml` is run with a store of its own, and timed from the start of the cluster to the Parquet
file. Then one in N of its points is replayed whole: on all channels of the drive, from a steady state that was reached,
over four times as many writes for as many more pages. The error is that of the point's mean over the seeds. Its
deviation over the seeds stands beside it.
"""

import argparse
import json
import resource
import statistics
import tempfile
import time
from pathlib import Path

import rewear
from rewear.core.bench import Replay, replays
from rewear.sweep import Results, Row, Sweep

FILE = Path(__file__).parents[1] / "sweeps/waf.toml"
CHANNELS = 4
"""Times as many channels, pages and requests of a whole drive."""
BOUND = 0.03
"""Error that a point may have: 2% for its beginning, and 1% for its size."""


def processor_s() -> float:
    """Processor time of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def swept(quick: bool) -> Results:
    """The sweep, whose time is printed."""
    sweep = Sweep.from_file(FILE, quick=quick)
    began, used = time.perf_counter(), processor_s()
    with tempfile.TemporaryDirectory() as folder:
        results = sweep.run(store=folder)
        results.save_table(Path(folder) / "waf.parquet")
    took, used = time.perf_counter() - began, processor_s() - used
    points = len(results.rows)
    print(
        f"{points} points in {took:.1f} s, {points / took * 60:.0f} a minute; {used / points * 1000:.0f} ms of "
        f"processor time each, so {120 / (used / points):.0f} a minute where two cores do nothing else"
    )
    return results


def whole(row: Row) -> Replay:
    """The replay of a point on the whole drive."""
    settings = row.job.settings
    requests = CHANNELS * int(settings.get("workload.requests", settings["workload"].partition("requests=")[2]))
    parameters = {key: value for key, value in settings.items() if key.startswith("ftl.")}
    drive = rewear.Drive(settings["drive"], set=parameters)
    options = {"precondition": "steady", "no_time": True, "warm_up": CHANNELS * settings["replay.warm_up"]}
    return Replay(
        row.job.label, drive, rewear.Workload(f"zipf:requests={requests},theta={settings['workload.theta']}"), options
    )


def main() -> None:
    """Reads the command line, prints the speed and a row for each victim policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=7, help="one in so many points is replayed whole")
    parser.add_argument("--quick", action="store_true", help="the sweep's trial")
    parser.add_argument("--json", type=Path, help="write the points that were compared to this file")
    given = parser.parse_args()
    results = swept(given.quick)
    points: dict[tuple[str, ...], list[Row]] = {}
    for row in results.rows:
        points.setdefault(tuple(label for axis, label in row.job.coordinates.items() if axis != "seed"), []).append(row)
    sample = list(points.items())[:: given.every]
    reports = replays([whole(rows[0]) for _, rows in sample])
    found = []
    for (coordinates, rows), report in zip(sample, reports, strict=True):
        values = [row.report.write_amplification for row in rows if row.report is not None]
        mean, reached = statistics.fmean(values), report.write_amplification
        deviation = statistics.stdev(values) / mean
        found.append({"point": coordinates, "whole": reached, "error": mean / reached - 1, "deviation": deviation})
    print(f"| victim | points compared | mean error | largest | beyond {BOUND:.0%} | of one seed: deviation |")
    print("|---|--:|--:|--:|--:|--:|")
    for victim in dict.fromkeys(each["point"][1] for each in found):
        of_it = [each for each in found if each["point"][1] == victim]
        errors = [each["error"] for each in of_it]
        beyond = sum(abs(error) > BOUND for error in errors)
        print(
            f"| {victim} | {len(of_it)} | {statistics.fmean(errors):+.1%} | {max(errors, key=abs):+.1%} | {beyond} "
            f"| {max(each['deviation'] for each in of_it):.1%} |"
        )
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
