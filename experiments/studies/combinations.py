"""The tables and the picture of docs/notebook/combinations.md, from what a sweep of combinations.toml wrote.

    .venv/bin/rewear sweep experiments/studies/combinations.toml
    python experiments/studies/combinations.py out/combinations.parquet

Prints Markdown and writes docs/pictures/combinations.svg. Everything is related to the plain drive under the same
workload.
"""

import itertools
import sys
from pathlib import Path
from typing import Any

import matplotlib
import pyarrow.parquet as parquet
from matplotlib.figure import Figure
from rewear.page.svg import drive_colour, page_palette, standalone_svg, style, to_svg

Combination = tuple[str, str, str]
"""Points of the axes recycle, reuse and effort."""

PLAIN: Combination = ("none", "none", "uniform")
SHORT = {
    "lx": "recycle", "spare space": "twice the flash", "second-write": "second writes", "seal": "seal",
    "wom-v": "WOM-v",    "differentiated-ecc": "diff. ECC", "agcr": "AGCR",
}  # fmt: skip
PICTURE = Path("docs/pictures/combinations.svg")


class Runs:
    """Rows of the sweep by workload and combination."""

    def __init__(self, path: str) -> None:
        """Reads the file."""
        rows = parquet.read_table(path).to_pylist()
        self.rows = {(row["axis.workload"], combination(row)): row for row in rows}
        self.workloads = list(dict.fromkeys(row["axis.workload"] for row in rows))
        self.combinations = list(dict.fromkeys(combination(row) for row in rows))

    def figure(self, name: str, workload: str, of: Combination) -> float | None:
        """A figure of a run; `None` if it is not complete."""
        row = self.rows[workload, of]
        if row["status"] != "complete":
            return None
        if name == "erased":
            # By GiB of flash, so that larger blocks compare. A code's blocks are erased after many passes, of which the
            # begun part counts; of second writes it is not known yet whether a block will take any.
            count = row["erase_equivalents" if of[1] == "wom-v" else "erases"]
            return float(count * row["derived.block_bytes"])
        return float(row[name])

    def relative(self, name: str, workload: str, of: Combination) -> float | None:
        """The figure over that of the plain drive."""
        value, plain = self.figure(name, workload, of), self.figure(name, workload, PLAIN)
        return None if value is None or not plain else value / plain


def combination(row: dict[str, Any]) -> Combination:
    """Where a row lies on the three axes."""
    return row["axis.recycle"], row["axis.reuse"], row["axis.effort"]


def label(of: Combination) -> str:
    """A combination in few words."""
    return " + ".join(SHORT[part] for part in of if part in SHORT) or "plain"


def change(ratio: float | None) -> str:
    """A ratio as a change in percent."""
    if ratio is None:
        return "-"
    return f"{100 * (ratio - 1):+.0f}%".replace("-", "\N{MINUS SIGN}")


def table(head: list[str], rows: list[list[str]]) -> None:
    """Prints a Markdown table."""
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def all_runs(runs: Runs) -> None:
    """A table for each figure."""
    for title, name in (
        ("Flash erased", "erased"),
        ("Mean response time", "mean_response_ns"),
        ("Energy (estimate)", "energy_j.total"),
    ):
        print(f"**{title} against the plain drive**\n")
        rows = [
            [label(of), *(change(runs.relative(name, workload, of)) for workload in runs.workloads)]
            for of in runs.combinations
            if of != PLAIN
        ]
        table(["", *runs.workloads], rows)


def best(runs: Runs, same_flash: bool) -> None:
    """The best combination for each workload and figure, of those with the plain drive's flash or of all."""
    larger = ("spare space", "wom-v")
    entered = [of for of in runs.combinations if not (same_flash and of[1] in larger)]
    rows = []
    for workload in runs.workloads:
        cells = [workload]
        for name in ("erased", "mean_response_ns", "energy_j.total"):
            known = {of: runs.relative(name, workload, of) for of in entered}
            # The fewest schemes among those that are as good to a hundredth.
            least = min(ratio for ratio in known.values() if ratio is not None)
            found = min((of for of, ratio in known.items() if ratio is not None and ratio <= least + 0.005), key=ranks)
            cells.append(f"{label(found)} ({change(known[found])})")
        rows.append(cells)
    table(["workload", "least erased", "quickest", "least energy"], rows)


