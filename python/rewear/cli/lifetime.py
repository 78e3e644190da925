"""`rewear lifetime`: how long drives live under workloads."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from rewear.classes import with_cycles
from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_source
from rewear.cli.files import check_writable
from rewear.cli.output import command_line, plain_table, print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.errors import ConfigurationError
from rewear.files import write_text
from rewear.lifetime import PROGRAM_WEARS, Life, lifetime
from rewear.units import format_bytes, format_number, format_share

__all__ = ["lifetime_command"]

_EVEN = 0.9
"""Evenness below which wear levelling would lengthen a life by more than a tenth."""

_ENDS = {
    "worn-blocks": "worn blocks",
    "uncorrectable-pages": "uncorrectable pages",
    "worn-cache": "a worn SLC cache",
}


def lifetime_command(
    drives: Annotated[
        list[str],
        typer.Argument(
            metavar="DRIVE",
            help="Presets or TOML files, each as [LABEL=]DRIVE[:key=value,...].",
            show_default=False,
        ),
    ],
    trace: Annotated[
        list[str] | None,
        typer.Option("--trace", metavar="FILE[:key=value,...]", help="A recorded trace; may be repeated."),
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option("--workload", metavar="NAME:key=value,...", help="A synthetic workload; may be repeated."),
    ] = None,
    settings: opt.Settings = None,
    cycles: Annotated[
        int | None,
        opt.whole("--cycles", help="P/E cycles that blocks endure, instead of what the drives say.", most=10_000_000),
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Follow the drives to the last block (flash.endurance_cycles).")
    ] = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="OUT", help="Write a page with plots.")] = None,
    precondition: opt.Precondition = None,
    fit: opt.Fit = None,
    seed: opt.Seed = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Says how much can be written to drives until they die, and how many years that is.

    Each workload is replayed until the drive is steady, and what it wears then is taken to go on:

        rewear lifetime qlc qlc-op114 qlc-wom-v --trace day.rwt --workload zipf:theta=0.9,requests=1e6
    """
    if html is not None:
        check_writable(html)
    sources = [
        *(parse_source(file, None) for file in trace or ()),
        *(parse_source(None, text) for text in workload or ()),
    ]
    if not sources:
        raise ConfigurationError(
            "There is nothing to replay. Give --trace FILE or --workload NAME:key=value,..., once or several times."
        )
    devices = parse_drives(drives, settings or ())
    if cycles is not None:
        devices = [(label, with_cycles(drive, cycles)) for label, drive in devices]
    with progress_bars() as progress:
        lives = lifetime(
            sources, devices, simulate=simulate, jobs=jobs, progress=progress,
            precondition=precondition, fit=fit, seed=seed,
        )  # fmt: skip
    if html is not None:
        from rewear.page.lifetime import lifetime_page

        write_text(html, lifetime_page(lives, command_line()))
    if json:
        print_json({"schema": 1, "lives": [life.to_dict() for life in lives]})
        return
    print_text(*life_tables(lives))
    if html is not None:
        print_text(f"\nPage: {html}")


def life_tables(lives: list[Life]) -> list[RenderableType]:
    """A table of lives a workload, then what programs would cost that are no ordinary ones."""
    parts: list[RenderableType] = []
    for workload in dict.fromkeys(life.workload for life in lives):
        table = plain_table(
            workload, "flash for a byte", "erased for a byte", "evenness", "written", "drive writes", "a day, 5 years",
            "at the run's rate", "ends by",
        )  # fmt: skip
        for life in lives:
            if life.workload == workload:
                table.add_row(*life.as_text(), _ENDS[life.figures["ends"]])
        parts += [table, ""]
    for worn in (
        _if_programs_cost(lives, "without an erase", "reprogram_wear", lambda life: life.report.reprograms),
        _if_programs_cost(lives, "with a coarse step", "coarse_wear", lambda life: life.coarse_programs),
    ):
        parts += [worn, ""] if worn.row_count else []
    sources = dict.fromkeys(f"{life.figures['cycles']:,} cycles: {life.figures['source']}" for life in lives)
    parts += list(sources)
    parts += [
        f"{life.label}, {life.workload}: not steady, so its life is uncertain"
        for life in lives
        if not life.figures["settled"]
    ]
    for life in {life.label: life for life in lives}.values():
        parts += _notes(life)
    return parts


def _notes(life: Life) -> list[str]:
    """What the figures of a drive are those of, and what would change them."""
    notes = []
    if life.whole is not None:
        model = format_bytes(life.report.derived["physical_bytes"])
        notes.append(
            f"{life.label} is replayed as a model with {model} of flash. Lives are those of the whole drive "
            f"({life.whole.name}, {format_bytes(life.whole.capacity_bytes)} exported, "
            f"{format_bytes(life.whole.flash_bytes)} of flash), {format_number(life.whole.factor)}x the model's. That "
            "takes the workload to spread over the whole drive with the same shares of hot and cold data."
        )
    ftl = life.report["drive"]["configuration"]["ftl"]
    if ftl["wear_levelling"]["scheme"] == "none" and life.figures["evenness"] < _EVEN:
        notes.append(
            f"{life.label} does not level wear, so the mean block uses {format_share(life.figures['evenness'])} of its "
            "cycles. Drives on sale do: --set ftl.wear_levelling.scheme=static --set ftl.wear_levelling.spread=50, "
            "or a preset of a class of drives (rewear drives)."
        )
    return notes


def _if_programs_cost(lives: list[Life], kind: str, key: str, count: Callable[[Life], int]) -> Table:
    """What could be written if programs of a kind cost their cells more or less; a row a drive that makes some."""
    table = plain_table(f"If a program {kind} costs", *(f"{wear:g} of a cycle" for wear in PROGRAM_WEARS))
    for life in lives:
        if count(life):
            written = (format_bytes(life.tbw_bytes_at(**{key: wear})) for wear in PROGRAM_WEARS)
            table.add_row(f"{life.label}, {life.workload}", *written)
    return table
