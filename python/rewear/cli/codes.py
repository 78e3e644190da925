"""`rewear codes`: the papers' tables of codes beside what the codes measure on real bits."""

import json as json_module
import re
from typing import Annotated, Any

import typer

from rewear.cli.arguments import parse_settings
from rewear.cli.options import Html, JsonOutput, whole
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.codes import DEFAULT_SAMPLES, PHYSICS, SECTIONS, study
from rewear.core.errors import ConfigurationError
from rewear.shown.codes import codes_answer

_HOURS = {"h": 1.0, "d": 24.0, "w": 168.0, "y": 8760.0}
_RETENTION = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>[hdwy])")


def codes_command(
    section: Annotated[
        str | None,
        typer.Argument(
            metavar="[SECTION]", help=f"One of: {', '.join(SECTIONS)}. All unless given.", show_default=False
        ),
    ] = None,
    samples: Annotated[
        int, whole(most=10**8, help="Page pairs, pages or codewords per measured figure.")
    ] = DEFAULT_SAMPLES,
    seed: Annotated[int, whole(least=0, most=2**63 - 1, help="Seed of all random draws.")] = 1,
    jobs: Annotated[int | None, whole(most=1024, help="Parallel measurements; default: number of cores.")] = None,
    step: Annotated[
        list[float] | None,
        typer.Option(metavar="V", help="physics: program step; repeatable. Default: 0.5, 1, 2 times the normal."),
    ] = None,
    cycles: Annotated[
        list[float] | None, typer.Option(metavar="N", help="physics: program/erase cycles; may be repeated.")
    ] = None,
    retention: Annotated[
        list[str] | None,
        typer.Option(metavar="TIME", help="physics: time since programming, as 24h, 30d, 2w, 1y; may be repeated."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="physics: change a parameter of the cells; `--json` lists them."
        ),
    ] = None,
    html: Html = None,
    json: JsonOutput = False,
) -> None:
    """Measure codes on real bits, beside the papers' tables.

    Measured rates stand with the 95% confidence interval (Wilson's). The section `physics` is computed from published
    parameters of cells: which step which code can read, how fast, and how long blocks live (docs/manual/physics.md).
    """
    given = {"--step": step, "--cycles": cycles, "--retention": retention, "--set": settings}
    if section != PHYSICS and (unused := [option for option, value in given.items() if value]):
        raise ConfigurationError(f"{unused[0]} needs the section {PHYSICS}: `rewear codes {PHYSICS} {unused[0]} ...`.")
    parameters = parse_settings(settings or (), "voltage.step_v=0.2")
    cells = {
        "set": {key: _value(value) for key, value in parameters.items()},
        "steps_v": step or None,
        "cycles": cycles or None,
        "retention_hours": [parse_retention(text) for text in retention] if retention else None,
    }
    with progress_bars() as progress:
        results = study(
            None if section is None else [section],
            samples=samples,
            seed=seed,
            cells=cells,
            jobs=jobs,
            progress=lambda state: progress("", state),
        )
    answer(json, lambda: results, lambda: codes_answer(results), html)


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
