"""How far miniatures are off: `python experiments/studies/miniature.py [--traces FOLDER] [--out FILE] [PART ...]`.

Each case is a workload, a chip with all schemes that a miniature takes, and a scale. The whole drive is replayed once,
the miniature with five samples. Errors of write amplification and of flash erased for a byte written are relative;
those of the ratio to the plain drive are in points. A row says which intervals hold the whole drive's figure: of the
mean alone, and as `rewear compare --scale` prints them. PARTs are `made-up`, `recorded`, `traces`, `held-out` and
`requests`, large ones on the plain drive; all unless some are named. A line a case and scale says what share of the
whole drive's processor time one sample takes.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import rewear
from rewear.comparison.comparison import Comparison, Run
from rewear.core.report import Report
from rewear.figures.uncertainty import interval_of, ratio_of

SCHEMES = {
    "plain": {},
    "second-write": {"reuse.scheme": "second-write", "reuse.success_probability": 0.95},
    "wom-v": {"reuse.scheme": "wom-v", "reuse.data_bits": 1},
    "seal": {"reuse.scheme": "seal", "reuse.ecc_bytes": 32},
    "differentiated-ecc": {"effort.scheme": "differentiated-ecc"},
    "agcr": {"effort.scheme": "agcr"},
}
"""Six schemes on one chip. `lx` has no miniature: it is refused."""
PAGES_PER_BLOCK = 64
PLANES_PER_DIE = 2


@dataclass(frozen=True)
class Case:
    """A workload on drives of a size."""

    name: str
    source: rewear.Workload | rewear.Trace
    pages: int
    dies: int
    over_provisioning: float
    scales: tuple[int, ...]
    options: dict[str, object]
    schemes: tuple[str, ...] = tuple(SCHEMES)


@dataclass(frozen=True)
class Row:
    """Figure of a scheme at a scale beside the whole drive's."""

    case: str
    scheme: str
    one_in: int
    figure: str
    whole: float
    error: float
    """Of the mean of five samples: relative for a figure, in points for a ratio."""
    one_sample: float
    """The largest of a single sample."""
    mean_holds: bool
    printed_holds: bool
    busyness: float
    frequent: float


def drive(case: Case, scheme: str) -> rewear.Drive:
    """The MLC chip in as many blocks as the case asks for."""
    planes = case.dies * PLANES_PER_DIE
    # The code takes two flash pages for a page of data.
    slots = case.pages * (1 + case.over_provisioning) * (2 if scheme == "wom-v" else 1)
    flash = {
        "flash.channels": case.dies,
        "flash.dies_per_channel": 1,
        "flash.planes_per_die": PLANES_PER_DIE,
        "flash.pages_per_block": PAGES_PER_BLOCK,
        "flash.page_bytes": 4096,
        "flash.blocks_per_plane": max(16, round(slots / planes / PAGES_PER_BLOCK)),
        "ftl.over_provisioning": case.over_provisioning,
    }
    return rewear.Drive("samsung-mlc", set={**flash, **SCHEMES[scheme]})


def made_up() -> Iterator[Case]:
    """Generated workloads on a drive of a million pages."""
    pages = 1_000_000
    for spare in (0.07, 0.28):
        for name, spec in (
            ("uniform", "uniform"),
            ("zipf 0.9", "zipf:theta=0.9"),
            ("zipf 1.2", "zipf:theta=1.2"),
            ("hot-cold", "hot-cold"),
        ):
            separator = "," if ":" in spec else ":"
            source = rewear.Workload(f"{spec}{separator}requests={3 * pages},pages={pages // 2}")
            yield Case(f"{name}, {spare:.0%}", source, pages, 64, spare, (10, 100), {"precondition": "fill"})


def recorded(folder: Path) -> Iterator[Case]:
    """The recordings, each on a drive a little larger than what it touches."""
    for name, pages in (("home", 195_000), ("mail", 175_000), ("web", 220_000), ("day", 300_000)):
        yield from traced(name, folder / f"{name}.rwt", pages, {})


