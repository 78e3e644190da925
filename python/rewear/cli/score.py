"""`rewear score`: policies in Python, their rivals, and what is possible."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import described_drive, parse_policy, parse_source
from rewear.cli.bound import KnownFuture, bound_rows, heading
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.figures.units import format_count, format_share
from rewear.page.blocks import Part, Table
from rewear.policy_score import Score, score


@opt.command
def score_command(
    *,
    policies: Annotated[
        list[str], typer.Argument(metavar="FILE.py[:key=value,...]", help="Policies in Python.", show_default=False)
    ],
    drive: opt.OneDrive = "qlc",
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    future: KnownFuture,
    json: opt.JsonOutput = False,
) -> None:
    """Sets a policy in Python beside greedy cleaning, cost-benefit, SepBIT and what is possible.

    rewear score mine.py --workload zipf --precondition fill
    """
    replay = future.keywords()
    name, changed = described_drive(drive, settings or ())
    source, asked = parse_source(trace, workload), [parse_policy(policy) for policy in policies]
    with progress_bars() as progress:
        found = score(asked, source, name, changed, progress=progress, **replay)
    answer(json, lambda: {"schema": 1, **_as_dict(found)}, lambda: _tables(found))


def _tables(found: Score) -> list[Part]:
    columns = ("", "pages programmed per page written", "of what is possible", "erases", "calls", "processor time")
    reference = found.drives[0]
    rows = [
        (
            each.label,
            f"{each.write_amplification:.3f}",
            format_share(each.share),
            format_count(each.report.erases),
            "" if each.calls is None else format_count(each.calls),
            f"{each.cpu_s / reference.cpu_s:.2f}x" if reference.cpu_s else "-",
        )
        for each in found.drives
    ]
    prices = [
        f"{each.label} was asked {format_count(each.calls)} times and answered "
        f"{format_count(round(each.calls / each.call_s))} times a second."
        for each in found.drives
        if each.calls and each.call_s
    ]
    idle = [
        f"{each.label} was never asked, since no unit was collected. Write the drive over several times: more requests."
        for each in found.drives
        if each.calls == 0
    ]
    return [heading(found.bound), Table(columns, [*rows, *bound_rows(found.bound)]), *prices, *idle]


def _as_dict(found: Score) -> dict[str, Any]:
    """As plain data, the same for equal runs: without times."""
    drives = [
        {
            "label": each.label,
            "write_amplification": each.write_amplification,
            "share_of_possible": each.share,
            "calls": each.calls,
            "report": each.report.to_dict(),
        }
        for each in found.drives
    ]
    return {**asdict(found.bound), "drives": drives}