def sums(runs: Runs, name: str) -> None:
    """What two schemes do together, over the product of what each does alone."""
    pairs = [
        (first, second)
        for first, second in itertools.combinations([of for of in runs.combinations if ranks(of) == 1], 2)
        if all("none" in both or "uniform" in both for both in zip(first, second, strict=True))
    ]
    rows = []
    for first, second in pairs:
        both: Combination = tuple(  # type: ignore[assignment]
            a if a not in ("none", "uniform") else b for a, b in zip(first, second, strict=True)
        )
        cells = [f"{label(first)} and {label(second)}"]
        for workload in runs.workloads:
            values = [runs.relative(name, workload, of) for of in (both, first, second)]
            if any(value is None for value in values):
                cells.append("-")
            else:
                together, one, other = (float(value or 0.0) for value in values)
                cells.append(f"{together / (one * other):.2f}" if one * other else "-")
        rows.append(cells)
    table(["", *runs.workloads], rows)


def ranks(of: Combination) -> int:
    """How many schemes a combination has."""
    return sum(part in SHORT for part in of)


def picture(runs: Runs) -> None:
    """Erased flash against response time, a panel a workload."""
    with matplotlib.rc_context({**style(page_palette), "svg.hashsalt": "combinations", "axes.grid.axis": "both"}):
        drawing = Figure(figsize=(10.4, 5.4), layout="constrained")
        panels = drawing.subplots(2, 4).flat
        colours = {"none": 0, "spare space": 2, "second-write": 1, "seal": 3, "wom-v": 4}
        marks = {"uniform": "o", "differentiated-ecc": "^", "agcr": "s"}
        for panel, workload in zip(panels, runs.workloads, strict=False):
            for of in runs.combinations:
                place = [runs.relative(name, workload, of) for name in ("erased", "mean_response_ns")]
                if None in place:
                    continue
                filled = drive_colour(colours[of[1]])
                panel.plot(
                    *place, marks[of[2]], color=filled, markersize=6,
                    markerfacecolor=filled if of[0] == "none" else "none",
                )  # fmt: skip
            panel.set_xlabel("flash erased, x plain")
            panel.set_ylabel("mean response, x plain")
            panel.set_title(workload, fontsize=9.5, loc="left")
            panel.set_xlim(left=0)
            panel.set_ylim(bottom=0)
        key = panels[len(runs.workloads)] if hasattr(panels, "__getitem__") else drawing.axes[len(runs.workloads)]
        key.axis("off")
        for name, colour in colours.items():
            key.plot([], [], "o", color=drive_colour(colour), label=f"reuse: {name}")
        for name, mark in marks.items():
            key.plot([], [], mark, color=drive_colour(0), label=f"effort: {name}")
        key.plot([], [], "o", color=drive_colour(0), markerfacecolor="none", label="hollow: recycle")
        key.legend(loc="center left", fontsize=9)
        for left in drawing.axes[len(runs.workloads) + 1 :]:
            left.axis("off")
        svg = to_svg(drawing, "Flash erased against mean response time of every combination, by workload")
        PICTURE.write_text(standalone_svg(svg), encoding="utf-8")


def main() -> None:
    """Prints everything."""
    if len(sys.argv) != 2:
        sys.exit("usage: experiments/studies/combinations.py FILE.parquet")
    runs = Runs(sys.argv[1])
    print("## The best of each workload, with the same flash\n")
    best(runs, same_flash=True)
    print("## The best of each workload, with up to twice the flash\n")
    best(runs, same_flash=False)
    print("## Together over the product of each alone: flash erased\n")
    sums(runs, "erased")
    print("## The same: mean response time\n")
    sums(runs, "mean_response_ns")
    print("## All runs\n")
    all_runs(runs)
    picture(runs)


if __name__ == "__main__":
    main()
