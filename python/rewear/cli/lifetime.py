"""`rewear lifetime`: how long drives live under workloads."""

from typing import Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_source
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.comparison.lifetime import lifetime
from rewear.core.errors import ConfigurationError
from rewear.shown.lifetime import lifetime_answer
from rewear.sold.classes import with_cycles


def lifetime_command(
    drives: opt.Drives = None,
    more: opt.MoreDrives = None,
    trace: Annotated[
        list[str] | None, typer.Option(metavar="FILE[:key=value,...]", help="A recorded trace; may be repeated.")
    ] = None,
    workload: Annotated[
        list[str] | None, typer.Option(metavar="NAME:key=value,...", help="A synthetic workload; may be repeated.")
    ] = None,
    settings: opt.Settings = None,
    cycles: Annotated[
        int | None, opt.whole(help="P/E cycles of a block, instead of the drives' own.", most=10_000_000)
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Simulate until the last block dies; needs flash.endurance_cycles.")
    ] = False,
    html: opt.Html = None,
    precondition: opt.Precondition = None,
    fit: opt.Fit = None,
    seed: opt.Seed = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Estimate the lives of drives: bytes written and years.

    Each workload is replayed until the drive is steady, and its wear rate is extrapolated:

        rewear lifetime qlc qlc-op114 qlc-wom-v --trace day.rwt --workload zipf:theta=0.9,requests=1e6
    """
    sources = [
        *(parse_source(file, None) for file in trace or ()),
        *(parse_source(None, text) for text in workload or ()),
    ]
    if not sources:
        raise ConfigurationError(
            "There is nothing to replay. Give --trace FILE or --workload NAME:key=value,..., once or several times."
        )
    devices = parse_drives([*(drives or ()), *(more or ())], settings or ())
    if cycles is not None:
        devices = [(label, with_cycles(drive, cycles)) for label, drive in devices]
    with progress_bars() as progress:
        lives = lifetime(
            sources, devices, simulate=simulate, jobs=jobs, progress=progress,
            precondition=precondition, fit=fit, seed=seed,
        )  # fmt: skip
    document = {"schema": 1, "lives": [life.to_dict() for life in lives]}
    answer(json, lambda: document, lambda: lifetime_answer(lives), html)
