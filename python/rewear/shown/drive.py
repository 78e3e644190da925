"""A drive as tables: what follows from its configuration, and the configuration."""

from json import dumps
from typing import Any

from rewear.core.drive import Drive
from rewear.core.toml_text import flat
from rewear.figures.units import format_quantity
from rewear.page.blocks import Pairs, Part, Table


def drive_tables(drive: Drive) -> list[Part]:
    """The derived quantities by group, then the configuration by table of the TOML file."""
    description = str(drive.configuration.get("description", "")).strip()
    parts: list[Part] = [f"Drive {drive.name}\n", *([f"{description}\n"] if description else [])]
    for group, quantities in _grouped(drive.derived).items():
        rows = [(each["label"], format_quantity(each), _exact(each)) for each in quantities]
        parts += [Table(("", "", ""), rows, group, left=(2,)), ""]
    for name, values in drive.configuration.items():
        if isinstance(values, dict):
            parts += [Pairs(setting_pairs(values, f"{name}."), f"Configuration: {name}"), ""]
    return parts[:-1]


def setting_pairs(values: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Dotted keys of nested tables with their values as TOML."""
    return [(key, value if isinstance(value, str) else dumps(value)) for key, value in flat(values, prefix)]


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