def real(folder: Path) -> Iterator[Case]:
    """Real traces that write a drive of their size several times."""
    for name, file, pages, options in (
        ("web server", "blkreplay_linux-webserver-2.load.xz", 200_000, {}),
        ("cloudphysics", "cloudphysics_libCacheSim.vscsi.xz", 330_000, {"shift_bytes": 512}),
        ("rocksdb", "rocksdb_ssdTrace_writes_only.mqsim.xz", 500_000, {}),
        ("iozone", "disksim_ssd-iozone-aligned2-100K.trace.xz", 280_000, {}),
    ):
        yield from traced(name, folder / file, pages, options)


def held_out() -> Iterator[Case]:
    """Workloads, sizes and seeds in none of the other parts."""
    pages = 600_000
    for spare in (0.1, 0.2):
        for name, spec in (
            ("uniform, 4 pages", "uniform:size=16KiB"),
            ("zipf 1.0", "zipf:theta=1.0,seed=11"),
            ("zipf 0.7", "zipf:theta=0.7,seed=12"),
            ("hot-cold 5/60", "hot-cold:hot=0.05,hits=0.6,seed=13"),
        ):
            length = 4 if "size" in spec else 1
            source = rewear.Workload(f"{spec},requests={2 * pages // length},pages={pages * 2 // 3}")
            yield Case(f"{name}, {spare:.0%}", source, pages, 48, spare, (8, 60), {"precondition": "fill", "seed": 100})


def requests() -> Iterator[Case]:
    """Requests of many pages and of one, on a plain drive of 200,000 pages over eight pools."""
    pages = 200_000
    for spec, spare, length in (
        ("uniform", 0.12, 1),
        ("uniform:size=16KiB", 0.12, 4),
        ("uniform:size=64KiB", 0.12, 16),
        ("uniform:size=128KiB", 0.07, 32),
        ("uniform:size=4KiB*60/128KiB*40", 0.15, 13),
        ("flash-cache:small=0.1,small_writes=0.6", 0.12, 1),
        ("flash-cache", 0.28, 1),
        ("zipf:theta=0.9,size=64KiB", 0.12, 16),
        ("zipf:theta=1.0", 0.07, 1),
        ("hot-cold", 0.28, 1),
        ("hot-cold:size=32KiB", 0.12, 8),
        ("kv-cache", 0.12, 1),
    ):
        source = rewear.Workload(f"{spec}{',' if ':' in spec else ':'}requests={3 * pages // length}")
        yield Case(f"{spec}, {spare:.0%}", source, pages, 4, spare, (4, 16), {"precondition": "fill"}, ("plain",))


def traced(name: str, path: Path, pages: int, options: dict[str, object]) -> Iterator[Case]:
    """A trace on two drives, twice."""
    if path.exists():
        for spare in (0.07, 0.28):
            replay: dict[str, object] = {"precondition": "fill", "fit": "dense", "loops": 2}
            yield Case(f"{name}, {spare:.0%}", rewear.Trace(path, **options), pages, 16, spare, (4, 10), replay)  # type: ignore[arg-type]


def wear(report: Report) -> float | None:
    """Flash erased for a byte written."""
    return report.flash_erased_per_byte


def amplification(report: Report) -> float | None:
    """Write amplification."""
    return report.write_amplification


FIGURES = {"write amplification": amplification, "flash erased": wear}


def rows(case: Case) -> Iterator[Row]:
    """All figures of all schemes that fit, at all scales."""
    whole, began = {}, time.process_time()
    for scheme in case.schemes:
        try:
            whole[scheme] = rewear.compare(case.source, [(scheme, drive(case, scheme))], no_time=True, **case.options)
        except rewear.RewearError as error:
            print(f"{case.name}, {scheme}: {error}", flush=True)
    of_whole_s = (time.process_time() - began) / max(len(whole), 1)
    for one_in in case.scales:
        runs: dict[str, Run] = {}
        began = time.process_time()
        for scheme in whole:
            try:
                found = rewear.compare(
                    case.source, [(scheme, drive(case, scheme))], scale=f"1/{one_in}", **case.options
                )
            except rewear.RewearError as error:
                print(f"{case.name}, {scheme}, 1/{one_in}: {error}", flush=True)
                continue
            runs[scheme] = found.reference
        samples = sum(len(run.reports) + len(run.rescaled) for run in runs.values())
        if samples:
            share = (time.process_time() - began) / samples / of_whole_s
            print(f"{case.name}, 1/{one_in}: a sample takes {share:.3f} of the whole's processor time", flush=True)
        yield from judged(case, one_in, {name: found.reference for name, found in whole.items()}, runs)


