"""Draws the tables of figures.py as Figures 10 to 14, the paper's ranges beside ours.

python experiments/studies/lx_plots.py tables.json lx.png     (tables.json: figures.py --json)
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

PAPER_LABEL = "paper: its three traces"
# Of each figure: what its values are, the columns that are drawn, which rows, and the paper's range of each
# column, over its three
# traces. F13 of the paper has one curve for each trace and no figures in the text but what fast loading saves.
FIGURES: dict[str, dict[str, Any]] = {
    "F10": {
        "unit": "page writes removed, %",
        "columns": ["W/128", "W/64", "W/32", "no bound"],
        "paper": [(7.1, 12.3), (10.5, 18.4), (11.8, 19.8), (16.4, 31.1)],
    },
    "F11": {
        "unit": "erases left, %, store W/64",
        "columns": ["full drive", "F = 0.25 W", "F = 0.5 W", "F = 0.68 W"],
        "rows": ("store", "W/64"),
        "paper": [None, None, None, (41.1, 59.4)],
    },
    "F12": {
        "unit": "mean response time, %, plain drive 100",
        "columns": ["LRU", "PROB", "PROB + fast loading"],
        "rows": ("a comparison takes", "10 ns"),
        "paper": [(114.4, 128.5), (70.3, 86.7), None],
    },
    "F13": {
        "unit": "comparisons of a hit",
        "columns": ["LRU", "PROB", "PROB, fast loading ±1"],
        "paper": [None, None, None],
    },
    "F14": {
        "unit": "recyclable pages recycled, %, full drive",
        "columns": ["greedy", "recycle-aware"],
        "rows": ("start", "full"),
        "paper": [(44.4, 68.8), (49.2, 87.5)],
    },
}


def draw(tables: list[dict[str, Any]], path: Path) -> None:
    """One panel for each figure among the tables."""
    found = [(name, table) for table in tables for name in FIGURES if table["title"].startswith(f"**{name}:")]
    if not found:
        sys.exit(f"{path}: no table is of Figures 10 to 14")
    figure, panels = plt.subplots(len(found), 1, figsize=(8, 2.6 * len(found)), squeeze=False, layout="constrained")
    for panel, (name, table) in zip(panels[:, 0], found, strict=True):
        _panel(panel, name, table)
    figure.savefig(path, dpi=80)


def _panel(panel: Any, name: str, table: dict[str, Any]) -> None:
    look, head = FIGURES[name], table["head"]
    rows = table["rows"]
    if "rows" in look:
        column, value = look["rows"]
        rows = [row for row in rows if row[head.index(column)] == value]
    width = 0.8 / (len(rows) + 1)
    for number, row in enumerate(rows):
        heights = [_number(row[head.index(column)]) for column in look["columns"]]
        places = [place + (number - len(rows) / 2) * width for place in range(len(heights))]
        panel.bar(places, heights, width, label=row[0])
    for place, band in enumerate(look["paper"]):
        if band:
            low, high = band
            known = panel.get_legend_handles_labels()[1]
            label = None if PAPER_LABEL in known else PAPER_LABEL
            beside = place + len(rows) / 2 * width
            panel.bar(beside, high - low, width, bottom=low, color="0.6", hatch="//", label=label)
    panel.set_xticks(range(len(look["columns"])), look["columns"])
    panel.set_title(f"{name}: {look['unit']}", loc="left", fontsize="medium")
    panel.legend(fontsize="x-small", ncols=5)
    panel.margins(y=0.25)


def _number(cell: str) -> float:
    """The number that a cell begins with."""
    digits = cell.split(" ")[0].rstrip("%,").replace(",", "")
    return float(digits) if digits not in ("–", "") else 0.0


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
