"""Placement and a cache of one-bit cells beside every scheme of the three axes: docs/notebook/rivals.md.

    python experiments/studies/rivals.py [--traces ../shared/traces] [--workers 2] [--write]

Runs rivals.toml, to whose workloads it adds those traces of others that lie in the folder
(they are not part of this project). Prints the tables, or writes them between the marks of the
page. Everything is related to the plain drive with one stream under the same workload.
"""

import argparse
import re
from dataclasses import replace
from pathlib import Path

from rewear.sweep import Results, Row, Sweep
from rewear.sweep.grid import Axis, Point

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "notebook" / "rivals.md"
TABLES = re.compile(r"(?<=<!-- tables -->\n).*(?=<!-- end -->)", re.DOTALL)

Place = tuple[str, str, str, str]
"""Points of the axes placement, recycle, reuse and effort."""

AXES = ("placement", "recycle", "reuse", "effort")
PLAIN: Place = ("one", "none", "none", "uniform")
SHORT = {
    "lx": "recycle", "spare space": "twice the flash", "second-write": "second writes",
    "wom-v": "WOM-v", "differentiated-ecc": "diff. ECC", "host": "host's streams",
}  # fmt: skip
TECHNIQUES = ("lx", "spare space", "second-write", "wom-v", "differentiated-ecc")
# Name in the tables, file, and blocks of a plane with which its pages just fit the drive.
OTHERS = (
    ("web server", "blkreplay_linux-webserver-2.load.xz", 640),
    ("VM", "cloudphysics_libCacheSim.vscsi.xz", 344),
    ("RocksDB", "rocksdb_ssdTrace_writes_only.mqsim.xz", 640),
)
FIGURES = {"erased": "flash erased", "response": "mean response", "life": "life (TBW)"}


def figure(row: Row, name: str) -> float | None:
    """A figure of a run that went to its end."""
    report = row.report
    if report is None or not report.complete:
        return None
    if name == "erased":
        return float(report.flash_erased_bytes)
    if name == "response":
        return report.mean_response_ns
    return None if report.life is None else report.life["tbw_bytes"]


class Runs:
    """Rows by workload and place."""

    def __init__(self, results: Results) -> None:
        """Sorts them."""
        self.rows: dict[tuple[str, Place], Row] = {}
        for row in results.rows:
            at = row.job.coordinates
            self.rows[at["workload"], (at["placement"], at["recycle"], at["reuse"], at["effort"])] = row
        self.workloads = list(dict.fromkeys(workload for workload, _ in self.rows))
        self.places = list(dict.fromkeys(place for _, place in self.rows))

    def relative(self, name: str, workload: str, place: Place, to: Place = PLAIN) -> float | None:
        """The figure over that of another place under the same workload."""
        value, other = (figure(self.rows[workload, at], name) for at in (place, to))
        return None if value is None or not other else value / other


def label(place: Place) -> str:
    """A place in few words."""
    return (
        " + ".join(SHORT.get(part, part) for part, plain in zip(place, PLAIN, strict=True) if part != plain) or "plain"
    )


def with_(place: Place, *points: str) -> Place:
    """The place with these points on their axes."""
    changed = list(place)
    for point in points:
        changed[axis_of(point)] = point
    return tuple(changed)  # type: ignore[return-value]


def axis_of(point: str) -> int:
    """On which axis a point other than a plain one lies."""
    return {"lx": 1, "spare space": 2, "second-write": 2, "wom-v": 2, "differentiated-ecc": 3}.get(point, 0)


def change(ratio: float | None) -> str:
    """A ratio as a change in percent."""
    return "-" if ratio is None else f"{100 * (ratio - 1):+.0f}%".replace("-", "\N{MINUS SIGN}")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    text = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    return "\n".join([text[0], f"|---|{'--:|' * (len(head) - 1)}", *text[1:]]) + "\n"


def still_saved(runs: Runs, name: str) -> str:
    """Savings of each technique beside each placement, of what that placement alone has."""
    rows = []
    for point in TECHNIQUES:
        for placement in placements(runs):
            alone, both = with_(PLAIN, placement), with_(PLAIN, placement, point)
            cells = [change(runs.relative(name, workload, both, alone)) for workload in runs.workloads]
            if any(cell != "-" for cell in cells):
                rows.append([SHORT[point], SHORT.get(placement, placement), *cells])
    return table(["technique", "beside", *runs.workloads], rows)


def placements(runs: Runs) -> list[str]:
    """The points of the first axis."""
    return list(dict.fromkeys(place[0] for place in runs.places))


