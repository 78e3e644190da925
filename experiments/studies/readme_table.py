"""Writes the README's first table: the drives on sale that `make demo` compares for the recorded home directory.

    .venv/bin/python experiments/studies/readme_table.py

Afterwards answer_picture.py draws the lives. The first lines of the README are the answer's own sentences; they are
printed and put in by hand.
"""

import re
from pathlib import Path

import rewear
from rewear.advice import Advice
from rewear.advice.columns import Column, cells, sold, techniques
from rewear.advice.study import Table

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
SOLD = re.compile(r"^\| drive of 1 TB .*\n(?:\|.*\n)+", re.MULTILINE)
TECHNIQUES = re.compile(r"^\| drive, all with .*\n(?:\|.*\n)+", re.MULTILINE)


def markdown(corner: str, columns: tuple[Column, ...], rows: list[tuple[str, ...]]) -> str:
    """A table with names in the first column and figures in the others."""
    lines = [f"| {corner} | {' | '.join(title for title, _ in columns)} |", f"|---|{'--:|' * len(columns)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def of_techniques(table: Table, *, most: int) -> list[tuple[str, ...]]:
    """The first rows, and the plain drive."""
    return [cells(columns(table), row) for at, row in enumerate(table.rows) if at < most or row is table.plain]


def columns(table: Table) -> tuple[Column, ...]:
    """Life, time, energy and memory; the page has more."""
    return tuple(column for column in techniques(table) if "plain" in column[0] or column[0] == "controller RAM")


def tables(advice: Advice) -> tuple[str, str]:
    """Drives that one can buy, and techniques for firmware on the same flash."""
    shown = tuple(column for column in sold(advice.sold) if column[0] not in ("P/E cycles", "flash inside"))
    bought = markdown("drive of 1 TB", shown, [cells(shown, row) for row in advice.sold])
    table = advice.equal
    assert table is not None
    corner = f"drive, all with {table.flash_ratio} times the capacity of MLC flash"
    return bought, markdown(corner, columns(table), of_techniques(table, most=20))


def main() -> None:
    """Asks, and puts the tables in the places of the README's."""
    advice = rewear.advise(ROOT / "recordings" / "home.rwt")
    text = README.read_text(encoding="utf-8")
    for pattern, made in zip((SOLD, TECHNIQUES), tables(advice), strict=True):
        text = pattern.sub(lambda _, made=made: made, text, count=1)
    README.write_text(text, encoding="utf-8")
    print(*advice.sentences, *tables(advice), sep="\n")


if __name__ == "__main__":
    main()
