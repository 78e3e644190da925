"""`rewear compare`: several drives, one workload, one table."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rewear.cli import completion
from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_policy, parse_source
from rewear.cli.files import check_writable
from rewear.cli.output import command_line, fits, plain_table, print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.comparison import Comparison, Run, compare
from rewear.facts import omitted
from rewear.metrics import Metric, metrics_for
from rewear.units import format_change, format_number
from rewear.verdict import spare_of, too_short, verdict_of

__all__ = ["compare_command"]


def compare_command(
    drives: Annotated[
        list[str],
        typer.Argument(
            metavar="DRIVE",
            help="Presets or TOML files, each as [LABEL=]DRIVE[:key=value,...]. The first is the reference.",
            show_default=False,
            autocompletion=completion.drives,
        ),
    ],
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    policies: opt.Policies = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained page with plots.")
    ] = None,
    arrival: opt.Arrival = None,
    queue_depth: opt.QueueDepth = None,
    time_scale: opt.TimeScale = None,
    precondition: opt.Precondition = None,
    loops: opt.Loops = None,
    until: opt.Until = None,
    max_requests: opt.MaxRequests = None,
    fit: opt.Fit = None,
    warm_up: opt.WarmUp = None,
    queues: opt.Queues = False,
    interval: opt.Interval = None,
    no_time: opt.NoTime = False,
    scale: opt.Scale = None,
    seed: opt.Seed = None,
    seeds: opt.Seeds = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Replays one workload on several drives and sets them side by side.

    A drive's own settings follow a colon and win over --set; a label may stand in front:

        rewear compare --trace web.rwt small=qlc roomy=qlc:ftl.over_provisioning=0.28 mine.toml
    """
    replay = opt.replay_options(locals())
    if html is not None:
        check_writable(html)
    devices = parse_drives(drives, settings or ())
    asked = [parse_policy(policy) for policy in policies or ()]
    devices += [(policy.name, devices[0][1].with_policy(policy)) for policy in asked]
    source = parse_source(trace, workload)
    with progress_bars() as progress:
        comparison = compare(source, devices, jobs=jobs, seeds=seeds, progress=progress, **replay)
    if html is not None:
        comparison.save_html(html, command=command_line())
    if json:
        for labels, note in comparison.notes:
            warn(f"{labels}: {note}")
        print_json(comparison.to_dict())
    else:
        print_text(*comparison_tables(comparison))
        if html is not None:
            print_text(f"\nPage: {html}")
    if not all(report.complete for report in comparison.reports):
        raise typer.Exit(INCOMPLETE)


def comparison_tables(comparison: Comparison) -> list[RenderableType]:
    """The table (or several, if the drives are many), then the notes of each drive."""
    reference, others = comparison.reference, comparison.runs[1:]
    verdict = verdict_of(comparison).sentence
    parts: list[RenderableType] = [
        f"{verdict}.\n",
        f"{_replayed(comparison)}; changes are relative to {reference.label}\n",
    ]
    remaining = list(others)
    while remaining or len(parts) == 2:
        # As many drives beside the reference as fit the window, at least one.
        count = len(remaining)
        while count > 1 and not fits(_table(comparison, [reference, *remaining[:count]])):
            count -= 1
        parts += [_table(comparison, [reference, *remaining[:count]]), ""]
        remaining = remaining[count:]
    parts += [f"Trace: {sentence}" for sentence in omitted(reference.report)]
    parts += [f"{run.label}: {spare}" for run in others if (spare := spare_of(run, comparison))]
    parts += [f"Too short to tell: {reason}" for run in comparison.runs if (reason := too_short(run.label, run.report))]
    parts += [f"{labels}: {note}" for labels, note in comparison.notes]
    return parts if parts[-1] != "" else parts[:-1]


def _table(comparison: Comparison, runs: list[Run]) -> Table:
    reference = runs[0]
    headings = [heading for run in runs[1:] for heading in (run.label, "")]
    table = plain_table("", reference.label, *headings)
    group = None
    for metric in metrics_for(comparison.reports):
        if metric.group != group:
            if group is not None:
                table.add_section()
            group = metric.group
            table.add_row(group, style="bold")
        cells: list[RenderableType] = [f"  {metric.title}", _figure(metric, reference, comparison)]
        for run in runs[1:]:
            cells += [_figure(metric, run, comparison), _change(metric, run, comparison)]
        table.add_row(*cells)
    return table


def _replayed(comparison: Comparison) -> str:
    name = str(comparison.reference.report["source"]["name"])
    if comparison.repeats == 1:
        return name
    what = "samples" if comparison.is_miniature else "seeds"
    return f"{name}, {comparison.repeats} {what}, means and 95% intervals"


def _figure(metric: Metric, run: Run, comparison: Comparison) -> str:
    found = comparison.interval(run, metric.value) if comparison.repeats > 1 else None
    return metric.format(run.report) if found is None else metric.text(found.mean)


def _change(metric: Metric, run: Run, comparison: Comparison) -> Text:
    """The change to the reference; green for the better, red for the worse; none within its interval."""
    reference = comparison.reference
    styles = {True: "green", False: "red", None: ""}
    better = metric.is_better(run.report, reference.report)
    found = comparison.ratio(run, reference, metric.value) if comparison.repeats > 1 else None
    if found is None:
        change = format_change(metric.value(run.report), metric.value(reference.report))
    elif found.holds(1.0):
        change, better = "none", None
    else:
        change = f"{format_change(found.mean, 1.0)} ± {format_number(found.half_width * 100, 2)}"
    return Text(change, style=styles[better])
