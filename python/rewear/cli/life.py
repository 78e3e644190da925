"""`rewear life`: how long the disk that one has will live."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.output import answer, command_line
from rewear.disk.life import life
from rewear.shown.life import life_page, life_tables


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
    if html is not None:
        life_page(found).save(html, command_line())
    tables = (part for disk in found for part in life_tables(disk))
    answer(json, lambda: {"schema": 1, "disks": [disk.to_dict() for disk in found]}, lambda: tables, html)
