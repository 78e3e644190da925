"""`rewear show`: everything that follows from a drive's configuration."""

from collections.abc import Iterator
from json import dumps
from typing import Annotated, Any

import typer

from rewear.cli import completion
from rewear.cli.arguments import parse_drive
from rewear.cli.options import JsonOutput, Settings
from rewear.cli.output import answer
from rewear.drive import Drive
from rewear.page.blocks import Pairs, Part, Table
from rewear.units import format_quantity


def show_command(
    drive: Annotated[
        str,
        typer.Argument(
            metavar="DRIVE",
            autocompletion=completion.drives,
            help="Preset or TOML file, with :key=value,... if wanted.",
        ),
    ],
    settings: Settings = None,
    json: JsonOutput = False,
) -> None:
    """Shows a drive: its configuration and every quantity derived from it."""
    _, shown = parse_drive(drive, settings or ())
    document = {"name": shown.name, "configuration": shown.configuration, "derived": shown.derived}
    answer(json, lambda: document, lambda: drive_tables(shown))


def drive_tables(drive: Drive) -> list[Part]:
    """The derived quantities by group, then the configuration by table of the TOML file."""
    description = str(drive.configuration.get("description", "")).strip()
    parts: list[Part] = [f"Drive {drive.name}\n", *([f"{description}\n"] if description else [])]
    for group, quantities in _grouped(drive.derived).items():
        rows = [(each["label"], format_quantity(each), _exact(each)) for each in quantities]
        parts += [Table(("", "", ""), rows, group, left=(2,)), ""]
    for name, values in drive.configuration.items():
        if isinstance(values, dict):
            parts += [Pairs(list(flatten(values, f"{name}.")), f"Configuration: {name}"), ""]
    return parts[:-1]


def flatten(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested tables as dotted keys with their values as TOML."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value if isinstance(value, str) else dumps(value)


def _grouped(derived: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Quantities by their group, in the order of first appearance."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for quantity in derived:
        groups.setdefault(str(quantity["group"]).capitalize(), []).append(quantity)
    return groups


def _exact(quantity: dict[str, Any]) -> str:
    """The exact figure, where the one for people is rounded."""
    value, unit = quantity["value"], quantity["unit"]
    return f"{value:,} {unit}" if unit in ("bytes", "ns") and isinstance(value, int) and value >= 1024 else ""
