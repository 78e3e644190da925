"""Figures 10 to 14 of the LX-SSD paper on any trace or workload with content, and what each open choice moves.

    python experiments/studies/lx_figures.py recordings/home.rwt recordings/mail.rwt recordings/web.rwt
    python experiments/studies/lx_figures.py --only f10,f11 YOUR.blkparse.xz
    python experiments/studies/lx_figures.py web=zipf:pages=100000,requests=745000,read=0.175,content=locality

--plot FILE draws the same beside the paper's figures, --json FILE keeps the tables for drawing or reading later.
A workload
is given as NAME=zipf:..., with its pages. The drive is that of the paper (preset `lx-slc`: Table II) with
four planes instead of 80, and as many blocks as each experiment asks for. Prints Markdown tables. Of W page writes the
bounded stores hold W/128, W/64 and W/32 entries: what 64K, 128K and 256K are of the traces of the paper.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import lx_plots as plots
import rewear

PAGE_BYTES = 4096
PLANES = 4
PAGES_PER_BLOCK = 64
OVER_PROVISIONING = 0.15
PLAIN: dict[str, Any] = {}
RECYCLE: dict[str, Any] = {"recycle.scheme": "lx"}
UNBOUNDED: dict[str, Any] = {**RECYCLE, "recycle.entries": 0}


class Stage:
    """A trace, its size in pages, and the drives that it is replayed on."""

    def __init__(self, path: str, settings: dict[str, Any]) -> None:
        """Opens a trace or makes a workload, and finds out how much of it could be recycled at best."""
        self.trace: rewear.Trace | rewear.Workload
        name, is_workload, workload = path.partition("=zipf:")
        if is_workload:
            self.name, self.trace = name, rewear.Workload(f"zipf:{workload}")
        else:
            self.name, self.trace = Path(path).name, rewear.Trace(path)
        self.settings = settings
        self.fit: Literal["dense"] | None = "dense" if isinstance(self.trace, rewear.Trace) else None
        report = self.run(UNBOUNDED, blocks=1 << 18, reach=True)
        self.writes = int(report["host_pages_written"])
        self.recyclable = int(report["writes_recycled"])
        if isinstance(self.trace, rewear.Trace):
            self.footprint = int(self.trace.info()["distinct_pages_touched"])
        else:
            self.footprint = int(workload.partition("pages=")[2].partition(",")[0])

    def entries(self, divisor: int) -> dict[str, Any]:
        """A store of a share of the trace's page writes."""
        return {**RECYCLE, "recycle.entries": max(self.writes // divisor, 1)}

    def blocks(self, free: float | None) -> int:
        """Blocks of a plane: room for `free` x W pages before cleaning begins, or as few as hold the trace."""
        pages = self.footprint * (1 + OVER_PROVISIONING)
        if free is not None:
            pages = max(pages, free * self.writes / 0.95)
        return max(int(pages / PLANES / PAGES_PER_BLOCK) + 1, 24)

    def run(self, settings: dict[str, Any], *, blocks: int, fill: bool = False, reach: bool = False) -> dict[str, Any]:
        """The report of a replay; with `reach` on a drive that never cleans and is not sized yet."""
        geometry = {
            "flash.channels": 2,
            "flash.planes_per_die": 2,
            "flash.blocks_per_plane": min(blocks, 1 << 14) if reach else blocks,
        }
        drive = rewear.Drive("lx-slc", set={**geometry, **self.settings, **settings})
        report = drive.replay(self.trace, fit=self.fit, precondition="fill" if fill else "none")
        found = report.to_dict()
        if not found["complete"]:
            sys.exit(f"{self.name}: {found['stopped_because']}")
        return found

    def removed(self, report: dict[str, Any]) -> float:
        """Share of page writes that needed no program."""
        answered = report["writes_recycled"] + report["writes_deduplicated"]
        return float(answered / max(report["host_pages_written"], 1))


TABLES: list[dict[str, Any]] = []


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Prints a table in Markdown."""
    head, rows = list(head), [list(row) for row in rows]
    TABLES.append({"title": title, "head": head, "rows": rows})
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|---{'|--:' * (len(head) - 1)}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def percent(value: float) -> str:
    """A share as per cent."""
    return f"{100 * value:.1f}%"


def ratio(value: float, base: float) -> str:
    """One figure over another as per cent of it, or a dash where there is no base."""
    return percent(value / base) if base else "–"


def mean_ns(report: dict[str, Any]) -> float:
    """Mean response time of reads and writes together."""
    both = [latency for latency in report["latency_ns"].values() if latency]
    count = sum(latency["count"] for latency in both)
    return float(sum(latency["mean"] * latency["count"] for latency in both) / max(count, 1))


STORES: list[tuple[str, int]] = [("W/128", 128), ("W/64", 64), ("W/32", 32)]


def f10(stages: list[Stage]) -> None:
    """Writes removed by the size of the store, on a drive with F = 0.68 W."""
    rows = []
    for stage in stages:
        blocks = stage.blocks(0.68)
        bounded = [stage.removed(stage.run(stage.entries(n), blocks=blocks)) for _, n in STORES]
        k128 = stage.removed(stage.run(RECYCLE, blocks=blocks))
        every = stage.removed(stage.run(UNBOUNDED, blocks=blocks))
        reachable = stage.recyclable / max(stage.writes, 1)
        rows.append([stage.name, str(stage.writes), *map(percent, [*bounded, k128, every, reachable])])
    head = ["trace", "W", *[name for name, _ in STORES], "128K", "no bound", "no bound, no cleaning"]
    table("**F10: page writes removed**", head, rows)


def f11(stages: list[Stage]) -> None:
    """Erases left, over the share of the volume that the drive takes before it cleans."""
    shares = [None, 0.25, 0.5, 0.68, 0.8]
    rows = []
    for stage in stages:
        stores = [("W/64", stage.entries(64)), ("no bound", UNBOUNDED)]
        cells: dict[str, list[str]] = {name: [] for name, _ in stores}
        for fill, free in [(True, None), *[(False, share) for share in shares]]:
            blocks = stage.blocks(free)
            plain = stage.run(PLAIN, blocks=blocks, fill=fill)
            for name, settings in stores:
                found = stage.run(settings, blocks=blocks, fill=fill)
                left = ratio(found["erases"], plain["erases"])
                cells[name].append(f"{left} (−{percent(stage.removed(found))})")
        rows += [[stage.name, name, *own] for name, own in cells.items()]
    head = ["trace", "store", "full drive", "empty, smallest", *[f"F = {share} W" for share in shares[1:]]]
    table("**F11: erases left (and writes removed), by free space F at the start**", head, rows)


def f12(stages: list[Stage]) -> None:
    """Mean response time relative to the plain drive."""
    rows = []
    variants: list[tuple[str, dict[str, Any]]] = [
        ("LRU", {"recycle.order": "lru", "recycle.fast_load_reach": 0}),
        ("PROB", {"recycle.fast_load_reach": 0}),
        ("PROB + fast loading", {}),
    ]
    for stage in stages:
        blocks = stage.blocks(0.68)
        plain = mean_ns(stage.run(PLAIN, blocks=blocks))
        for comparison_ns, engines in [(0, 0), (0, 1), (10, 0)]:
            time = {"recycle.comparison_ns": comparison_ns, "recycle.hash_engines": engines}
            cells = [
                ratio(mean_ns(stage.run({**stage.entries(64), **time, **own}, blocks=blocks)), plain)
                for _, own in variants
            ]
            hashing = "one engine" if engines else "any number"
            rows.append([stage.name, hashing, f"{comparison_ns} ns", *cells])
    head = ["trace", "hash engines", "a comparison takes", *[name for name, _ in variants]]
    table("**F12: mean response time, plain drive = 100%**", head, rows)


def f13(stages: list[Stage]) -> None:
    """Comparisons of a hit."""
    rows = []
    for stage in stages:
        blocks = stage.blocks(0.68)
        cells = []
        orders: list[dict[str, Any]] = [
            {"recycle.order": "lru", "recycle.fast_load_reach": 0},
            {"recycle.fast_load_reach": 0},
            {},
            {"recycle.fast_load_reach": 4},
        ]
        for own in orders:
            found = stage.run({**stage.entries(64), **own}, blocks=blocks)
            comparisons = found["recycling"]["comparisons_per_hit"]
            cells.append("–" if comparisons is None else f"{comparisons:.0f} (−{percent(stage.removed(found))})")
        rows.append([stage.name, str(max(stage.writes // 64, 1)), *cells])
    head = ["trace", "entries", "LRU", "PROB", "PROB, fast loading ±1", "fast loading ±4"]
    table("**F13: comparisons of a hit (and writes removed)**", head, rows)


def f14(stages: list[Stage]) -> None:
    """Recyclable pages that were recycled, by victim policy."""
    rows = []
    for stage in stages:
        for state, blocks, fill in [("F = 0.68 W", stage.blocks(0.68), False), ("full", stage.blocks(None), True)]:
            cells = []
            policies: list[dict[str, Any]] = [{"ftl.victim.scheme": "greedy"}]
            policies += [
                {"ftl.victim.scheme": "recycle-aware", "ftl.victim.most_discount": share} for share in (1.0, 0.5)
            ]
            for policy in policies:
                found = stage.run({**UNBOUNDED, **policy}, blocks=blocks, fill=fill)
                share = percent(found["writes_recycled"] / max(stage.recyclable, 1))
                cells.append(f"{share}, {found['erases']} erases, {found['pages_moved']} moves")
            rows.append([stage.name, state, *cells])
    head = ["trace", "start", "greedy", "recycle-aware", "recycle-aware, discount 0.5"]
    table("**F14: recyclable pages recycled, store without bound**", head, rows)


CHOICES: list[tuple[str, dict[str, Any]]] = [
    ("as it comes", {}),
    ("popularity = value-accesses", {"recycle.popularity": "value-accesses"}),
    ("ties = oldest-first", {"recycle.ties": "oldest-first"}),
    ("both", {"recycle.ties": "oldest-first", "recycle.popularity": "value-accesses"}),
    ("order = lru", {"recycle.order": "lru"}),
    ("own_page = false", {"recycle.own_page": False}),
    ("scope = pool", {"recycle.scope": "pool"}),
    ("entry = fingerprint", {"recycle.entry": "fingerprint"}),
    ("fast_load_reach = 0", {"recycle.fast_load_reach": 0}),
    ("fast_load_reach = 4", {"recycle.fast_load_reach": 4}),
    ("fast_load_depth = 4", {"recycle.fast_load_depth": 4}),
    ("growth = 0.15, decay = 0.2", {"recycle.growth": 0.15, "recycle.decay": 0.2}),
    ("answers = valid (deduplication alone)", {"recycle.answers": "valid"}),
    ("answers = all (both)", {"recycle.answers": "all"}),
]


def choices(stages: list[Stage]) -> None:
    """Writes removed under each choice, the others as they come, with a store of W/64."""
    rows = []
    for name, own in CHOICES:
        found = [stage.run({**stage.entries(64), **own}, blocks=stage.blocks(0.68)) for stage in stages]
        rows.append([name, *[percent(stage.removed(one)) for stage, one in zip(stages, found, strict=True)]])
    table("**Choices: page writes removed, store W/64, F = 0.68 W**", ["", *[s.name for s in stages]], rows)


FIGURES: dict[str, Callable[[list[Stage]], None]] = {
    "f10": f10, "f11": f11, "f12": f12, "f13": f13, "f14": f14, "choices": choices
}  # fmt: skip


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--only", default=",".join(FIGURES), help=f"some of {','.join(FIGURES)}")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw Figures 10 to 14 into a PNG or SVG file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of `rewear run`")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := [name for name in wanted if name not in FIGURES]:
        parser.error(f"no figure {unknown[0]}; there are {', '.join(FIGURES)}")
    settings: dict[str, Any] = dict(setting.split("=", 1) for setting in arguments.set)
    try:
        stages = [Stage(path, settings) for path in arguments.traces]
        for name in wanted:
            FIGURES[name](stages)
    except rewear.RewearError as error:
        sys.exit(f"figures.py: {error}")
    if arguments.json:
        arguments.json.write_text(json.dumps(TABLES, indent=1))
    if arguments.plot:
        plots.draw(TABLES, arguments.plot)


if __name__ == "__main__":
    main()
