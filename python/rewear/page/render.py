"""Puts a comparison into the template."""

from dataclasses import dataclass
from typing import Any

from rewear.cli.show import flatten
from rewear.comparison import Comparison, Run
from rewear.facts import Facts, region_facts, replay_facts, trace_facts
from rewear.metrics import Metric, metrics_for
from rewear.page.figures import all_plots
from rewear.page.glossary import glossary
from rewear.page.templates import render_template
from rewear.page.words import findings, headline, summary
from rewear.trace import Trace
from rewear.units import format_change, format_number, format_quantity
from rewear.verdict import too_short, verdict_of

__all__ = ["render_page"]

_NOUNS = {True: "better", False: "worse", None: "even"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of one drive, its change to the reference and the judgement of it (a class of the stylesheet)."""

    value: str
    change: str
    judgement: str


def render_page(comparison: Comparison, command: str | None = None) -> str:
    """The page as HTML text. The same comparison gives the same bytes."""
    return render_template(
        "template.html.j2",
        data=comparison.to_dict(),
        headline=headline(comparison),
        summary=summary(comparison),
        findings=findings(comparison),
        runs=comparison.runs,
        winner=verdict_of(comparison).winner,
        groups=_table(comparison),
        plots=all_plots(comparison),
        glossary=glossary("comparison"),
        too_short=[reason for run in comparison.runs if (reason := too_short(run.label, run.report))],
        notes=comparison.notes,
        workload=_workload(comparison),
        drives=[_drive(run) for run in comparison.runs],
        command=command,
        seed=comparison.reference.report.seed,
    )


def _table(comparison: Comparison) -> list[tuple[str, list[tuple[Metric, list[Cell]]]]]:
    """Rows of the table by group: the metric and one cell a drive."""
    groups: dict[str, list[tuple[Metric, list[Cell]]]] = {}
    for metric in metrics_for(comparison.reports):
        groups.setdefault(metric.group, []).append(
            (metric, [_cell(metric, run, comparison) for run in comparison.runs])
        )
    return list(groups.items())


def _cell(metric: Metric, run: Run, comparison: Comparison) -> Cell:
    reference = comparison.reference
    if comparison.repeats == 1 or (found := comparison.interval(run, metric.value)) is None:
        change = "" if run is reference else format_change(metric.value(run.report), metric.value(reference.report))
        return Cell(metric.format(run.report), change, _NOUNS[metric.is_better(run.report, reference.report)])
    ratio = None if run is reference else comparison.ratio(run, reference, metric.value)
    if ratio is None:
        return Cell(metric.text(found.mean), "", _NOUNS[None])
    if ratio.holds(1.0):
        return Cell(metric.text(found.mean), "none", _NOUNS[None])
    change = f"{format_change(ratio.mean, 1.0)} ± {format_number(ratio.half_width * 100, 2)}"
    return Cell(metric.text(found.mean), change, _NOUNS[metric.is_better(run.report, reference.report)])


def _workload(comparison: Comparison) -> Facts:
    """What was replayed and how. A trace is counted once more for it; that takes a fraction of one replay."""
    source, report = comparison.source, comparison.reference.report
    if isinstance(source, Trace):
        facts = trace_facts(source.info())
    else:
        facts = [("workload", source.spec), *region_facts(source.region)]
    return [*facts, *replay_facts(report)]


def _drive(run: Run) -> dict[str, Any]:
    described = run.report["drive"]
    derived = [(item["label"], format_quantity(item)) for item in described["derived"]]
    return {"label": run.label, "derived": derived, "configuration": list(flatten(described["configuration"]))}
