"""A heat map of a sweep with many panels: a row for each panel and line, a column for each point along the plot."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewear.metrics import Metric
from rewear.page.sweep_layout import Layout, Panel
from rewear.page.sweep_words import axis_title
from rewear.sweep.figures import Group, value_of

__all__ = ["Heat", "HeatRow", "heat_of"]


@dataclass(frozen=True, slots=True)
class Shade:
    """One place: the figure as text, and how dark it is from 0 (the least of all) to 100 (the most)."""

    text: str
    percent: int
    best: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row with the label of the panel and of the line that it stands for."""

    label: str
    cells: list[Shade]


@dataclass(frozen=True, slots=True)
class Heat:
    """The whole map."""

    corner: str
    """What the rows are."""
    across: str
    """What the columns are."""
    columns: list[str]
    rows: list[HeatRow]


def heat_of(layout: Layout, metric: Metric, panels: Sequence[Panel]) -> Heat:
    """The map of one figure over all panels; a place without a figure stays empty."""
    lines = [(panel, line) for panel in panels for line in panel.series]
    cases = [] if not panels else [(None, line) for line in panels[0].cases]
    along = [] if layout.x is None else [point.label for point in layout.x.points]
    found = [_mean(metric, group) for _, line in (*lines, *cases) for group in line.groups.values()]
    known = [mean for mean in found if mean is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    best = None if metric.lower_is_better is None else (low if metric.lower_is_better else high)

    def shade(group: Group | None) -> Shade:
        mean = None if group is None else _mean(metric, group)
        if mean is None:
            return Shade("", 0, False)
        return Shade(metric.text(mean), round(100 * (mean - low) / (high - low)) if high > low else 0, mean == best)

    rows = [
        HeatRow(", ".join(filter(None, (panel.label, line.label))), [shade(line.groups.get(label)) for label in along])
        for panel, line in lines
    ]
    for _, case in cases:
        rows += [HeatRow(case.label, [shade(group)] * len(along)) for group in case.groups.values()]
    names = [*(axis.name for axis in layout.panels), *([] if layout.lines is None else [layout.lines.name])]
    return Heat(", ".join(names), "" if layout.x is None else axis_title(layout.x), along, rows)


def _mean(metric: Metric, group: Group) -> float | None:
    value = value_of(metric, group)
    return None if value is None else value.mean
