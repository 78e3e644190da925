"""`rewear show`: everything that follows from a drive's configuration."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from rewear.cli.arguments import parse_drive
from rewear.cli.options import JsonOutput, Settings
from rewear.cli.output import plain_table, print_json, print_text
from rewear.drive import Drive
from rewear.units import format_value

__all__ = ["drive_tables", "flatten", "show_command"]


def show_command(
    drive: Annotated[str, typer.Argument(metavar="DRIVE", help="Preset or TOML file, with :key=value,... if wanted.")],
    settings: Settings = None,
    json: JsonOutput = False,
) -> None:
    """Shows a drive: its configuration and every quantity derived from it."""
    _, shown = parse_drive(drive, settings or ())
    if json:
        print_json({"name": shown.name, "configuration": shown.configuration, "derived": shown.derived})
    else:
        print_text(*drive_tables(shown))


def drive_tables(drive: Drive) -> list[RenderableType]:
    """The derived quantities by group, then the configuration by table of the TOML file."""
    parts: list[RenderableType] = [f"Drive {drive.name}\n"]
    for group, quantities in _grouped(drive.derived):
        table = plain_table("", "", "", title=group, numbers=False)
        table.columns[1].justify = "right"
        for quantity in quantities:
            table.add_row(quantity["label"], *_with_exact(quantity["value"], quantity["unit"]))
        parts += [table, ""]
    for name, values in drive.configuration.items():
        if isinstance(values, dict):
            table = plain_table("", "", title=f"Configuration: {name}", numbers=False)
            for key, value in flatten(values, f"{name}."):
                table.add_row(key, str(value))
            parts += [table, ""]
    return parts[:-1]


def flatten(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested tables as dotted keys with their values."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _grouped(derived: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Quantities by their group (`group` of the quantity, if it has one), in the order of first appearance."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for quantity in derived:
        groups.setdefault(quantity.get("group") or _group_of(quantity["unit"]), []).append(quantity)
    return list(groups.items())


def _group_of(unit: str | None) -> str:
    if unit == "bytes":
        return "Capacity"
    if unit == "ns" or (unit or "").endswith("/s"):
        return "Time"
    return "Structure"


def _with_exact(value: Any, unit: str | None) -> tuple[str, str]:
    """The value for people, and the exact figure where rounding hides it."""
    text = format_value(value, unit)
    rounded = unit in ("bytes", "ns") and isinstance(value, int) and value >= 1024
    return text, f"{value:,} {unit}" if rounded else ""
