"""Figures 5 to 10 of "Workload-aware differentiated ECC" on any trace or workload.

Each drive is `differentiated-ecc-mlc` with as many blocks as the pages that the source touches need, times --room;
every page was written once before. Without --vary: normal, AGCR and the design side by side, with what explains the
response times (Figures 7 to 10). With --vary: the design for each value of a parameter (Figures 5 and 6). Prints
tables in Markdown; changes are relative to the normal drive.

    python experiments/studies/differentiated_ecc.py recordings/day.rwt
    python experiments/studies/differentiated_ecc.py recordings/day.rwt --vary effort.m=-4/-1/0/1/4 --set effort.n=2
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import rewear

PLANES, PAGES_PER_BLOCK, OVER_PROVISIONING = 8, 128, 0.15
TABLE_II = {
    # Pages of 8 KiB, requests (at most 600,000), read ratio, and sizes with the mean of Table II;
    # shared part of Figure 1, of which the text names four and calls the others below 10% or 5%. Then what the
    # paper does
    # not give: the part only read, the part of requests to shared pages, requests a second over the trace's length.
    "Financial1": (2_180_000, 600_000, 0.2316, "8KiB*872/64KiB*128", 0.41, 0.1, 0.6, 122),
    "hm0": (1_830_000, 600_000, 0.355, "8KiB", 0.42, 0.15, 0.6, 6.6),
    "hm1": (3_330_000, 600_000, 0.9534, "8KiB*872/64KiB*128", 0.28, 0.6, 0.3, 1.0),
    "mds0": (4_450_000, 600_000, 0.1189, "8KiB*979/64KiB*21", 0.04, 0.3, 0.05, 2.0),
    "proj0": (2_130_000, 600_000, 0.1248, "8KiB*464/64KiB*536", 0.05, 0.1, 0.05, 7.0),
    "rsrch0": (2_210_000, 600_000, 0.0932, "8KiB*983/64KiB*17", 0.05, 0.1, 0.05, 2.4),
    "rsrch2": (10_700_000, 207_587, 0.6569, "4KiB", 0.05, 0.5, 0.05, 0.34),
    "src0": (2_050_000, 600_000, 0.1134, "8KiB", 0.10, 0.1, 0.2, 2.6),
    "stg0": (1_420_000, 600_000, 0.1519, "8KiB*936/64KiB*64", 0.05, 0.2, 0.05, 3.4),
    "ts0": (2_880_000, 600_000, 0.1758, "8KiB*982/64KiB*18", 0.05, 0.2, 0.05, 3.0),
    "wdev0": (2_220_000, 600_000, 0.2008, "8KiB*981/64KiB*19", 0.05, 0.2, 0.05, 1.9),
    "wdev2": (4_450_000, 181_266, 0.001, "8KiB*997/64KiB*3", 0.05, 0.01, 0.05, 0.3),
    "web0": (4_440_000, 600_000, 0.2988, "8KiB*875/64KiB*125", 0.05, 0.4, 0.05, 3.4),
    "web1": (8_890_000, 160_891, 0.5411, "8KiB*624/64KiB*376", 0.05, 0.5, 0.05, 0.27),
    "web3": (22_200_000, 31_380, 0.3203, "8KiB*462/64KiB*538", 0.05, 0.3, 0.05, 0.052),
}
# What was printed, the heading first.
ROWS: list[tuple[str, ...]] = []
COLUMNS = (
    "source",
    "drive",
    "response",
    "write",
    "read",
    "planes busy",
    "queue: mean, p99",
    "low-cost writes / quick reads / slow reads",
    "rewrites",
    "erases",
    "write amplification",
)


def main() -> None:
    """Prints the table that was asked for."""
    arguments = _arguments()
    sources = [(Path(text.partition(":")[0]).name, *_source(text)) for text in arguments.sources]
    sources += [_table_ii(name, arguments.burst_rate) for name in arguments.table_ii]
    if arguments.vary:
        _vary(arguments, sources)
    else:
        _compare(arguments, sources)
    if arguments.json:
        arguments.json.write_text(json.dumps(ROWS, indent=1))


def _compare(arguments: argparse.Namespace, sources: list[Any]) -> None:
    _print(COLUMNS, heading=True)
    for name, source, pages in sources:
        normal = None
        for label, scheme in (("normal", None), ("AGCR", "agcr"), ("design", "differentiated-ecc")):
            report = _replay(arguments, source, pages, _settings(arguments, scheme))
            normal = normal or report
            _print((name, *_row(label, report, normal)))


def _vary(arguments: argparse.Namespace, sources: list[Any]) -> None:
    key, values = _pair(arguments.vary)
    _print((arguments.vary.split("=")[0], *(name for name, _, _ in sources)), heading=True)
    for value in values.split("/"):
        cells = []
        for _, source, pages in sources:
            # What is not of the scheme changes the normal drive, too.
            plain = {} if key.startswith("effort.") else {key: value}
            normal = _replay(arguments, source, pages, _settings(arguments, None) | plain)
            report = _replay(arguments, source, pages, _settings(arguments, arguments.scheme) | {key: value})
            means = [_change(_mean(report, kind), _mean(normal, kind)) for kind in ("all", "write", "read")]
            cells.append(f"{means[0]} ({means[1]}, {means[2]})")
        _print((value, *cells))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", help="traces (FILE[:shift_bytes=512]) and workloads (with pages=...)")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE for all; effort.* for --scheme only")
    parser.add_argument("--vary", help="KEY=VALUE/VALUE/...: a row for each value")
    parser.add_argument("--table-ii", nargs="+", default=[], choices=TABLE_II, metavar="NAME", help=", ".join(TABLE_II))
    parser.add_argument("--burst-rate", type=float, default=5000, help="requests/s in the bursts of these workloads")
    parser.add_argument("--scheme", default="differentiated-ecc", help="whose parameters --vary and --set change")
    parser.add_argument("--room", type=float, default=1.0, help="exported pages over pages that the source touches")
    parser.add_argument("--empty", action="store_true", help="begin with a drive on which nothing was written")
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument(
        "--json", type=Path, help="keep the table for experiments/studies/differentiated_ecc_figures.py"
    )
    return parser.parse_args()


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _source(text: str) -> tuple[rewear.Trace | rewear.Workload, int]:
    """The source, and how many pages of the drive it touches."""
    path, _, options = text.partition(":")
    settings = dict(_pair(pair) for pair in options.split(",") if pair)
    if not Path(path).exists():
        return rewear.Workload(text), int(float(settings["pages"]))
    trace = rewear.Trace(path, shift_bytes=int(settings.get("shift_bytes", 0)))
    overlap = trace.analyze()["overlap"]
    return trace, overlap["only_read"] + overlap["only_written"] + overlap["shared"]


def _table_ii(name: str, burst_rate: float) -> tuple[str, rewear.Workload, int]:
    """A workload of Table II: bursts of 0.2 s, and pauses so long that the mean rate is the trace's (at most 100 s)."""
    pages, requests, read, size, shared, only_read, shared_hits, rate = TABLE_II[name]
    pause_s = min(100, 0.2 * burst_rate / rate)
    return (
        name,
        rewear.Workload(
            f"roles:pages={pages},requests={requests},read={read},size={size},shared={shared},only_read={only_read},"
            f"shared_hits={shared_hits},phase=20000,arrival=bursts,rate={burst_rate},on_s=0.2,off_s={pause_s:.2f}"
        ),
        pages,
    )


