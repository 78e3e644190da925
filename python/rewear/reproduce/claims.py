"""The claims of a paper as data: `experiments/papers/NAME/claims.toml`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear.reproduce.number import Number, parse_number
from rewear.reproduce.strict import Table, read_toml

__all__ = ["KINDS", "Cause", "Claim", "Claims", "Part", "read_claims"]

KINDS = {
    "exact": "follows from the definition and must match",
    "band": "a measured range",
    "order": "a ranking or a sign",
    "shape": "how a curve runs",
    "setup": "what the paper was measured with",
}

UNITS = ("percent", "change", "points", "factor", "count", "time", "plain")
"""How a number is written: 0.3 as 30%, +30%, +30 points, x 0.3; a count; nanoseconds as a time; as it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a claim, or one for each label of an axis, and where it must lie."""

    says: str
    number: Number
    low: float | None
    high: float | None
    equals: Any
    """What it must be exactly; `None` where there is a band."""
    share: float
    """Part of the numbers that must lie inside."""
    unit: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A tested reason why a claim differs: what was switched, and where the number must go if it is the reason."""

    says: str
    part: Part


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a paper."""

    prefix: str
    """Begins the names of the paper's claims and figures."""
    id: str
    kind: str
    where: str
    """Section, table or figure."""
    text: str
    """The statement in our words."""
    parts: tuple[Part, ...]
    causes: tuple[Cause, ...]
    needs: str | None
    """What would be needed to tell; such a claim has no parts."""
    of_traces: bool
    """Whether it speaks of the paper's own traces, so that others cannot disprove it."""
    note: str
    """What a reader should know whatever the verdict is."""

    @property
    def name(self) -> str:
        """The claim among those of all papers, such as `reusable.F7`."""
        return f"{self.prefix}.{self.id}"

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments behind it."""
        parts = [*self.parts, *(cause.part for cause in self.causes)]
        return tuple(dict.fromkeys(part.number.experiment for part in parts))


@dataclass(frozen=True, slots=True)
class Claims:
    """What a paper is, and what it claims."""

    paper: str
    """Short name: the folder in `experiments/papers`, and the name of the scheme everywhere else."""
    prefix: str
    """Begins the names of its claims and figures, which stay when a folder gets another name."""
    title: str
    authors: str
    venue: str
    claims: tuple[Claim, ...]


def read_claims(path: Path) -> Claims:
    """Reads a file of claims.

    Raises:
        ConfigurationError: It is wrong; the message names the line.
    """
    root = read_toml(path)
    paper = path.parent.name
    prefix = root.get("prefix", str, paper)
    claims = tuple(_claim(prefix, table) for table in root.tables("claim"))
    names = [claim.id for claim in claims]
    for name in names:
        if names.count(name) > 1:
            root.wrong("claim", f"Two claims are called {name!r}.")
    about = (root.get("title", str), root.get("authors", str), root.get("venue", str))
    found = Claims(paper, prefix, *about, claims)
    root.close()
    return found


def _claim(prefix: str, table: Table) -> Claim:
    experiment = table.get("experiment", str, None)
    parts = tuple(_part(each, experiment) for each in table.tables("part"))
    causes = tuple(_cause(each, experiment) for each in table.tables("cause"))
    needs = table.get("needs", str, None)
    if (needs is None) == (not parts):
        table.wrong(None, "A claim has parts, or says what it needs; this one has both or neither.")
    claim = Claim(
        prefix=prefix,
        id=table.get("id", str),
        kind=table.word("kind", tuple(KINDS)),
        where=table.get("where", str),
        text=_line(table.get("text", str)),
        parts=parts,
        causes=causes,
        needs=None if needs is None else _line(needs),
        of_traces=table.get("of_traces", bool, False),
        note=_line(table.get("note", str, "")),
    )
    table.close()
    return claim


def _part(table: Table, experiment: str | None) -> Part:
    low, high = table.number("low", None), table.number("high", None)
    equals = table.get("equals", (int, float, str, bool, dict, list), None)
    if (equals is None) == (low is None and high is None):
        table.wrong(None, "A part has low, high or both, or equals.")
    part = Part(
        says=table.get("says", str),
        number=parse_number(table, experiment),
        low=low,
        high=high,
        equals=equals,
        share=table.number("share", 1.0),
        unit=table.word("unit", UNITS, "plain"),
    )
    if not 0 < part.share <= 1:
        table.wrong("share", "share must be above 0 and at most 1.")
    table.close()
    return part


def _cause(table: Table, experiment: str | None) -> Cause:
    says = _line(table.get("switch", str))
    return Cause(says, _part(table, experiment))


def _line(text: str) -> str:
    return " ".join(text.split())
