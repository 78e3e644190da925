"""`rewear advise`: which technique helps a workload, at what price."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from rewear.advice import Advice, advise
from rewear.advice.advise import MOST_SLOWDOWN, SLOWDOWN
from rewear.advice.chips import chip_names
from rewear.advice.columns import cell, columns
from rewear.advice.scaling import scaling_sentences
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
from rewear.units import format_bytes, parse_bytes

__all__ = ["advise_command", "demo_command"]

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
    chip: Annotated[
        str,
        typer.Option(
            metavar="CHIP",
            autocompletion=completion.chips,
            help=f"The flash: {', '.join(chip_names())}.",
            rich_help_panel=_DRIVE,
        ),
    ] = "qlc",
    flash: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Raw flash, as 1TiB; 2.14 times the capacity unless given.", rich_help_panel=_DRIVE
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="What the drive exports, as 1TB; life and RAM are scaled to it. What the workload needs unless given.",
            rich_help_panel=_DRIVE,
        ),
    ] = None,
    arrival: opt.Arrival = None,
    queue_depth: Annotated[
        int, opt.whole(most=2**20, help="Outstanding requests with --arrival closed.", rich_help_panel="Replay")
    ] = 8,
    slowdown: Annotated[
        float,
        typer.Option(
            min=1.0,
            max=MOST_SLOWDOWN,
            metavar="FACTOR",
            help="Most times the plain drive's mean response of the drive to take.",
            rich_help_panel="Replay",
        ),
    ] = SLOWDOWN,
    seeds: Annotated[
        int, opt.whole(most=10, help="Seeds of which each final drive gets a run.", rich_help_panel="Replay")
    ] = 3,
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
    """Says which technique helps a workload: sizes drives to it, replays it on each, ranks them.

    rewear advise YOUR.csv.gz --chip mlc --flash 1TiB --html answer.html
    """
    if html is not None:
        check_writable(html)
    source = parse_source(trace, workload)
    flash_bytes = None if flash is None else parse_bytes("--flash", flash)
    capacity_bytes = None if capacity is None else parse_bytes("--capacity", capacity)
    with progress_bars() as progress:
        advice = advise(
            source, chip, flash_bytes=flash_bytes, capacity_bytes=capacity_bytes, arrival=arrival,
            queue_depth=queue_depth, slowdown=slowdown, seeds=seeds, jobs=jobs, progress=progress,
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
    if not all(row.complete for row in advice.rows):
        raise typer.Exit(INCOMPLETE)


def demo_command(
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained page with the answer.")
    ] = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Asks which technique helps a recorded home directory, on the one chip on which all of them run.

    The same as `rewear advise` with the recording `home` and --chip mlc.
    """
    advise_command(trace=str(recordings()["home"]), chip="mlc", html=html, jobs=jobs, json=json)


def advice_tables(advice: Advice) -> list[RenderableType]:
    """The answer for people: three sentences, the table, what was ruled out, the workload, the size, notes."""
    plan = advice.plan
    parts: list[RenderableType] = [*advice.sentences, ""]
    parts.append(
        f"{format_bytes(plan.flash_bytes)} of {advice.chip.name} flash, {format_bytes(plan.capacity_bytes)} exported; "
        "longest life first, of even ones the quickest."
    )
    table, shown = _table(advice)
    parts += [table, ""]
    parts += [f"{mark} {meaning}" for mark, meaning in _MARKS.items()]
    parts += [f"{title}: {meaning}" for title, meaning in glossary("advice").items() if title in _EXPLAINED & shown]
    parts.append("")
    parts += [f"Not tried: {each.technique}. {each.reason}" for each in advice.excluded]
    facts = plain_table("", "", numbers=False)
    for heading, sentence in advice.traits.lines():
        facts.add_row(heading, sentence)
    parts += ["", facts, ""]
    sized = scaling_sentences(plan) or ["For a drive of another size give its capacity, as --capacity 1TB."]
    parts.append(f"Size: {' '.join(sized)}")
    parts += [f"Note: {note}" for note in advice.notes]
    parts += [f"Elsewhere: {elsewhere_sentence(each)}" for each in advice.elsewhere]
    return parts


_MARKS = {
    "◆": "the drive to take: the longest life of those that are quick enough (--slowdown)",
    "●": "no other drive is better in life, response and energy at once",
}


_EXPLAINED = {"TBW", "flash erased per byte", "could export", "written per P/E cycle"}
"""Titles whose meaning is printed; the page explains all."""


def _table(advice: Advice) -> tuple[Table, set[str]]:
    """The drives with as many columns as the window has room for, and their titles; the last go first."""
    front, shown = advice.front, columns(advice)
    while True:
        table = plain_table("", "drive", *(_in_two_lines(title) for title, _ in shown))
        table.columns[1].justify = "left"
        for row in advice.rows:
            mark = "◆" if row is advice.best else "●" if row in front else ""
            table.add_row(mark, row.label, *(cell(row, key) for _, key in shown))
        if fits(table) or len(shown) <= 2:
            return table, {title for title, _ in shown}
        shown.pop()


def _in_two_lines(title: str) -> str:
    """A title broken in the middle."""
    words = title.split()
    half = (len(words) + 1) // 2
    return "\n".join([" ".join(words[:half]), " ".join(words[half:])])
