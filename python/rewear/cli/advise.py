"""`rewear advise`: which drive to buy for a workload, how long it lives, and whether a technique would help."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.advice import advise
from rewear.advice.advise import CAPACITY, CHIP, YEARS
from rewear.advice.chips import chip_names
from rewear.cli import options as opt
from rewear.cli.arguments import one_of, parse_source
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE
from rewear.core.bundled import recordings
from rewear.core.errors import ConfigurationError
from rewear.shown.advice import advice_answer

CANNOT_SAY = 4
"""Exit code where the recording tells too little for an answer."""
_DRIVE = "The drive"


def advise_command(
    trace: Annotated[
        str | None,
        typer.Argument(
            metavar="[TRACE[:key=value,...]]",
            help="A recorded trace, plain or compressed; `rewear trace formats` lists formats and options.",
            show_default=False,
        ),
    ] = None,
    trace_option: Annotated[str | None, typer.Option("--trace", metavar="FILE", hidden=True)] = None,
    workload: opt.WorkloadSpec = None,
    capacity: Annotated[
        str, typer.Option(metavar="SIZE", help="Exported capacity, as 1TB.", rich_help_panel=_DRIVE)
    ] = CAPACITY,
    years: Annotated[
        float,
        typer.Option(min=0.1, max=100.0, metavar="YEARS", help="Required life.", rich_help_panel=_DRIVE),
    ] = YEARS,
    cycles: Annotated[
        int | None,
        opt.whole(
            most=10**7,
            help="P/E cycles of a block, instead of the published ranges.",
            rich_help_panel=_DRIVE,
        ),
    ] = None,
    chip: Annotated[
        str,
        typer.Option(
            metavar="CHIP",
            help=f"The flash of the papers' techniques: {', '.join(chip_names())}.",
            rich_help_panel="Techniques",
        ),
    ] = CHIP,
    techniques: Annotated[
        bool,
        typer.Option(
            "--techniques/--no-techniques",
            help="Replay techniques for firmware, too; takes most of the time.",
            rich_help_panel="Techniques",
        ),
    ] = True,
    jobs: opt.Jobs = None,
    why: Annotated[bool, typer.Option("--why", help="Print the drives' TOML files, too.")] = False,
    drives: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the drives' TOML files into this folder.")
    ] = None,
    html: opt.Html = None,
    json: opt.JsonOutput = False,
) -> None:
    """Recommend a drive for a workload: life, cost, and the gain of techniques.

    rewear advise YOUR.csv.gz --capacity 1TB --html answer.html
    """
    if trace_option is not None:
        trace = one_of("trace", "rewear advise FILE", trace, trace_option)
    if trace is None and workload is None:
        raise ConfigurationError(
            "There is nothing to ask about. Name a recorded trace, as in rewear advise recordings/home.rwt, or give "
            "--workload NAME:key=value,..."
        )
    source = parse_source(trace, workload)
    with progress_bars() as progress:
        advice = advise(
            source, capacity=capacity, chip=chip, years=years, cycles=cycles, techniques=techniques, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    if drives is not None:
        advice.save_drives(drives)
    below = [f"\n# {row.label}\n{row.sized.toml}" for row in advice.rows if why]
    below += [] if drives is None else [f"\nDrives: {drives}/*.toml"]
    answer(json, advice.to_dict, lambda: advice_answer(advice), html, below)
    if advice.cannot_say is not None and advice.buy is None:
        raise typer.Exit(CANNOT_SAY)
    if not all(row.report.complete for row in advice.rows):
        raise typer.Exit(INCOMPLETE)


def demo_command(html: opt.Html = None, jobs: opt.Jobs = None, json: opt.JsonOutput = False) -> None:
    """Recommend a drive for a recorded home directory.

    The same as `rewear advise` with the recording `home`.
    """
    advise_command(trace=str(recordings()["home"]), html=html, jobs=jobs, json=json)
