"""A sweep as tables for people."""

from collections import Counter
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rewear.cli.output import fits, plain_table
from rewear.metrics import Metric
from rewear.sweep.figures import Group, figure_title, figures_of, groups_of, reference_of, value_of
from rewear.sweep.grid import CASE
from rewear.sweep.results import Results
from rewear.units import format_change

__all__ = ["summary", "sweep_tables"]


def summary(results: Results) -> str:
    """How many runs there were and how they ended."""
    statuses = Counter(row.status for row in results.rows)
    parts = [f"{count} {status}" for status, count in statuses.items()]
    now = sum(row.replayed for row in results.rows)
    return f"{results.description.name}: {len(results.rows)} runs, {', '.join(parts)}; {now} were run now."


def sweep_tables(results: Results, figures: Sequence[str] = ()) -> list[RenderableType]:
    """The figures of each run beside their change to the reference; several tables if they are many."""
    metrics = figures_of(results, figures)
    parts: list[RenderableType] = [f"{_heading(results)}\n"]
    while metrics:
        # As many figures as fit the window, at least one.
        count = len(metrics)
        while count > 1 and not fits(_table(results, metrics[:count])):
            count -= 1
        parts += [_table(results, metrics[:count]), ""]
        metrics = metrics[count:]
    return parts[:-1] if parts[-1] == "" else parts


def _heading(results: Results) -> str:
    described = results.description
    words = described.description or described.name
    if described.reference:
        place = ", ".join(label if name == CASE else f"{name}={label}" for name, label in described.reference.items())
        words += f"\nChanges are relative to {place}."
    repeats = [axis for axis in described.axes if axis.repeats]
    if repeats:
        words += f"\nMeans over {' x '.join(str(len(axis.points)) for axis in repeats)} seeds."
    return words


def _table(results: Results, metrics: Sequence[Metric]) -> Table:
    groups = groups_of(results)
    names = [axis.name for axis in results.description.axes if not axis.repeats]
    if any(CASE in group.coordinates for group in groups):
        names.append(CASE)
    changes = bool(results.description.reference)
    headings = [text for metric in metrics for text in (figure_title(metric), *([""] if changes else []))]
    table = plain_table(*names, *headings)
    for column in table.columns[: len(names)]:
        column.justify = "left"
    for column in table.columns[len(names) :]:
        column.overflow = "fold"
    for group in groups:
        reference = reference_of(results, group, groups)
        cells: list[RenderableType] = [group.coordinates.get(name, "") for name in names]
        for metric in metrics:
            cells += _cells(metric, group, reference, changes)
        table.add_row(*cells)
    return table


def _cells(metric: Metric, group: Group, reference: Group | None, changes: bool) -> list[RenderableType]:
    """The figure and, if `changes` are shown, its change to the reference."""
    value = value_of(metric, group)
    status = "failed" if not group.reports else "-"
    short = group.is_too_short_for(metric)
    cells: list[RenderableType] = [status if value is None else metric.text(value.mean) + (" (short)" if short else "")]
    if changes:
        base = None if reference is None else value_of(metric, reference)
        change = "" if base is None or value is None else format_change(value.mean, base.mean)
        untold = short or (reference is not None and reference.is_too_short_for(metric))
        better = None if base is None or value is None or untold else metric.judge(value.mean, base.mean)
        cells.append(Text(change, style={True: "green", False: "red", None: ""}[better]))
    return cells
