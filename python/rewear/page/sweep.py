"""Puts a sweep into its template."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewear.metrics import METRICS, Metric
from rewear.page.render import Cell
from rewear.page.sweep_figures import sweep_quantities
from rewear.page.sweep_words import axis_title, finding
from rewear.page.templates import render_template
from rewear.sweep.figures import Group, figure_title, figures_of, groups_of, reference_of, value_of
from rewear.sweep.grid import CASE
from rewear.sweep.results import Results, Row
from rewear.units import format_change, format_count

__all__ = ["render_sweep_page"]

_JUDGEMENTS = {True: "better", False: "worse", None: "even"}
_FEW = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: where the runs lie, and their figures."""

    places: list[str]
    cells: list[Cell]


def render_sweep_page(results: Results, command: str | None = None, figures: Sequence[str] = ()) -> str:
    """The page as HTML text. The same results give the same bytes."""
    metrics = figures_of(results, figures)
    groups = groups_of(results)
    titles = {axis.name: axis_title(axis) for axis in results.description.axes if not axis.repeats}
    names = list(titles)
    if any(CASE in group.coordinates for group in groups):
        names.append(CASE)
    return render_template(
        "sweep.html.j2",
        data=_data(results),
        name=results.description.name,
        headline=_headline(results, metrics),
        summary=_summary(results),
        notes=_notes(results),
        names=[titles.get(name, name) for name in names],
        titles=[figure_title(metric) for metric in metrics],
        related=bool(results.description.reference),
        lines=[
            Line([group.coordinates.get(name, "") for name in names], _cells(results, group, groups, metrics))
            for group in groups
        ],
        quantities=sweep_quantities(results, metrics),
        runs=[_run(row) for row in results.rows],
        command=command,
    )


def _data(results: Results) -> list[dict[str, Any]]:
    """A run each: where it lies, how it ended, and every figure of a comparison by its key."""
    return [
        {
            **row.job.coordinates,
            "status": row.status,
            "reason": row.reason,
            **({} if row.report is None else {metric.key: metric.value(row.report) for metric in METRICS}),
        }
        for row in results.rows
    ]


def _headline(results: Results, metrics: Sequence[Metric]) -> str:
    """The finding of the first figure that has a better way, else of any; else the name of the sweep."""
    judged = sorted(metrics, key=lambda metric: metric.lower_is_better is None)
    return next(filter(None, (finding(results, metric, short=True) for metric in judged)), results.description.name)


def _summary(results: Results) -> list[str]:
    described = results.description
    ends = Counter(row.status for row in results.rows)
    ended = ", ".join(f"{format_count(count)} {status}" for status, count in ends.items())
    axes = " × ".join(f"{len(axis.points)} of {axis.name}" for axis in described.axes)
    count = len(described.cases)
    parts = [axes, f"{count} {'case' if count == 1 else 'cases'}" if count else ""]
    grid = f" ({', '.join(part for part in parts if part)})" if any(parts) else ""
    sentences = [described.description, f"{format_count(len(results.rows))} runs{grid}: {ended}."]
    if described.reference:
        place = ", ".join(label if name == CASE else f"{name} = {label}" for name, label in described.reference.items())
        sentences.append(f"Changes are relative to {place}.")
    if any(axis.repeats for axis in described.axes):
        sentences.append("Figures are means over the seeds.")
    return [sentence for sentence in sentences if sentence]


def _notes(results: Results) -> list[tuple[str, str]]:
    """Why runs did not end well, and what their reports say, each once with the runs that it is about."""
    common = [("all runs", note) for note in results.notes]
    carriers: dict[str, list[str]] = {}
    for row in results.rows:
        notes = () if row.report is None else row.report.notes
        for note in (*([f"{row.status}: {row.reason}"] if row.reason else []), *notes):
            carriers.setdefault(note, []).append(row.job.label)
    own = [(_few(labels, len(results.rows)), note) for note, labels in carriers.items()]
    return [*common, *own]


def _few(labels: list[str], total: int) -> str:
    if len(labels) == total > 1:
        return "all runs"
    return "; ".join(labels) if len(labels) <= _FEW else f"{labels[0]} and {len(labels) - 1} others"


def _cells(results: Results, group: Group, groups: Sequence[Group], metrics: Sequence[Metric]) -> list[Cell]:
    reference = reference_of(results, group, groups)
    cells = []
    for metric in metrics:
        value = value_of(metric, group)
        base = None if reference is None else value_of(metric, reference)
        short = group.is_too_short_for(metric)
        untold = short or (reference is not None and reference.is_too_short_for(metric))
        mark = " (short)" if short else ""
        if value is None:
            cells.append(Cell("-" if group.reports else "failed", "", "even"))
        elif base is None:
            cells.append(Cell(metric.text(value.mean) + mark, "", "even"))
        else:
            judged = None if untold else metric.judge(value.mean, base.mean)
            cells.append(
                Cell(metric.text(value.mean) + mark, format_change(value.mean, base.mean), _JUDGEMENTS[judged])
            )
    return cells


def _run(row: Row) -> dict[str, Any]:
    return {
        "label": row.job.label,
        "status": row.status,
        "settings": [(key, str(value)) for key, value in sorted(row.job.settings.items())],
        "key": row.key or "-",
    }
