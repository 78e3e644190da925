"""What goes to stdout, and how wide."""

import json
import sys
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

__all__ = ["errors", "fits", "plain_table", "print_json", "print_text", "render_text"]

# Wide enough for every table of a pipe or a file, where nobody can resize a window.
_WIDTH_OF_A_FILE = 160


def _console(stderr: bool = False) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDTH_OF_A_FILE
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)


def errors() -> Console:
    """The console of warnings, errors and progress."""
    return _console(stderr=True)


def fits(table: Table) -> bool:
    """Whether a table fits the width of stdout without breaking its cells."""
    console = _console()
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum <= console.width


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_text(*parts: RenderableType) -> None:
    """Tables and text on stdout."""
    console = _console()
    for part in parts:
        console.print(part)


def render_text(*parts: RenderableType) -> str:
    """The same as plain text."""
    console = Console(width=_WIDTH_OF_A_FILE, highlight=False, emoji=False, markup=False, color_system=None)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def plain_table(*columns: str, title: str | None = None, numbers: bool = True) -> Table:
    """A table with few lines; columns after the first are aligned as numbers if `numbers`."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", show_edge=False)
    table.show_header = any(columns)
    for position, column in enumerate(columns):
        right = numbers and position > 0
        table.add_column(column, justify="right" if right else "left", no_wrap=right, header_style="bold")
    return table
