"""`rewear advise`: which drive to buy for a workload, how long it lives, and whether a technique would help."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from rewear.advice import Advice, Row, advise
from rewear.advice.advise import CAPACITY, CHIP, YEARS
from rewear.advice.chips import chip_names
from rewear.advice.columns import Column, cells, sold, worn
from rewear.advice.columns import techniques as techniques_of
from rewear.advice.words import elsewhere_sentence
from rewear.bundled import recordings
from rewear.cli import completion
from rewear.cli import options as opt
from rewear.cli.arguments import parse_source
from rewear.cli.files import check_writable
from rewear.cli.output import command_line, fits, plain_table, print_json, print_line, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE
from rewear.page.glossary import glossary
from rewear.units import format_number

__all__ = ["CANNOT_SAY", "advise_command", "demo_command"]

CANNOT_SAY = 4
"""Exit code where the recording tells too little for an answer."""
_DRIVE = "The drive"


def advise_command(
    trace: Annotated[
        str | None,
        typer.Argument(
            metavar="[TRACE[:key=value,...]]",
            autocompletion=completion.traces,
            help="A recorded trace, plain or compressed; `rewear trace formats` lists formats and options.",
            show_default=False,
        ),
    ] = None,
    workload: opt.WorkloadSpec = None,
    capacity: Annotated[
        str, typer.Option(metavar="SIZE", help="What the drive exports, as 1TB.", rich_help_panel=_DRIVE)
    ] = CAPACITY,
    years: Annotated[
        float,
        typer.Option(
            min=0.1, max=100.0, metavar="YEARS", help="How long it is to live at least.", rich_help_panel=_DRIVE
        ),
    ] = YEARS,
    cycles: Annotated[
        int | None,
        opt.whole(
            most=10**7,
            help="P/E cycles of its blocks, instead of the ranges that are published.",
            rich_help_panel=_DRIVE,
        ),
    ] = None,
    chip: Annotated[
        str,
        typer.Option(
            metavar="CHIP",
            autocompletion=completion.chips,
            help=f"The flash of the papers' techniques: {', '.join(chip_names())}.",
            rich_help_panel="Techniques",
        ),
    ] = CHIP,
    techniques: Annotated[
        bool,
        typer.Option(
            "--techniques/--no-techniques",
            help="Replay what firmware could do, too, which takes most of the time.",
            rich_help_panel="Techniques",
        ),
    ] = True,
    jobs: opt.Jobs = None,
    why: Annotated[bool, typer.Option("--why", help="Print the drives' TOML, too; they run as they are.")] = False,
    drives: Annotated[
        Path | None, typer.Option("--drives", metavar="FOLDER", help="Write the drives' TOML files into this folder.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained page with the answer.")
    ] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Says which drive to buy for a workload, how long it lives, and whether a technique would help.

    rewear advise YOUR.csv.gz --capacity 1TB --html answer.html
    """
    if html is not None:
        check_writable(html)
    source = parse_source(trace, workload)
    with progress_bars() as progress:
        advice = advise(
            source, capacity=capacity, chip=chip, years=years, cycles=cycles, techniques=techniques, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    if drives is not None:
        advice.save_drives(drives)
    if html is not None:
        advice.save_html(html, command=command_line())
    if json:
        print_json(advice.to_dict())
    else:
        print_text(*advice_tables(advice))
        for row in advice.rows if why else ():
            print_line(f"\n# {row.label}\n{row.sized.toml}")
        if drives is not None:
            print_text(f"\nDrives: {drives}/*.toml")
        if html is not None:
            print_text(f"\nPage: {html}")
    if advice.cannot_say is not None:
        raise typer.Exit(CANNOT_SAY)
    if not all(row.report.complete for row in advice.rows):
        raise typer.Exit(INCOMPLETE)


def demo_command(
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained page with the answer.")
    ] = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Asks which drive a recorded home directory needs, and which technique would help it.

    The same as `rewear advise` with the recording `home`.
    """
    advise_command(trace=str(recordings()["home"]), html=html, jobs=jobs, json=json)


def advice_tables(advice: Advice) -> list[RenderableType]:
    """The answer for people: what to buy, what the host can do, what firmware could do, the workload, notes."""
    first, *more = advice.sentences
    parts: list[RenderableType] = [first, ""]
    shown = sold(advice.sold)
    if advice.sold:
        parts += [_table(advice.sold, shown, advice.best), ""]
    parts += [f"{sentence}\n" for sentence in more]
    if advice.improved:
        parts += [
            "The drives on sale with the techniques that work on any cells:",
            _table(advice.improved, worn(shown)),
            "",
        ]
    for table in advice.tables:
        parts.append(
            f"{table.name.capitalize()}: {table.chip}, {format_number(table.flash_ratio)} times the capacity in flash."
        )
        parts += [_table(table.rows, techniques_of(table)), ""]
        parts += [f"Not tried: {each.technique}. {each.reason}" for each in table.excluded]
        parts.append("")
    parts += [f"Elsewhere: {elsewhere_sentence(each)}" for each in advice.elsewhere]
    facts = plain_table("", "", numbers=False)
    for heading, sentence in (*advice.traits.lines(), *((each.name, each.sentence) for each in advice.measures)):
        facts.add_row(heading, sentence)
    parts += ["", facts, ""]
    parts += [f"Note: {note}" for note in advice.notes]
    words = glossary("advice")
    parts += [f"{title}: {words[title]}" for title, _ in shown if title in words]
    return parts


def _table(rows: Sequence[Row], columns: Sequence[Column], best: Row | None = None) -> Table:
    """Drives with as many columns as the window has room for; the last go first."""
    shown = list(columns)
    while True:
        table = plain_table("", "drive", *(_in_two_lines(title) for title, _ in shown))
        table.columns[1].justify = "left"
        for row in rows:
            table.add_row("◆" if row is best else "", *cells(shown, row))
        if fits(table) or len(shown) <= 2:
            return table
        shown.pop()


def _in_two_lines(title: str) -> str:
    """A title broken in the middle."""
    words = title.split()
    half = (len(words) + 1) // 2
    return "\n".join([" ".join(words[:half]), " ".join(words[half:])])
