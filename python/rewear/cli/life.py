"""`rewear life`: how long the disk that one has will live."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.output import answer
from rewear.disk.life import life
from rewear.shown.life import life_answer


def life_command(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...",
            help="Files of `smartctl -j -x` or `nvme smart-log -o json`, or folders of them.",
            show_default=False,
        ),
    ],
    html: opt.Html = None,
    json: opt.JsonOutput = False,
) -> None:
    """Estimate the life of your disk from its SMART logs.

    rewear life monday.json friday.json
    """
    found = life(logs)
    document = {"schema": 1, "disks": [disk.to_dict() for disk in found]}
    answer(json, lambda: document, lambda: life_answer(found), html)
