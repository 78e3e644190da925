"""The blocks of a page as Markdown, for a comment or a document: everything but charts."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rewear._core import version
from rewear.page.blocks import Answer, Block, Cell, Charts, Details, Heading, Markdown, Notes, Sentences, Table


def as_markdown(answer: Answer, command: str | None = None) -> str:
    """The answer as Markdown text; the same answer gives the same bytes. `command` is named as what made it."""
    lines = [f"# {_escaped(answer.about.capitalize())}", "", f"**{_escaped(answer.headline)}**", ""]
    for block in (*answer.beginning, *answer.blocks):
        lines += _lines(block)
    made = f", by `{command}`" if command else ""
    return "\n".join([*lines, f"Rewear {version()}{_escaped(answer.ending)}{made}", ""])


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of texts."""
    head = tuple(head)
    first, *others = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows))
    return "\n".join([first, "|" + "---|" * len(head), *others])


def _lines(block: Block) -> Iterator[str]:
    """A block, and the empty line after it. A heading of charts alone stays, with what they show."""
    match block:
        case Heading():
            yield from (f"{'#' * block.level} {_escaped(block.text)}", "")
        case Sentences(texts, "mono"):
            for text in texts:
                yield from ("```text", text, "```", "")
        case Sentences(texts, kind):
            points = kind in ("findings", "list")
            for text in texts:
                yield from (f"- {_escaped(text)}",) if points else (_escaped(text), "")
            yield from ("",) if points else ()
        case Notes():
            for about, note in block.notes:
                yield from (f"{f'**{_escaped(about)}:** ' if about else ''}{_escaped(note)}", "")
        case Table():
            yield from _table(block)
        case Charts():
            yield from (f"Charts of the page in HTML: {', '.join(_escaped(each.title) for each in block.charts)}.", "")
        case Details():
            yield from (f"<details><summary>{_escaped(block.summary)}</summary>", "")
            for each in block.blocks:
                yield from _lines(each)
            yield from ("</details>", "")
        case Markdown():
            yield from (block.text, "")


def _table(block: Table) -> Iterator[str]:
    width = max([len(block.columns), *map(len, block.rows)], default=0)
    if not width:
        return
    if block.title:
        yield from (f"**{_escaped(block.title)}**", "")
    yield _row(block.columns or [""] * width)
    yield _row(["---"] + ["--:" if block.numbers and place not in block.left else "---" for place in range(1, width)])
    for row in block.rows:
        if len(row) == 1 and width > 1:
            yield _row([f"**{_escaped(str(row[0]))}**", *[""] * (width - 1)], escape=False)
        else:
            yield _row(row)
    yield ""


def _row(cells: Sequence[str | Cell], escape: bool = True) -> str:
    texts = (f"{each.text} ({each.change})" if isinstance(each, Cell) and each.change else each for each in cells)
    plain = (each.text if isinstance(each, Cell) else each for each in texts)
    return f"| {' | '.join(_escaped(text) if escape else text for text in plain)} |"


def _escaped(text: str) -> str:
    """Escapes Markdown's own characters, and line breaks."""
    return re.sub(r"([\\`*<|\[])", r"\\\1", " ".join(text.split()))
