"""`rewear show`: everything that follows from a drive's configuration."""

from typing import Annotated

import typer

from rewear.cli.arguments import parse_drive
from rewear.cli.options import JsonOutput, Settings
from rewear.cli.output import answer
from rewear.shown.drive import drive_tables


def show_command(
    drive: Annotated[
        str,
        typer.Argument(
            metavar="DRIVE",
            help="Preset or TOML file, with :key=value,... if wanted.",
        ),
    ],
    settings: Settings = None,
    json: JsonOutput = False,
) -> None:
    """Show a drive: configuration and derived quantities."""
    _, shown = parse_drive(drive, settings or ())
    document = {"name": shown.name, "configuration": shown.configuration, "derived": shown.derived}
    answer(json, lambda: document, lambda: drive_tables(shown))
