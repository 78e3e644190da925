"""Measures what docs/notebook/wom-v.md says: `python experiments/studies/wom_v.py PART [TRACE]` prints Markdown tables.

Every drive is `wom-v-qlc` (or `wom-v-mlc`) with other sizes and modes; a table is one call of
`rewear.compare` a column.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

import rewear
from rewear.cli.arguments import parse_trace
from rewear.core.ask import ask

MODES: dict[str, dict[str, Any]] = {
    "base": {},
    "NR": {"reuse.no_read": True},
    "GC_OPT": {"reuse.reopen": "in-place"},
    "GC_OPT + NR": {"reuse.reopen": "in-place", "reuse.no_read": True},
}
"""The paper's modes; with any code."""

VARIANTS: dict[str, dict[str, Any]] = {
    "GC_OPT, any unit with a programmable page": {"reuse.reopen": "in-place-any"},
    "GC_OPT, intact units first": {"reuse.reopen": "in-place-intact"},
    "base, check before the write": {"reuse.ecc_check": "pre"},
    "base, check per unit": {"reuse.ecc_check": "unit"},
    "GC_OPT, check before the write": {"reuse.reopen": "in-place", "reuse.ecc_check": "pre"},
    "GC_OPT, check per unit": {"reuse.reopen": "in-place", "reuse.ecc_check": "unit"},
}
"""The other readings of the text."""

CODES = {"(2,4)": 2, "(1,4)": 1}
QLC_CYCLES, MLC_CYCLES = 3000, 10000
PLANES, UNITS, OVER_PROVISIONING = 4, 160, 0.11
ROOM = 1.02
"""Least export of a drive for the distinct pages of a trace; trims touch pages, too."""
ZIPF_PAGES = 200_000
WRITTEN_BYTES = 25 * 10**9
REPLAY: dict[str, Any] = {"arrival": "closed", "queue_depth": 1}
"""One request at a time: the run's length is the sum of the response times."""


def drive(pages: float, settings: dict[str, Any], preset: str = "wom-v-qlc", units: int = UNITS) -> rewear.Drive:
    """A drive whose flash has at least `pages` flash pages, in erase units of one block on each of four planes."""
    per_block = math.ceil(pages / PLANES / units)
    sizes = {"flash.pages_per_block": per_block, "flash.blocks_per_plane": units}
    return rewear.Drive(preset, set={**sizes, **settings})


def coded(data_bits: int, mode: dict[str, Any]) -> dict[str, Any]:
    """Settings of a code in a mode."""
    return {"reuse.scheme": "wom-v", "reuse.data_bits": data_bits, **mode}


