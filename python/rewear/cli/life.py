"""`rewear life`: how long the disk that one has will live."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.output import answer
from rewear.disk.life import DiskLife, life
from rewear.figures.units import parse_years
from rewear.shown.life import life_answer


def life_command(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...",
            help="Files of smartctl -x or nvme smart-log, as text or JSON, metrics of Prometheus, or folders of them.",
            show_default=False,
        ),
    ],
    wrote: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Bytes written between two logs: tells the unit of an unknown counter."),
    ] = None,
    at_least: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Exit code 1 if a disk has less left than this, as 1y or 90d; 4 if none can be told."
        ),
    ] = None,
    html: opt.Html = None,
    json: opt.JsonOutput = False,
) -> None:
    """Estimate the life of your disk from its SMART logs.

    rewear life monday.txt friday.txt
    """
    bound = None if at_least is None else parse_years("--at-least", at_least)
    found = life(logs, wrote)
    document = {"schema": 1, "disks": [disk.to_dict() for disk in found]}
    answer(json, lambda: document, lambda: life_answer(found), html)
    if bound is not None and (code := _code(found, bound)):
        raise typer.Exit(code)


def _code(disks: list[DiskLife], years: float) -> int:
    """1 if a disk has less left, otherwise 4 if of one it cannot be told."""
    lives = [disk.lives_for(years) for disk in disks]
    return 1 if False in lives else 4 if None in lives else 0