def _settings(arguments: argparse.Namespace, scheme: str | None) -> dict[str, str]:
    given = dict(map(_pair, arguments.set))
    plain = {key: value for key, value in given.items() if not key.startswith("effort.")}
    if scheme is None:
        return plain
    return given | {"effort.scheme": scheme} if scheme == arguments.scheme else plain | {"effort.scheme": scheme}


def _replay(arguments: argparse.Namespace, source: Any, pages: int, settings: dict[str, str]) -> dict[str, Any]:
    # Enough blocks to export the pages, and to leave cleaning its reserve.
    blocks = math.ceil(pages * arguments.room * (1 + OVER_PROVISIONING) / (PLANES * PAGES_PER_BLOCK)) + 1
    drive = rewear.Drive("differentiated-ecc-mlc", set={"flash.blocks_per_plane": str(max(blocks, 40))} | settings)
    report = drive.replay(
        source,
        fit="dense" if isinstance(source, rewear.Trace) else None,
        precondition=None if arguments.empty else "fill",
        queues=True,
        loops=arguments.loops,
    )
    return report.to_dict()


def _mean(report: dict[str, Any], kind: str) -> float | None:
    if kind == "all":
        mean: float | None = report["mean_response_ns"]
        return mean
    return report["latency_ns"][kind] and report["latency_ns"][kind]["mean"]


def _change(now: float | None, base: float | None) -> str:
    return f"{now / base - 1:+.1%}" if now and base else "-"


def _row(label: str, report: dict[str, Any], normal: dict[str, Any]) -> list[str]:
    def response(kind: str) -> str:
        now = _mean(report, kind)
        if label == "normal":
            return "-" if now is None else f"{now / 1e6:,.3f} ms"
        return _change(now, _mean(normal, kind))

    erases = f"{report['erases']:,}" if label == "normal" else _change(report["erases"], normal["erases"])
    queues, amplification = report["queues"], report["write_amplification"]
    return [
        label,
        *(response(kind) for kind in ("all", "write", "read")),
        f"{report['utilisation']['planes']:.1%}",
        f"{queues['mean']:.2f}, {queues['p99']}",
        _mix(report["effort"]),
        f"{report['pages_rewritten']:,}",
        erases,
        "-" if amplification is None else f"{amplification:.2f}",
    ]


def _mix(effort: dict[str, Any] | None) -> str:
    """Figure 9: shares of host reads, host writes and rewrites."""
    if effort is None:
        return "-"
    modes = {mode["mode"]: mode for mode in effort["modes"]}
    low = modes["low-cost"]
    operations = sum(mode["host_writes"] + mode["host_reads"] + mode["rewrites"] for mode in modes.values()) or 1
    quick = sum(mode["host_reads"] for mode in modes.values()) - low["host_reads"]
    return " / ".join(f"{part / operations:.1%}" for part in (low["host_writes"], quick, low["host_reads"]))


def _print(cells: Any, heading: bool = False) -> None:
    cells = tuple(cells)
    ROWS.append(cells)
    print("|", " | ".join(cells), "|", flush=True)
    if heading:
        print("|---" * len(cells) + "|")


if __name__ == "__main__":
    main()
