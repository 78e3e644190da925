"""Blocks on a terminal: their width, and tables as `rich` draws them. What came from outside is escaped."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from rewear.core.printable import printable
from rewear.page.blocks import Cell, Heading, Part, Table

# Wide enough for every table of a pipe or a file, where nobody can resize a window.
_WIDTH_OF_A_FILE = 160


class _Console(Console):
    """A console that escapes what it is given to print, and leaves a closed output to the command."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*map(_Escaped, objects), **options)

    def on_broken_pipe(self) -> None:
        raise


class _Escaped:
    """Something to print, with its control characters escaped."""

    def __init__(self, part: RenderableType) -> None:
        self.part = part

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.part, options):
            yield segment if segment.is_control else Segment(printable(segment.text), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.part)


def console(stderr: bool = False) -> Console:
    """The console of stdout, or of stderr, with its width; a file or a pipe has one of its own."""
    stream = sys.stderr if stderr else sys.stdout
    # Without the stream, as after `>&-`, there is nobody to print for.
    width = None if stream is not None and stream.isatty() else _WIDTH_OF_A_FILE
    return _Console(file=stream, width=width, highlight=False, emoji=False, markup=False, quiet=stream is None)


def fits(table: Table) -> bool:
    """Whether a table fits the width of stdout without breaking its cells."""
    stdout = console()
    return stdout.measure(rich_of(table), options=stdout.options.update(max_width=10_000)).maximum <= stdout.width


def pieces(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts, tables that are too wide for stdout as several with an empty line between, or with fewer columns."""
    for part in parts:
        if isinstance(part, Table) and part.repeated:
            yield from _cut(part)
        elif isinstance(part, Table) and part.shrinks:
            yield _shrunk(part)
        else:
            yield part


def _cut(table: Table) -> Iterator[Part]:
    """The table by as many columns as fit, at least one, beside those that are repeated."""
    head, left = range(table.repeated), list(range(table.repeated, len(table.columns)))
    while True:
        count = next((count for count in range(len(left), 1, -1) if fits(_columns(table, [*head, *left[:count]]))), 1)
        yield _columns(table, [*head, *left[:count]])
        left = left[count:]
        if not left:
            return
        yield ""


def _shrunk(table: Table) -> Table:
    """The table with as many first columns as fit, at least two, and titles in two lines."""
    halves = [(words := title.split())[: (len(words) + 1) // 2] for title in table.columns]
    titles = [
        f"{' '.join(half)}\n{title[len(' '.join(half)) :].strip()}"
        for half, title in zip(halves, table.columns, strict=True)
    ]
    broken = replace(table, columns=titles)
    counts = range(len(titles), 1, -1)
    return next((found for count in counts if fits(found := _columns(broken, range(count)))), _columns(broken, (0, 1)))


def _columns(table: Table, places: Sequence[int]) -> Table:
    rows = [row if len(row) < 2 else [row[place] for place in places] for row in table.rows]
    return replace(table, columns=[table.columns[place] for place in places], rows=rows, repeated=0)


def render_text(*parts: Part) -> str:
    """The same as plain text."""
    text = Console(width=_WIDTH_OF_A_FILE, highlight=False, emoji=False, markup=False, color_system=None)
    with text.capture() as capture:
        for part in pieces(parts):
            text.print(rich_of(part))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


_STYLES = {True: "green", False: "red", None: ""}


def rich_of(part: Part) -> RenderableType:
    """A block as a table of this library. A column with changes is two; a long title stands above its table."""
    if isinstance(part, Heading):
        return Text(part.text, style="bold")
    if not isinstance(part, Table):
        return part
    changing = {place for row in part.rows for place, cell in enumerate(row) if isinstance(cell, Cell)}
    width = max([len(part.columns), *map(len, part.rows)], default=0)
    columns = list(part.columns) or [""] * width
    titles = [each for place, title in enumerate(columns) for each in ((title, "") if place in changing else (title,))]
    above = part.title if part.long_title else None
    title = None if above else part.title or None
    table = RichTable(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", show_edge=False)
    table.show_header = any(titles)
    for place, name in enumerate(titles):
        right = part.numbers and place > 0
        justify: Literal["left", "right"] = "right" if right and place not in part.left else "left"
        table.add_column(name, justify=justify, no_wrap=right, header_style="bold")
    for column in table.columns[len(part.left) :] if part.left and part.columns[0] != "" else ():
        column.overflow = "fold"
    for number, row in enumerate(part.rows):
        if len(row) < 2 and width > 1:
            if number:
                table.add_section()
            if row:
                table.add_row(str(row[0]), style="bold")
            continue
        cells: list[RenderableType] = []
        for cell in row:
            cells += [cell.text, Text(cell.change, style=_STYLES[cell.better])] if isinstance(cell, Cell) else [cell]
        table.add_row(*cells)
    return Group(Text(above, style="bold"), table) if above else table
