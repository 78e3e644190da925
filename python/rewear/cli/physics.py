"""`rewear physics`: what the cell model says about steps, codes, wear and retention."""

import json as json_module
import re
from typing import Annotated, Any

import typer

from rewear.cli.arguments import parse_settings
from rewear.cli.options import Html, JsonOutput
from rewear.cli.output import answer, command_line
from rewear.core.errors import ConfigurationError

_HOURS = {"h": 1.0, "d": 24.0, "w": 168.0, "y": 8760.0}
_RETENTION = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>[hdwy])")


def physics_command(
    step: Annotated[
        list[float] | None,
        typer.Option(metavar="V", help="Program step; may be repeated. Half, once and twice the normal step."),
    ] = None,
    cycles: Annotated[
        list[float] | None, typer.Option(metavar="N", help="Program/erase cycles; may be repeated.")
    ] = None,
    retention: Annotated[
        list[str] | None,
        typer.Option(metavar="TIME", help="Time since programming, as 24h, 30d, 2w, 1y; may be repeated."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter of the cells; `--json` shows them all."),
    ] = None,
    html: Html = None,
    json: JsonOutput = False,
) -> None:
    """Says from published cell parameters which step which code can read, how fast, and how long blocks live.

    docs/manual/physics.md lists every assumption, docs/notebook/physics.md the source of every parameter.
    """
    # Only here: what they load takes long, and every command would wait for it.
    from rewear.physics import CellModel, study
    from rewear.shown.physics import physics_page, physics_tables

    given = parse_settings(settings or (), "voltage.step_v=0.2")
    model = CellModel(set={key: _value(value) for key, value in given.items()})
    results = study(
        model,
        steps_v=step or None,
        cycles=cycles or None,
        retention_hours=[parse_retention(text) for text in retention] if retention else None,
    )
    if html is not None:
        physics_page(model, results).save(html, command_line())
    tables = (part for table in physics_tables(results) for part in (table, ""))
    answer(json, lambda: results, lambda: tables, html)


def parse_retention(text: str) -> float:
    """Hours of `24h`, `30d`, `2w` or `1y` (of 365 days)."""
    match = _RETENTION.fullmatch(text)
    if match is None:
        raise ConfigurationError(f"--retention {text}: give a number and a unit, as 24h, 30d, 2w or 1y.")
    return float(match["number"]) * _HOURS[match["unit"]]


def _value(text: str) -> Any:
    try:
        return json_module.loads(text)
    except (ValueError, RecursionError):
        # A word, such as references=fixed; or more digits than Python reads.
        return text
