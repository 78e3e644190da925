"""Draws tables of experiments/studies/differentiated_ecc.py as Figures 5 to 10 of the paper, its figures beside ours.

    python experiments/studies/differentiated_ecc.py --table-ii hm0 hm1 Financial1 --room 2 --json compared.json
    python experiments/studies/differentiated_ecc.py TRACE --vary effort.m=-4/-1/0/1/4 --set effort.n=2 --json m.json
    python experiments/studies/differentiated_ecc_figures.py diffecc.png compared.json m.json

A table of drives gives four panels (Figures 7, 8a, 8b and 10) and the mix of operations (Figure 9), a table of a
parameter
one panel (Figure 5 or 6). All response times are relative to the normal drive.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

# Figure 7 as the text gives it: response time left, by the design and by AGCR.
PAPER = {
    "design": {"Financial1": 48.0, "hm0": 53.0, "hm1": 68.0},
    "AGCR": {"Financial1": 55.0, "hm0": 70.0, "hm1": 98.0},
}
PANELS = [
    ("Figure 7: mean response time", "response"),
    ("Figure 8a: writes", "write"),
    ("Figure 8b: reads", "read"),
    ("Figure 10: erases", "erases"),
]
MIX = "low-cost writes / quick reads / slow reads"


def main() -> None:
    """Draws the tables named on the command line."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tables = [json.loads(Path(name).read_text()) for name in sys.argv[2:]]
    count = sum(5 if table[0][0] == "source" else 1 for table in tables)
    figure, panels = plt.subplots(count, 1, figsize=(9, 2.4 * count), squeeze=False, layout="constrained")
    free = iter(panels[:, 0])
    for table in tables:
        if table[0][0] == "source":
            _drives(free, table)
        else:
            _parameter(next(free), table)
    figure.savefig(sys.argv[1], dpi=80)


def _drives(free: Any, table: list[list[str]]) -> None:
    head, rows = table[0], [row for row in table[1:] if row[0] != "source"]
    sources = list(dict.fromkeys(row[0] for row in rows))
    for title, column in PANELS:
        panel = next(free)
        for shift, drive in ((-0.2, "AGCR"), (0.2, "design")):
            values = [_left(row[head.index(column)]) for row in rows if row[1] == drive]
            panel.bar([place + shift for place in range(len(sources))], values, 0.4, label=drive)
            if column == "response":
                points = [(sources.index(name) + shift, y) for name, y in PAPER[drive].items() if name in sources]
                if points:
                    panel.plot(*zip(*points, strict=True), "k_", markersize=14, label=f"{drive}, paper")
        panel.axhline(100, color="0.5", linewidth=0.8)
        _finish(panel, f"{title}, % of the normal drive", sources)
    panel = next(free)
    for shift, drive in ((-0.2, "AGCR"), (0.2, "design")):
        mixes = [_mix(row[head.index(MIX)]) for row in rows if row[1] == drive]
        bottom = [0.0] * len(mixes)
        for part, (name, color) in enumerate((("low-cost writes", "C0"), ("quick reads", "C2"), ("slow reads", "C3"))):
            heights = [mix[part] for mix in mixes]
            places = [place + shift for place in range(len(sources))]
            panel.bar(places, heights, 0.36, bottom=bottom, color=color, label=name if drive == "AGCR" else None)
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    _finish(panel, "Figure 9: operations, % (left AGCR, right design; the rest are other writes)", sources)


def _parameter(panel: Any, table: list[list[str]]) -> None:
    (key, *sources), rows = table[0], table[1:]
    for number, source in enumerate(sources):
        values = [_left(row[number + 1].split(" ")[0]) for row in rows]
        panel.plot(range(len(rows)), values, marker="o", label=source)
    _finish(panel, f"{key}: mean response time, % of the normal drive", [row[0] for row in rows])


def _finish(panel: Any, title: str, labels: list[str]) -> None:
    panel.set_xticks(range(len(labels)), labels, fontsize="small")
    panel.set_title(title, loc="left", fontsize="medium")
    panel.legend(fontsize="x-small", ncols=5)
    panel.margins(y=0.25)


def _left(change: str) -> float:
    """The rest after a change such as -24.2%; nothing where there was nothing to compare."""
    return 100 + float(change.rstrip("%").replace(",", "")) if change != "-" else 0.0


def _mix(cell: str) -> list[float]:
    return [float(part.rstrip("%")) for part in cell.split(" / ")]


if __name__ == "__main__":
    main()
