"""Blocks of an answer that the terminal, a page and Markdown print alike."""

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rewear.core.files import write_text
from rewear.page.chart import Chart


class Cell(NamedTuple):
    """A text of a table with its change to a reference and the judgement of it."""

    text: str
    change: str = ""
    better: bool | None = None
    """`None` where that cannot be said."""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a part of a page."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Sentences:
    """Paragraphs, or points of a list with a colour each."""

    texts: Sequence[str]
    kind: str = "aside"
    """Class of the stylesheet: `summary`, `aside`, `findings`, `list`, `mono`."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes for the reader, each with its subject."""

    notes: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under columns; without columns pairs of a label and a value."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    """A row of one text is the heading of those below; one of none divides them."""
    title: str = ""
    numbers: bool = True
    kind: str = "figures"
    """Class of the stylesheet: `figures`, `answer`, `claims`, `heat`."""
    tips: Mapping[str, str] = field(default_factory=dict)
    """Meanings of titles of columns and rows."""
    keys: Sequence[str] = ()
    """Colours of the columns."""
    taken: int | None = None
    """The row that is named in the answer."""
    left: Sequence[int] = ()
    """Columns of text among numbers."""
    long_title: bool = False
    """Whether the title may be wider than the table."""
    repeated: int = 0
    """Number of first columns repeated where a terminal cuts a wide table; 0: never cut."""
    shrinks: bool = False
    """A terminal leaves out last columns of a table that is too wide, and breaks titles in the middle."""


Text = str | Callable[[Any], str]
"""What a cell says of its row: a function, or a format of the row's keys as `{rber:.2e}`."""
Column = tuple[str, Text]
"""A heading, and what stands below it."""


def table_of(title: str, rows: Sequence[Any], columns: Sequence[Column], numbers: bool = True) -> Table:
    """A table of plain data, with its title above it, which may be wider."""
    cells = [[_told(text, row) for _, text in columns] for row in rows]
    return Table([heading for heading, _ in columns], cells, title, numbers, long_title=True)


def columns_of(rows: Sequence[Mapping[str, Any]], key: str, heading: Text, text: Text) -> list[Column]:
    """A column for each entry of the lists under `key`, which are equally long in all rows."""
    return [
        (_told(heading, entry), lambda row, place=place: _told(text, row[key][place]))  # type: ignore[misc]
        for place, entry in enumerate(rows[0][key])
    ]


def _told(text: Text, row: Any) -> str:
    return text.format_map(row) if isinstance(text, str) else text(row)


def Pairs(pairs: Sequence[tuple[str, str]], title: str = "", mono: bool = False) -> Table:  # noqa: N802
    """A table of labels and values."""
    return Table((), list(pairs), title, numbers=False, kind="pairs mono" if mono else "pairs")


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts side by side."""

    charts: Sequence[Chart]


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that are folded away under a line."""

    summary: str
    blocks: Sequence["Block"]


Part = str | Heading | Table
"""Lines, headings and tables that a terminal prints."""


def blocks_of(parts: Sequence[Part]) -> list["Block"]:
    """The same for a page: lines that follow each other become a list."""
    found: list[Block] = []
    for is_line, each in itertools.groupby(parts, lambda part: isinstance(part, str)):
        if not is_line:
            found += [part for part in each if not isinstance(part, str)]
        elif lines := [
            line.strip().removeprefix("- ") for part in each if isinstance(part, str) and (line := part).strip()
        ]:
            found.append(Sentences(lines, "list"))
    return found


@dataclass(frozen=True, slots=True)
class Markdown:
    """A text as the documentation has it, with charts in the place of its pictures, by the names of their files."""

    text: str
    charts: Mapping[str, Chart]
    judged: Mapping[str, bool] = field(default_factory=dict)
    """Words in bold that are a judgement, and whether it is good."""


Block = Heading | Sentences | Notes | Table | Charts | Details | Markdown


@dataclass(frozen=True, slots=True)
class Answer:
    """What a product says of its result: sentences, figures, charts. Terminal, page and Markdown print the same."""

    about: str
    """What a page is about, in its title."""
    headline: str
    """The one sentence to remember."""
    sentences: Sequence[str]
    """Paragraphs of the first screen of a page."""
    figures: Sequence[Part] = ()
    """Lines and tables."""
    charts: Sequence[Chart] = ()
    findings: Sequence[str] = ()
    """Points of a page, each in the colour of its drive."""
    notes: Sequence[tuple[str, str]] = ()
    """Each with its subject."""
    details: Sequence[Block] = ()
    """Further blocks of a page."""
    first: str = ""
    """First line on a terminal; a page has the headline."""
    data: Any = None
    """Plain data behind the charts, which a page offers as a file."""
    ending: str = ""
    """Beside the version at the end of a page."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The glossary of a page."""
    opening: Table | None = None
    """Table of the first screen, below the charts; a terminal then prints the sentences, too."""

    @property
    def parts(self) -> list[Part]:
        """Lines and tables for a terminal."""
        told = [f"{subject}: {note}" if subject else note for subject, note in self.notes]
        first: list[Part] = [f"{self.first}\n"] if self.first else []
        if (table := self.opening) is not None:
            lead, *more = self.sentences
            first += [lead, "", table, "", *(f"{sentence}\n" for sentence in more)]
            told += [f"{title}: {table.tips[title]}" for title in table.columns if title in table.tips]
        return [*first, *self.figures, *(["", *told] if told else [])]

    @property
    def beginning(self) -> list[Block]:
        """Blocks of the first screen of a page."""
        first: list[Block] = [Sentences(self.sentences, "summary")]
        return first if self.opening is None else [*first, *self._charts, self.opening]

    @property
    def blocks(self) -> list[Block]:
        """Blocks of a page below the first screen."""
        notes: list[Block] = [Notes(self.notes)] if self.notes else []
        blocks: list[Block] = [Sentences(self.findings, "findings")] if self.findings else []
        figures = blocks_of(self.figures)
        if self.opening is not None:
            return [*blocks, *figures, *notes, *self.details]
        heading = [Heading("Figures")] if figures else []
        return [*blocks, *notes, *self._charts, *heading, *figures, *self.details]

    @property
    def _charts(self) -> list[Block]:
        return [Charts(self.charts)] if self.charts else []

    def save(self, path: str | os.PathLike[str], command: str | None = None) -> None:
        """Writes the page: as Markdown, without charts, where the name of the file ends in `.md`, else as HTML.

        The same answer gives the same bytes. `command` is shown as what made it.
        """
        # Only here: who prints on a terminal does not wait for templates.
        from rewear.page.as_markdown import as_markdown
        from rewear.page.render import rendered

        draw = as_markdown if os.fspath(path).endswith(".md") else rendered
        write_text(path, draw(self, command))


def judged(better: bool | None) -> str:
    """A judgement as a class of the stylesheet."""
    return {True: "better", False: "worse", None: "even"}[better]
