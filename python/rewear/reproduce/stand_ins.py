"""Which results come from stand-ins, and how far those are from their traces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rewear.core.strict import Table, read_toml
from rewear.reproduce.agreement import Mark, mark_of
from rewear.reproduce.finding import Finding
from rewear.reproduce.number import Number
from rewear.reproduce.result import Done
from rewear.reproduce.sources import HEAD, KINDS, MADE_UP, ORIGINAL, OWN
from rewear.reproduce.verdict import Verdict
from rewear.stand_in_errors import QUANTITIES, Error, Errors

_FILE = "stand-in-worth.toml"
_PUBLISHED = "These are of stand-ins fitted to their traces; this one is made from published figures and is no nearer."
_ERASES, _RELATIVE = ("erases", "erase_equivalents"), "relative_erases"
_UNKNOWN = "Stand-in: how far it is from its trace was not measured."


@dataclass(frozen=True, slots=True)
class StandIns:
    """What experiments replay in the place of traces, and how far such workloads are known to be off."""

    errors: Errors | None
    """`None` where no errors were measured."""
    done: Mapping[str, Done]
    """Experiments by name."""

    def runs_on(self, numbers: Iterable[Number]) -> tuple[str, ...]:
        """Kinds of what the runs behind some numbers replay, words of `KINDS`; none for studies of codes and cells."""
        found = {kind for number in numbers for kind in self._kinds(number)}
        return tuple(kind for kind in KINDS if kind in found)

    def note(self, numbers: Iterable[Number]) -> str:
        """Notes on the stand-ins behind some numbers; empty if there are none."""
        used = {number.experiment for number in numbers if MADE_UP in self._kinds(number)}
        if not used:
            return ""
        if self.errors is None:
            return _UNKNOWN
        schemes = {scheme for name in used for scheme in _schemes(self.done[name])}
        return f"{self.errors.note(schemes)} {_PUBLISHED}"

    def error(self, number: Number) -> float:
        """How far a relation of erases on stand-ins is off, as part of it: the median of what was measured.

        None of a number that is reduced from several: a spread or a mean is not off by as much.
        """
        relates = number.figure in _ERASES and number.take in ("change", "ratio")
        if self.errors is None or not relates or number.along or number.over is not None:
            return 0.0
        if MADE_UP not in self._kinds(number):
            return 0.0
        known = self.errors.schemes
        found = [known[scheme] for scheme in _schemes(self.done[number.experiment]) if scheme in known]
        return max((each[_RELATIVE].median for each in found if _RELATIVE in each), default=0.0)

    def mixes(self, number: Number) -> bool:
        """Whether a number is a mean, or another reduction, over originals and made-up workloads together."""
        kinds = self._kinds(number)
        return number.over is not None and MADE_UP in kinds and bool(kinds & {ORIGINAL, HEAD})

    def marks(self, verdict: Verdict, findings: tuple[Finding, ...]) -> tuple[Mark, ...]:
        """The marks of the parts of a claim; `findings` came of them: those of the verdict, or of a switch."""
        unknown = verdict.claim.of_traces and verdict.word == "cannot be told"
        marks: list[Mark] = []
        for part, finding in zip(verdict.claim.parts, findings, strict=True):
            number = part.number
            mark = mark_of(part, finding, made_up=MADE_UP in self._kinds(number), error=self.error(number))
            marks.append("?" if unknown or self.mixes(number) else mark)
        return tuple(marks)

    def _kinds(self, number: Number) -> set[str]:
        """Kinds of the traces that a number names, or of all of its experiment."""
        if number.experiment not in self.done:
            return set()
        done = self.done[number.experiment]
        if not done.experiment.sources:
            return {OWN} if done.results is not None else set()
        sources = {source.name: source for source in done.experiment.sources}
        places = (number.at, number.of, number.to, number.beside)
        named = {label for place in places for label in place.values()} | set(number.labels)
        asked = [sources[label] for label in sources if label in named] or list(sources.values())
        return {source.kind for source in asked}


def measured_errors(papers: Path) -> Errors | None:
    """The errors beside the papers, if somebody measured them."""
    path = papers / _FILE
    return read_errors(path) if path.exists() else None


def read_errors(path: Path) -> Errors:
    """Reads the file of the errors."""
    root = read_toml(path)
    traces = root.texts("traces")
    table = root.table("schemes", None)
    if table is None or not table.content or not traces:
        root.wrong("schemes", "The errors must name traces and schemes. Write it with `rewear stand-in worth`.")
    schemes = {name: _scheme(table.table(name)) for name in table.content}
    root.close()
    return Errors(traces, schemes)


def _scheme(table: Table) -> dict[str, Error]:
    found = {}
    for key in QUANTITIES:
        each = table.table(key, None)
        if each is not None:
            found[key] = each.read(Error)
    table.close()
    return found


def _schemes(done: Done) -> set[str]:
    """The schemes of an experiment's drives."""
    if done.results is None:
        return set()
    found = set()
    for row in done.results.rows:
        if row.report is not None:
            configuration = row.report.to_dict()["drive"]["configuration"]
            found |= {configuration[axis]["scheme"] for axis in ("reuse", "recycle", "effort")}
    return found
