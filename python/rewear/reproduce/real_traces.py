"""Measurements on real traces and with the authors' code: two files of `experiments/papers`.

Neither is ours to distribute, so the page carries what was measured. `real-traces.toml` has what the experiments gave
on real traces, with the name, the size and the checksum of every file; `experiments/studies/real_traces.py` writes it.
`authors-code.toml` has what released code counted, run beside Rewear.

| key | meaning |
|---|---|
| `trace` | tables with `name`, `what` it is, and `file`, `bytes`, `sha256` and `requests` of what was replayed |
| `table` | tables with the `paper`, what it `says`, `columns`, `rows`, the `published` row, a `note`, and what its |
| | rows are `by` (traces unless given) |
| `tests` | of a table: for each column the part of a claim that it tests, as `CLAIM: PART`; empty for none |
| `like` | of a table: names that the paper has for its traces |
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rewear.core.strict import Table, read_toml
from rewear.reproduce.claims import Claim, Part
from rewear.reproduce.finding import Finding, found
from rewear.reproduce.words import read_number

FILE, AUTHORS_CODE = "real-traces.toml", "authors-code.toml"
"""Beside the folders of the papers."""

_TRACE, _NOTHING = "trace", "-"


@dataclass(frozen=True, slots=True)
class RealTrace:
    """A trace that was replayed."""

    name: str
    what: str
    """The paper's trace, a head of it, or another real trace."""
    file: str
    bytes: int
    sha256: str
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RealTable:
    """Results of one experiment of a paper."""

    paper: str
    says: str
    columns: tuple[str, ...]
    """Of all rows but their names."""
    published: tuple[str, ...] = ()
    """The paper's numbers in these columns; empty where it has none."""
    rows: tuple[tuple[str, ...], ...]
    """The name of a row, and what came out."""
    note: str = ""
    by: str = _TRACE
    """The subject of a row: a trace, or what else is named."""
    tests: tuple[str, ...] = ()
    """For each column the part of a claim that it tests, as `CLAIM: PART`; empty for none."""
    like: dict[str, str]
    """Names that the paper has for traces of the rows."""

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """All rows, the paper's before ours."""
        return [("*the paper*", *self.published), *self.rows] if self.published else list(self.rows)

    def test(self, claim: Claim) -> Iterator[tuple[Part, Finding]]:
        """Results of parts of a claim on these traces, with the rows' own names."""
        parts = {f"{claim.id}: {part.says}": part for part in claim.parts}
        for column, name in enumerate(self.tests, start=1):
            if name in parts:
                cells = {row[0]: row[column] for row in self.rows if row[column] != _NOTHING}
                numbers = {self.like.get(trace, trace): read_number(cell) for trace, cell in cells.items()}
                finding, over = found(parts[name], numbers), parts[name].number.over
                own = ", ".join(f"{trace} {cell}" for trace, cell in cells.items())
                own = own if over is None else f"{over} of {', '.join(cells)} {finding.measured}"
                yield parts[name], replace(finding, measured=own)


@dataclass(frozen=True, slots=True)
class RealTraces:
    """All that was measured."""

    traces: tuple[RealTrace, ...] = ()
    tables: tuple[RealTable, ...] = ()

    def only(self, papers: Iterable[str]) -> "RealTraces":
        """The tables of some papers, and the traces that they have."""
        tables = tuple(table for paper in papers for table in self.of(paper))
        used = {row[0] for table in tables for row in table.rows}
        return RealTraces(tuple(trace for trace in self.traces if trace.name in used), tables)

    def of(self, paper: str) -> list[RealTable]:
        """The tables of a paper."""
        return [table for table in self.tables if table.paper == paper]


def read_real_traces(papers: Path) -> RealTraces:
    """Reads the files beside the papers; nothing where there is none."""
    traces: list[RealTrace] = []
    tables: list[RealTable] = []
    for path in (papers / FILE, papers / AUTHORS_CODE):
        if path.exists():
            root = read_toml(path)
            traces += (each.read(RealTrace) for each in root.tables("trace"))
            tables += (_table(each, {trace.name for trace in traces}) for each in root.tables("table"))
            root.close()
    return RealTraces(tuple(traces), tuple(tables))


def _table(table: Table, traces: set[str]) -> RealTable:
    columns, rows, by = table.texts("columns"), table.get("rows", list), table.get("by", str, _TRACE)
    published, tests = table.texts("published", ()), table.texts("tests", ())
    for key, own in (("published", published), ("tests", tests)):
        if own and len(own) != len(columns):
            table.wrong(key, f"{key} has {len(own)} entries for {len(columns)} columns.")
    for row in rows:
        if not isinstance(row, list) or len(row) != len(columns) + 1 or (by == _TRACE and row[0] not in traces):
            table.wrong("rows", f"{row} is not the name of a {by} of this file and {len(columns)} results.")
    return table.read(RealTable, rows=tuple(map(tuple, rows)))
