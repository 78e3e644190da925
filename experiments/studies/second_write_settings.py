"""Effects of each setting of second writes: erases and response relative to the plain drive.

docs/notebook/second-write.md has the tables. The argument is a web server trace, which the project
does not have; without it only the column of Zipf(2) is made.
"""

import sys

import rewear

ZIPF = "zipf:theta=2,read=0.2,requests=1500000,arrival=poisson,rate=200"
SECOND = {"reuse.scheme": "second-write", "reuse.guard": "none", "reuse.success_probability": 0.95}
BOTH_WORKLOADS = {
    "the defaults, `success_probability=0.95`": {},
    "`prefetch=off`": {"reuse.prefetch": "off"},
    "`prefetch=at-once`": {"reuse.prefetch": "at-once"},
    "`recycling=before-erasing`": {"reuse.recycling": "before-erasing"},
    "`parallel=false`": {"reuse.parallel": False},
    "`success_probability=1`": {"reuse.success_probability": 1},
    "`success_probability=0.75`": {"reuse.success_probability": 0.75},
    "`success_probability=0.95, retry=none`": {"reuse.retry": "none"},
    "`success_probability=0.75, retry=none`": {"reuse.success_probability": 0.75, "reuse.retry": "none"},
    "`success_probability=0.95, retry=other-pages`": {"reuse.retry": "other-pages"},
    "`success_probability=0.75, retry=other-pages`": {
        "reuse.success_probability": 0.75,
        "reuse.retry": "other-pages",
    },
}
BY_SIZE = {"reuse.separation.scheme": "by-size"}
WEB_ONLY = {
    "`separation.cold_bytes` 16 KB": {**BY_SIZE, "reuse.separation.cold_bytes": 16384},
    "32 KB": {**BY_SIZE, "reuse.separation.cold_bytes": 32768},
    "64 KB": {**BY_SIZE, "reuse.separation.cold_bytes": 65536},
    "128 KB": {**BY_SIZE, "reuse.separation.cold_bytes": 131072},
    "256 KB": {**BY_SIZE, "reuse.separation.cold_bytes": 262144},
    "`separation.scheme=none` (all hot)": {"reuse.separation.scheme": "none"},
    "`separation.scheme=adaptive-size`": {"reuse.separation.scheme": "adaptive-size"},
    "`separation.scheme=by-update-frequency`": {"reuse.separation.scheme": "by-update-frequency"},
    "`guard=ghost-list`": {"reuse.guard": "ghost-list"},
    "`plane_choice=most-clean`": {"reuse.plane_choice": "most-clean"},
    "`plane_choice=fewest-valid`": {"reuse.plane_choice": "fewest-valid"},
    "`plane_choice=old-copy`": {"reuse.plane_choice": "old-copy"},
    "`plane_choice=fewest-clean`": {"reuse.plane_choice": "fewest-clean"},
    "`success_probability=0.75, retry=none, pair_failures=1`": {
        "reuse.success_probability": 0.75,
        "reuse.retry": "none",
        "reuse.pair_failures": 1,
    },
}
BOTH_DRIVES = {
    "`ftl.gc_threshold=0.05`, both drives": {"ftl.gc_threshold": 0.05},
    "`flash.service_unit=plane`, both drives": {"flash.service_unit": "plane"},
    "`flash.service_unit=die`, both drives": {"flash.service_unit": "die"},
}


def replay(settings: dict, trace: str | None) -> tuple[float, float]:
    """Erases and mean response of a drive that is full at the start."""
    drive = rewear.Drive("toshiba-slc", set={"ftl.over_provisioning": 0.28, **settings})
    if trace is None:
        report = drive.replay(rewear.Workload(ZIPF), precondition="fill")
    else:
        report = drive.replay(rewear.Trace(trace), precondition="fill", fit="dense", loops=10)
    return report.erases, report.mean_response_ns


def change(now: float, plain: float) -> str:
    """A ratio as a signed percentage, or as a factor where it is large."""
    return f"x {now / plain:.0f}" if now > 3 * plain else f"{100 * (now / plain - 1):+.1f}%".replace("-", "−")


def row(name: str, plain: dict, second: dict, traces: list[str | None]) -> str:
    """A line of a table, with two figures for each workload."""
    cells = []
    for trace in traces:
        cells += map(change, replay(second, trace), replay(plain, trace))
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Prints the tables."""
    traces = [None, *sys.argv[1:2]]
    for name, settings in BOTH_WORKLOADS.items():
        print(row(name, {}, {**SECOND, **settings}, traces), flush=True)
    if len(traces) == 1:
        return
    print()
    for name, settings in WEB_ONLY.items():
        print(row(name, {}, {**SECOND, **settings}, traces[1:]), flush=True)
    for name, settings in BOTH_DRIVES.items():
        print(row(name, settings, {**SECOND, **settings}, traces[1:]), flush=True)


if __name__ == "__main__":
    main()