def products(runs: Runs, name: str) -> str:
    """Savings of two together, over the product of what each does alone."""
    rows = []
    for placement in placements(runs)[1:]:
        for point in TECHNIQUES:
            cells = []
            for workload in runs.workloads:
                together = runs.relative(name, workload, with_(PLAIN, placement, point))
                one, other = (runs.relative(name, workload, with_(PLAIN, alone)) for alone in (placement, point))
                product = one * other if one and other else None
                cells.append("-" if together is None or product is None else f"{together / product:.2f}")
            if any(cell != "-" for cell in cells):
                rows.append([f"{SHORT.get(placement, placement)} and {SHORT[point]}", *cells])
    return table(["", *runs.workloads], rows)


def best(runs: Runs, name: str, larger: bool) -> str:
    """The least erased, or the longest life, with and without a code and with and without a placement."""
    rows = []
    for workload in runs.workloads:
        cells = [workload]
        for placed, coded in ((True, False), (False, True), (True, True)):
            known = {}
            for place in runs.places:
                fits = larger or place[2] not in ("spare space", "wom-v")
                if fits and (placed or place[0] == "one") and (coded or place[1:] == PLAIN[1:]):
                    ratio = runs.relative(name, workload, place)
                    if ratio is not None:
                        known[place] = ratio if name != "life" else 1 / ratio
            least = min(known.values())
            # The fewest parts among those that are as good to half a hundredth.
            place = min((at for at, ratio in known.items() if ratio <= least + 0.005), key=lambda at: len(label(at)))
            cells.append(f"{label(place)} ({change(runs.relative(name, workload, place))})")
        rows.append(cells)
    return table(["workload", "placement alone", "techniques alone", "both"], rows)


def all_runs(runs: Runs, name: str) -> str:
    """A row for each place, those left out that no workload has; effort where it changes more than a few per cent."""
    rows = []
    for place in runs.places:
        if name != "response" and place[3] != PLAIN[3]:
            continue
        cells = [change(runs.relative(name, workload, place)) for workload in runs.workloads]
        if place != PLAIN and set(cells) != {"-"}:
            rows.append([label(place), *cells])
    return table(["", *runs.workloads], rows)


def amplification(runs: Runs) -> str:
    """Write amplification of each placement alone."""
    rows = []
    for placement in placements(runs):
        reports = [runs.rows[workload, with_(PLAIN, placement)].report for workload in runs.workloads]
        cells = ["-" if report is None else f"{report.write_amplification:.3f}" for report in reports]
        rows.append([SHORT.get(placement, placement), *cells])
    return table(["", *runs.workloads], rows)


def tables(runs: Runs) -> str:
    """Everything, as the page has it."""
    refused = sum(row.report is None for row in runs.rows.values())
    parts = [f"{len(runs.rows)} runs, of which {refused} are refused.\n"]
    parts += ["### Write amplification of placement alone\n", amplification(runs)]
    for title, name, larger in (
        ("### The least erased with the same flash\n", "erased", False),
        ("### The least erased with up to twice the flash\n", "erased", True),
        ("### The longest life with the same flash\n", "life", False),
        ("### The longest life with up to twice the flash\n", "life", True),
    ):
        parts += [title, best(runs, name, larger)]
    for name, title in FIGURES.items():
        parts += [f"### What a technique changes beside a placement: {title}\n", still_saved(runs, name)]
    for name, title in FIGURES.items():
        parts += [f"### Together over the product of each alone: {title}\n", products(runs, name)]
    for name, title in FIGURES.items():
        parts += [f"### All runs: {title}\n", all_runs(runs, name)]
    return "\n".join(parts).rstrip() + "\n"


def described(traces: Path) -> Sweep:
    """The sweep of the file, with the traces that are there."""
    sweep = Sweep.from_file(ROOT / "experiments" / "studies" / "rivals.toml")
    more = tuple(
        Point(name, name, {
            "trace": str((traces / file).resolve()), "replay.fit": "dense", "flash.blocks_per_plane": blocks,
        })
        for name, file, blocks in OTHERS
        if (traces / file).exists()
    )  # fmt: skip
    axes = tuple(
        Axis(axis.name, (*axis.points, *more)) if axis.name == "workload" else axis for axis in sweep.description.axes
    )
    return Sweep(replace(sweep.description, axes=axes), sweep.folder, sweep.origin)


def main() -> None:
    """Runs what has not been run and prints or writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=Path, default=ROOT / ".." / "shared" / "traces")
    parser.add_argument("--workers", type=int, help="processes; one a core unless given")
    parser.add_argument("--write", action="store_true", help="put the tables in the place of the page's")
    given = parser.parse_args()
    runs = Runs(described(given.traces).run(workers=given.workers))
    made = tables(runs)
    print(made)
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLES.sub(lambda _: "\n" + made + "\n", page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
