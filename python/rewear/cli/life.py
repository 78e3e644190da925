"""`rewear life`: how long the disk that one has will live."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from rewear.advice.columns import life_text, terabytes, years_range
from rewear.cli import options as opt
from rewear.cli.files import check_writable
from rewear.cli.output import command_line, plain_table, print_json, print_text
from rewear.disk.life import DiskLife, life
from rewear.files import write_text

__all__ = ["life_command"]


def life_command(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...",
            help="Files of `smartctl -j -x` or `nvme smart-log -o json`, or folders of them.",
            show_default=False,
        ),
    ],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained page with the answer.")
    ] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Says how long the disk that you have will live, from its SMART logs.

    rewear life monday.json friday.json
    """
    if html is not None:
        check_writable(html)
    found = life(logs)
    if html is not None:
        from rewear.page.life import life_page

        write_text(html, life_page(found, command_line()))
    if json:
        print_json({"schema": 1, "disks": [disk.to_dict() for disk in found]})
        return
    for disk in found:
        print_text(*life_tables(disk))
    if html is not None:
        print_text(f"Page: {html}")


def life_tables(disk: DiskLife) -> list[RenderableType]:
    """The answer for people: years, what the logs say, what would change it, other drives."""
    last = disk.last
    size = "" if last.capacity_bytes is None else f", {terabytes(last.capacity_bytes)}"
    facts = plain_table("", "", numbers=False)
    for label, sentence in (*disk.facts(), *disk.changes()):
        facts.add_row(label, sentence)
    parts: list[RenderableType] = [f"{last.model or 'A drive without a name'}{size}: {disk.headline}.", "", facts, ""]
    if disk.others:
        table = plain_table("another drive of this size", "rated TBW", "to the rating", "to the P/E cycles")
        for other in disk.others:
            to_rating = "-" if other.years is None else life_text(other.years)
            name = f"{other.name}: {other.drive}"
            table.add_row(name, terabytes(other.rated_bytes), to_rating, years_range(other.by_cycles))
        parts += [table, ""]
    else:
        parts += ["The log has no capacity, so no other drive is named.", ""]
    return parts