def labelled(codes: dict[str, int], modes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Settings of every code in every mode by name; the plain drive first."""
    all_codes = {f"{code} {mode}": coded(k, settings) for code, k in codes.items() for mode, settings in modes.items()}
    return {"plain QLC": {}, **all_codes}


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table; all columns but the first are numbers."""
    print("| " + " | ".join(heading) + " |")
    print("|---" + "|--:" * (len(heading) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def units_erased(report: rewear.Report) -> float:
    """Erase units, with the begun part of each cycle."""
    return report.erase_equivalents / PLANES


def rates_of_change(_: argparse.Namespace) -> None:
    """Figure 4a: the whole drive is refilled again and again with some bits flipped."""
    rates = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
    rows = []
    flash = 2**30 / 4096
    for name, settings in labelled({"(3,4)": 3, **CODES}, {"base": {}}).items():
        row = [name]
        for rate in rates:
            flips = {"reuse.flip_rate": rate} if settings else {}
            under_test = drive(flash, {**settings, **flips})
            report = under_test.replay(rewear.Workload(f"hot-s:volume_bytes={WRITTEN_BYTES}"), **REPLAY)
            row.append(f"{units_erased(report):,.0f}")
        rows.append(row)
    print_table(["bits flipped", *(f"{100 * rate:g}%" for rate in rates)], rows)


def patterns(arguments: argparse.Namespace) -> None:
    """Figure 4b: access patterns; the data is what the smallest drive exports."""
    names = ("hot-s", "hot-r", "cold", "cold:choose=strided", "low-gc", "high-gc")
    modes = {**MODES, **(VARIANTS if arguments.variants else {})}
    units = arguments.units
    common = {"ftl.gc_threshold": arguments.reserve}
    drives = {
        name: drive(2**30 / 4096, {**settings, **common}, units=units)
        for name, settings in labelled(CODES, modes).items()
    }
    rows = {name: [name] for name in drives}
    for workload in names:
        separator = "," if ":" in workload else ":"
        source = rewear.Workload(f"{workload}{separator}volume_bytes={WRITTEN_BYTES}")
        comparison = rewear.compare(source, list(drives.items()), **REPLAY)
        for run in comparison.runs:
            full = "" if run.report.complete else " (ran full)"
            rows[run.label].append(f"{units_erased(run.report):,.0f}{full}")
    print_table(["units erased", *names], list(rows.values()))


def footprint_pages(trace: rewear.Trace) -> int:
    """Distinct 4 KB pages that a trace touches."""
    footprint = trace.analyze()["footprint"]
    return sum(int(footprint[role]) for role in ("only_read", "only_written", "shared"))


def traces(arguments: argparse.Namespace) -> None:
    """Figures 5 to 9 and 13: a trace on drives of the three ways of comparing.

    Time, tail and lives (data written until the cells are worn out, against plain QLC) are of the 4.5 times drives.
    """
    if arguments.trace.startswith("zipf"):
        touched = ZIPF_PAGES
        trace: rewear.Trace | rewear.Workload = rewear.Workload(f"{arguments.trace},pages={touched}")
    else:
        trace = parse_trace(arguments.trace)
        touched = footprint_pages(trace)
    print(f"{touched:,} distinct pages of 4 KB; {arguments.loops} loops; reserve {arguments.reserve:g}\n")
    modes = {**MODES, **(VARIANTS if arguments.variants else {})}
    settings = labelled(CODES, modes)
    ways: dict[str, Callable[[float], float]] = {
        "same flash, 2.2 times the data": lambda rate: 2.2,
        "same flash, 4.5 times": lambda rate: 4.5,
        "same export, 2.2 times: all / per cell": lambda rate: 2.2 / rate,
    }
    rows = {name: [name] for name in [*settings, "MLC"]}
    times: dict[str, str] = {}
    for way, size in ways.items():
        drives: dict[str, rewear.Drive] = {}
        for name, chosen in settings.items():
            rate = int(str(chosen.get("reuse.data_bits", 4))) / 4
            flash = size(rate) * touched * (1 + OVER_PROVISIONING)
            if flash * rate >= touched * ROOM * (1 + OVER_PROVISIONING):
                drives[name] = drive(flash, {**chosen, "ftl.gc_threshold": arguments.reserve})
        # As many cells, half as many pages.
        drives["MLC"] = drive(
            size(0.5) / 2 * touched * (1 + OVER_PROVISIONING), {"ftl.gc_threshold": arguments.reserve}, "wom-v-mlc"
        )
        if drives["MLC"].exported_bytes < 4096 * touched * ROOM:
            del drives["MLC"]
        report_row(trace, drives, rows, times, arguments, way)
    heading = ["units erased", *ways, "time", "read p95", "lives"]
    body = [[*cells, *times.get(name, "- | - | -").split(" | ")] for name, cells in rows.items()]
    print_table(heading, body)


def report_row(
    trace: rewear.Trace | rewear.Workload,
    drives: dict[str, rewear.Drive],
    rows: dict[str, list[str]],
    times: dict[str, str],
    arguments: argparse.Namespace,
    way: str,
) -> None:
    """Replays on all drives of one way, and adds a cell to every row."""
    fit = {"fit": "dense"} if isinstance(trace, rewear.Trace) else {}
    replay = {**REPLAY, **fit, "loops": arguments.loops}
    comparison = rewear.compare(trace, list(drives.items()), **replay)
    reports = {run.label: run.report for run in comparison.runs}
    plain = reports["plain QLC"]
    for name, cells in rows.items():
        if name not in reports:
            cells.append("too small")
            continue
        report = reports[name]
        # All drives have as many units; those of a drive with more flash are larger, so the ratio is one of wear. In
        # units of the same size there are as many more erases as there is more flash.
        ratio = units_erased(report) / units_erased(plain)
        cell = f"{ratio - 1:+.0%}"
        if way.startswith("same export"):
            pages = report.derived["pages"] * (2 if name == "MLC" else 1)
            cell = f"{ratio * pages / plain.derived['pages'] - 1:+.0%} / {cell}"
        if name == "plain QLC":
            cell = f"{units_erased(report):,.0f}"
        cells.append(f"{cell} (WA {report.write_amplification:.2f})" if report.complete else "ran full")
        if way.endswith("4.5 times"):
            time = report["simulated_ns"] / plain["simulated_ns"] - 1
            reads, before = (each.figure("latency_ns.read.p95") for each in (report, plain))
            tail = f"{reads / before - 1:+.0%}" if reads is not None and before else "-"
            lives = "-"
            if name != "plain QLC" and report.erase_equivalents:
                endured = MLC_CYCLES / QLC_CYCLES if name == "MLC" else 1.0
                lives = f"{plain.erase_equivalents / report.erase_equivalents * endured:.1f}"
            times[name] = f"{time:+.0%} | {tail} | {lives}"


def theory(_: argparse.Namespace) -> None:
    """The analytical curve beside measured uniform writes."""
    modes = {mode: MODES[mode] for mode in ("base", "NR", "GC_OPT")}
    rows = []
    for fullness in (0.1, 0.15, 0.2, 0.225, 0.4):
        row = [f"{fullness:.1%}"]
        pages = 160 * PLANES * 512
        source = f"high-gc:volume_bytes={WRITTEN_BYTES // 2},pages={int(fullness * pages)}"
        plain = None
        for settings in labelled(CODES, modes).values():
            rate = int(str(settings.get("reuse.data_bits", 4))) / 4
            if fullness >= 0.95 * rate:
                row.append("-")
                continue
            report = rewear.Drive("wom-v-qlc", set=settings).replay(rewear.Workload(source), **REPLAY)
            writes = float(report.derived["programs_per_page_and_erase"])
            predicted = float(ask("codes.erase-factor", fullness=[fullness], rate=rate, writes=writes)[0])
            plain = plain or (units_erased(report), predicted)
            row.append(f"{units_erased(report) / plain[0]:.0%} ({predicted / plain[1]:.0%})")
        rows.append(row)
    names = list(labelled(CODES, modes))
    print_table(["full (plain)", *names], rows)


def spare_space(_: argparse.Namespace) -> None:
    """How the reserve and the number of erase units move the erases under much garbage: a fifth of the volume."""
    chosen: dict[str, dict[str, Any]] = {
        "plain QLC": {},
        **{f"{code} {mode}": coded(k, MODES[mode]) for code, k in CODES.items() for mode in ("base", "GC_OPT")},
    }
    columns = [(160, 0.0), (160, 0.05), (160, 0.085), (40, 0.0), (640, 0.0)]
    rows = {name: [name] for name in chosen}
    for units, reserve in columns:
        drives = {
            name: drive(2**30 / 4096, {**settings, "ftl.gc_threshold": reserve}, units=units)
            for name, settings in chosen.items()
        }
        source = rewear.Workload(f"high-gc:volume_bytes={WRITTEN_BYTES // 5}")
        for run in rewear.compare(source, list(drives.items()), **REPLAY).runs:
            # In units of a drive of 160, so that columns compare.
            erases = units_erased(run.report) * UNITS / units
            rows[run.label].append(f"{erases:,.0f} (WA {run.report.write_amplification:.1f})")
    print_table(
        ["units erased", *(f"{units} units, reserve {share:.1%}" for units, share in columns)], list(rows.values())
    )


PARTS = {
    "spare-space": spare_space,
    "rates-of-change": rates_of_change,
    "patterns": patterns,
    "trace": traces,
    "theory": theory,
}


def main() -> None:
    """Runs one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("trace", nargs="?", help="a trace or a zipf workload, where the part takes one")
    parser.add_argument("--reserve", type=float, default=0.0, help="ftl.gc_threshold")
    parser.add_argument("--units", type=int, default=UNITS, help="erase units of a drive")
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument("--variants", action="store_true", help="also the other readings of the text")
    arguments = parser.parse_args()
    if arguments.part == "trace" and arguments.trace is None:
        parser.error("name a trace")
    PARTS[arguments.part](arguments)


if __name__ == "__main__":
    main()
