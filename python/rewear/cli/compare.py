"""`rewear compare`: several drives, one workload, one table."""

from typing import Annotated

import typer

from rewear.cli import completion
from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_policy, parse_source
from rewear.cli.output import command_line, print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.comparison import compare
from rewear.shown.comparison import comparison_tables


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
    html: opt.Html = None,
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
