"""Figures as tables: Arrow, Parquet, CSV."""

import csv
import io
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewear.core.files import replacing, write_text

if TYPE_CHECKING:
    import pyarrow


class Frames(ABC):
    """Something that has rows; each becomes a row of an Arrow table, from which pandas and polars read."""

    __slots__ = ()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The rows, a dictionary each, with the same keys in the same order."""

    def to_arrow(self) -> "pyarrow.Table":
        """The rows as a `pyarrow.Table`; its columns are those of `records()`, with `_` for `.`, as SQL has them."""
        return _arrow(self.records())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for any reader of Arrow: duckdb, polars, pandas."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


class Shown(Frames):
    """A result that has an answer: everything that it says in words, tables and charts."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict()` as JSON text; the same result gives the same bytes."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def _repr_html_(self) -> str:
        from rewear.page.blocks import Table
        from rewear.shown import answer_of

        answer = answer_of(self)
        table = next(part for part in (answer.opening, *answer.figures) if isinstance(part, Table))
        notes = [*answer.sentences, *answer.findings, *(f"{subject}: {note}" for subject, note in answer.notes)]
        rows = [[getattr(cell, "text", cell) for cell in row] for row in table.rows]
        return html_table(answer.headline, table.columns, rows, notes)

    def to_vega_lite(self, **options: Any) -> list[dict[str, Any]]:
        """The charts of the page, each a specification of Vega-Lite 5 with its data."""
        from rewear.shown import answer_of

        return [chart.to_vega_lite() for chart in answer_of(self, **options).charts]

    def to_html(self, command: str | None = None, **options: Any) -> str:
        """A self-contained page.

        Args:
            command: Shown as what made it.
            options: Those of the page: `figures` of a sweep.
        """
        from rewear.page.render import rendered
        from rewear.shown import answer_of

        return rendered(answer_of(self, **options), command)

    def save_html(self, path: str | os.PathLike[str], command: str | None = None, **options: Any) -> None:
        """Writes the page to a file; as Markdown, without charts, if its name ends in `.md`."""
        from rewear.shown import answer_of

        answer_of(self, **options).save(path, command)


def table_file(stem: Path) -> Path:
    """Where a table is written whose file is not named: Parquet where pyarrow is installed, else CSV."""
    return stem.with_name(stem.name + (".parquet" if find_spec("pyarrow") else ".csv"))


def write_table(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes rows of named columns to a Parquet file, or as CSV if its name ends in `.csv`."""
    if Path(path).suffix == ".csv":
        text = io.StringIO()
        table = csv.DictWriter(text, dict.fromkeys(name for row in rows for name in row))
        table.writeheader()
        table.writerows(rows)
        write_text(Path(path), text.getvalue())
        return
    import pyarrow.parquet

    with replacing(path) as file:
        pyarrow.parquet.write_table(_arrow(rows), file)


def _arrow(rows: Sequence[Mapping[str, Any]]) -> "pyarrow.Table":
    """Rows of named columns as an Arrow table; what a row does not have is null."""
    import pyarrow

    names = list(dict.fromkeys(name for row in rows for name in row))
    return pyarrow.table({name.replace(".", "_"): _column([row.get(name) for row in rows]) for name in names})


def _column(values: Sequence[Any]) -> "pyarrow.Array":
    """A column; values of different kinds become text."""
    import pyarrow

    if all(value is None or isinstance(value, str) for value in values):
        return pyarrow.array(values, pyarrow.string())
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
        return pyarrow.array([None if value is None else str(value) for value in values], pyarrow.string())


def html_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]], notes: Sequence[str] = ()) -> str:
    """A small table for notebooks: a title, headings, rows, sentences below; everything escaped."""
    from html import escape

    cells = "".join(f"<th style='text-align:left'>{escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<p><small>{escape(note)}</small></p>" for note in notes)
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"
