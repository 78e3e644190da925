"""`rewear compare`: several drives, one workload, one table."""

from typing import Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_policy, parse_source
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.comparison.comparison import compare
from rewear.shown.comparison import comparison_answer


@opt.command
def compare_command(
    *,
    drives: opt.Drives = None,
    more: opt.MoreDrives = None,
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy", metavar="FILE.py", help="Policy in Python: adds a copy of the first drive under it; repeatable."
        ),
    ] = None,
    html: opt.Html = None,
    replay: opt.Replay,
    seeds: opt.Seeds = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Replay one workload on several drives, and compare their figures.

    A drive's own settings follow a colon and win over --set; a label may stand in front:

        rewear compare --trace web.rwt small=qlc roomy=qlc:ftl.over_provisioning=0.28 mine.toml
    """
    options = replay.keywords()
    devices = parse_drives([*(drives or ()), *(more or ())], settings or ())
    asked = [parse_policy(policy) for policy in policies or ()]
    devices += [(policy.name, devices[0][1].with_policy(policy)) for policy in asked]
    source = parse_source(trace, workload)
    with progress_bars() as progress:
        comparison = compare(source, devices, jobs=jobs, seeds=seeds, progress=progress, **options)
    for labels, note in comparison.notes if json else ():
        warn(f"{labels}: {note}")
    answer(json, comparison.to_dict, lambda: comparison_answer(comparison), html)
    if not all(report.complete for report in comparison.reports):
        raise typer.Exit(INCOMPLETE)
