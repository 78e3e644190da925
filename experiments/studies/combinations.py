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

import pyarrow.parquet as parquet
from rewear.page.chart import Axis, Chart, Layer, drive_colour, standalone_svg, svg_of

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
    """Effect of two schemes together, over the product of what each does alone."""
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
    colours = {
        f"reuse: {name}": drive_colour(place)
        for name, place in {"none": 0, "spare space": 2, "second-write": 1, "seal": 3, "wom-v": 4}.items()
    }
    marks = {"uniform": "circle", "differentiated-ecc": "triangle", "agcr": "square"}
    panels = []
    for workload in runs.workloads:
        layers = []
        for of in runs.combinations:
            x, y = (runs.relative(name, workload, of) for name in ("erased", "mean_response_ns"))
            if x is not None and y is not None:
                row = {"x": x, "y": y, "series": f"reuse: {of[1]}", "tip": label(of)}
                layers.append(Layer("point", [row], {"shape": marks[of[2]], "filled": of[0] == "none"}))
        axes = (Axis("flash erased, x plain"), Axis("mean response, x plain"))
        panels.append(Chart(workload, "", layers, *axes, colours, legend=not panels))
    title = "Flash erased against mean response time of every combination, by workload"
    caption = "Triangles: differentiated ECC. Squares: AGCR. Hollow: recycling."
    PICTURE.write_text(standalone_svg(svg_of(Chart(title, caption, (), panels=panels))), encoding="utf-8")


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
