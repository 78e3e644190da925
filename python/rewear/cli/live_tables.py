"""Figures that only a live drive has, for people: its space, its wear, its errors."""

from collections.abc import Sequence
from itertools import pairwise

from rewear.core.report import Report
from rewear.figures.units import format_count, format_share
from rewear.page.blocks import Part, Table

_SHADES = " ▁▂▃▄▅▆▇█"
_STATES = ("free", "reopened", "open", "closed", "condemned", "retired")


def live_tables(report: Report) -> list[Part]:
    """Space and wear of a live drive."""
    live = report["live"]
    return [space_table(live["space"]), "", *wear_map(live["erases_of_blocks"])]


def space_table(space: dict[str, int]) -> Table:
    """Erase units by state, and the share of slots that hold valid data."""
    counts = {state: space[f"{state}_units"] for state in _STATES}
    units = sum(counts.values())
    rows = [
        (state, format_count(count), format_share(count / units if units else 0.0))
        for state, count in counts.items()
        if count or state in ("free", "open", "closed")
    ]
    slots = space["slots"]
    valid = ("valid data", "", format_share(space["valid_slots"] / slots if slots else 0.0))
    return Table(("Space", "erase units", ""), [*rows, valid])


def wear_map(erases: Sequence[int], width: int = 64, rows: int = 6) -> list[str]:
    """A picture of the erases of all blocks, in the order of their numbers: a character a group of blocks."""
    if not erases:
        return []
    cells = min(len(erases), width * rows)
    edges = [len(erases) * cell // cells for cell in range(cells + 1)]
    means = [sum(erases[begin:end]) / (end - begin) for begin, end in pairwise(edges)]
    most = max(erases)
    shades = "".join(_SHADES[_shade(mean, most)] for mean in means)
    lines = [f"|{shades[start : start + width]}|" for start in range(0, len(shades), width)]
    scale = f"Erases of blocks: least {min(erases):,}, most {most:,}; a character is {len(erases) / cells:.3g} blocks."
    return [scale, *lines]


def _shade(mean: float, most: int) -> int:
    return 0 if most == 0 else min(len(_SHADES) - 1, round(mean / most * (len(_SHADES) - 1)))
