"""Second writes without a guard on three chips and eight workloads, relative to the plain drive.

docs/notebook/second-write.md has the tables. The argument is a folder with the traces, which the
project does not have; without it only the made-up workloads and the recorded day are run.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import rewear

ZIPF = "requests=3000000,arrival=poisson,rate=200"
MADE_UP = {"Zipf(1)": f"zipf:theta=1,{ZIPF}", "Zipf(2)": f"zipf:theta=2,{ZIPF}"}
RECORDED = {"recorded day": ("recordings/day.rwt", 2)}
TRACES = {
    "virtual machine": ("cloudphysics_libCacheSim.vscsi.xz", 6),
    "web server": ("blkreplay_linux-webserver-2.load.xz", 10),
    "system disk": ("diskmon_win_systemdisk1.ascii.xz", 10),
    "RocksDB": ("rocksdb_ssdTrace_writes_only.mqsim.xz", 2),
    "IOzone": ("disksim_ssd-iozone-aligned2-100K.trace.xz", 1),
}
SECOND = {"reuse.scheme": "second-write", "reuse.guard": "none", "reuse.success_probability": 0.95}
APART = {"ftl.moved_pages": "apart"}
CHIPS = ("toshiba-slc", "samsung-mlc", "hynix-mlc")
SATURATED_NS = 10e9


def replay(job: tuple[str, tuple[str, int] | str, float, dict]) -> dict[str, float]:
    """The figures of one drive, which is full at the start."""
    chip, source, spare, settings = job
    drive = rewear.Drive(chip, set={"ftl.over_provisioning": spare, **settings})
    if isinstance(source, str):
        report = drive.replay(rewear.Workload(source), precondition="fill")
    else:
        path, loops = source
        report = drive.replay(rewear.Trace(path), precondition="fill", fit="dense", loops=loops)
    written = report["second_writes"]["written"] if report["second_writes"] else 0
    return {
        "erases": report.erases,
        "half": report.erases_in_second_half,
        "response": report.mean_response_ns,
        "valid": report.victim_valid_share or 0,
        "share": written / report["host_pages_written"],
    }


def change(now: float, plain: float) -> str:
    """A ratio as a signed percentage."""
    return f"{100 * (now / plain - 1):+.0f}%".replace("-", "−") if plain else "-"


def cell(drive: dict[str, float], plain: dict[str, float]) -> str:
    """Erases, erases of the second half and mean response relative to the plain drive."""
    saturated = plain["response"] >= SATURATED_NS
    response = "(saturated)" if saturated else change(drive["response"], plain["response"])
    return " / ".join([*(change(drive[name], plain[name]) for name in ("erases", "half")), response])


def main() -> None:
    """Prints the tables."""
    sources: dict[str, tuple[str, int] | str] = {**MADE_UP, **RECORDED}
    if len(sys.argv) > 1:
        sources |= {name: (str(Path(sys.argv[1]) / file), loops) for name, (file, loops) in TRACES.items()}
    with ProcessPoolExecutor() as pool:
        for spare in (0.07, 0.28):
            print(f"\nOver-provisioning {spare:.0%}:\n", flush=True)
            for name, source in sources.items():
                drives = [(chip, more) for chip in CHIPS for more in ({}, SECOND)] + [(CHIPS[0], APART)]
                jobs = [(chip, source, spare, more) for chip, more in drives]
                plain, second, *others, apart = pool.map(replay, jobs)
                cells = [f"{plain['valid']:.0%}", f"{second['share']:.0%}", cell(second, plain)]
                cells += [cell(others[1], others[0]), cell(others[3], others[2]), cell(apart, plain)]
                print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