def judged(case: Case, one_in: int, whole: dict[str, Run], runs: dict[str, Run]) -> Iterator[Row]:
    """The rows of a scale."""
    if "plain" not in runs:
        return
    comparison = Comparison((runs["plain"], *(run for name, run in runs.items() if name != "plain")), case.source)
    for scheme, run in runs.items():
        about = [report.miniature or {} for report in run.reports]
        busy = fmean(each["busyness"] for each in about)
        frequent = fmean(each["frequent_share"] for each in about)
        for name, figure in FIGURES.items():
            exact = figure(whole[scheme].report)
            samples = [value for report in run.reports if (value := figure(report)) is not None]
            printed = comparison.interval(run, figure)
            if exact and len(samples) == len(run.reports) and printed is not None:
                mean = interval_of(samples)
                worst = max(abs(sample / exact - 1) for sample in samples)
                held = mean.holds(exact), printed.holds(exact)
                yield Row(case.name, scheme, one_in, name, exact, mean.mean / exact - 1, worst, *held, busy, frequent)
            base = figure(whole["plain"].report)
            bases = [value for report in runs["plain"].reports if (value := figure(report)) is not None]
            if scheme == "plain" or not exact or not base or len(bases) != len(samples):
                continue
            ratio, printed = ratio_of(samples, bases), comparison.ratio(run, runs["plain"], figure)
            if ratio is not None and printed is not None:
                true = exact / base
                worst = max(abs(one / other - true) for one, other in zip(samples, bases, strict=True))
                held = ratio.holds(true), printed.holds(true)
                yield Row(
                    case.name, scheme, one_in, f"ratio of {name}", true, ratio.mean - true, worst, *held, busy, frequent
                )


def summary(found: list[Row]) -> list[str]:
    """A line a figure, scale and scheme: mean and largest errors, and how often intervals hold."""
    lines = [
        "| figure | scale | scheme | cases | mean error | largest | of one sample | mean's interval | printed one |",
        "|---|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    keys = sorted({(row.figure, row.one_in, row.scheme) for row in found})
    totals = [(figure, one_in, "all") for figure, one_in in sorted({key[:2] for key in keys})]
    for figure, one_in, scheme in (*keys, *totals):
        some = [row for row in found if (row.figure, row.one_in) == (figure, one_in) and scheme in (row.scheme, "all")]
        errors = [abs(row.error) for row in some]
        lines.append(
            f"| {figure} | 1/{one_in} | {scheme} | {len(some)} | {fmean(errors):.1%} | {max(errors):.1%} | "
            f"{max(row.one_sample for row in some):.1%} | {fmean(row.mean_holds for row in some):.0%} | "
            f"{fmean(row.printed_holds for row in some):.0%} |"
        )
    return lines


def main() -> None:
    """Prints each case as it ends, and the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", choices=["made-up", "recorded", "traces", "held-out", "requests", []])
    parser.add_argument("--recordings", type=Path, default=Path("recordings"))
    parser.add_argument("--traces", type=Path, default=Path("../shared/traces"))
    parser.add_argument("--out", type=Path, help="a file for all rows, as JSON")
    given = parser.parse_args()
    cases = {
        "recorded": lambda: recorded(given.recordings),
        "made-up": made_up,
        "traces": lambda: real(given.traces),
        "held-out": held_out,
        "requests": requests,
    }
    found: list[Row] = []
    for part, make in cases.items():
        for case in make() if not given.parts or part in given.parts else ():
            for row in rows(case):
                found.append(row)
                print(
                    f"{row.case} | {row.scheme} | 1/{row.one_in} | {row.figure} | {row.whole:.4f} | {row.error:+.2%} | "
                    f"{row.one_sample:.2%} | {row.mean_holds} {row.printed_holds} | "
                    f"{row.busyness:.3f} {row.frequent:.2f}",
                    flush=True,
                )
            if given.out:
                given.out.write_text(json.dumps([asdict(row) for row in found], indent=1))
    print("\n".join(summary(found)) if found else "no case")


if __name__ == "__main__":
    main()
