"""Which results come from stand-ins, and how far those are from their traces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rewear.reproduce.number import Number
from rewear.reproduce.result import Done
from rewear.reproduce.sources import HEAD, KINDS, MADE_UP, ORIGINAL, OWN
from rewear.stand_in_errors import QUANTITIES, Error, Errors
from rewear.sweep.strict import Table, read_toml

_FILE = "stand-in-worth.toml"
_PUBLISHED = "These are of stand-ins fitted to their traces; this one is made from published figures and is no nearer."
_ERASES, _RELATIVE = ("erases", "erase_equivalents"), "relative_erases"
_UNKNOWN = "Stand-in: how far it is from its trace was not measured."


@dataclass(frozen=True, slots=True)
class StandIns:
    """Known errors of stand-ins."""

    errors: Errors | None
    """`None` where no errors were measured."""

    def note(self, numbers: Iterable[Number], done: Mapping[str, Done]) -> str:
        """Notes on the stand-ins behind some numbers; empty if there are none."""
        used = {number.experiment for number in numbers if _stands_in(number, done)}
        if not used:
            return ""
        if self.errors is None:
            return _UNKNOWN
        schemes = {scheme for name in used for scheme in _schemes(done[name])}
        return f"{self.errors.note(schemes)} {_PUBLISHED}"

    def error(self, number: Number, done: Mapping[str, Done]) -> float:
        """How far a relation of erases on stand-ins is off, as part of it: the median of what was measured.

        None of a number that is reduced from several: a spread or a mean is not off by as much.
        """
        relates = number.figure in _ERASES and number.take in ("change", "ratio")
        if self.errors is None or not relates or number.along or number.over is not None:
            return 0.0
        if not _stands_in(number, done):
            return 0.0
        found = [self.errors.schemes[each] for each in _schemes(done[number.experiment]) if each in self.errors.schemes]
        return max((each[_RELATIVE].median for each in found if _RELATIVE in each), default=0.0)


def stands_in(numbers: Iterable[Number], done: Mapping[str, Done]) -> bool:
    """Whether any of some numbers rests on a stand-in."""
    return any(_stands_in(number, done) for number in numbers)


def runs_on(numbers: Iterable[Number], done: Mapping[str, Done]) -> tuple[str, ...]:
    """Kinds of what the runs behind some numbers replay, words of `KINDS`; none for studies of codes and cells."""
    found = {kind for number in numbers for kind in _kinds(number, done)}
    return tuple(kind for kind in KINDS if kind in found)


def mixes(number: Number, done: Mapping[str, Done]) -> bool:
    """Whether a number is a mean, or another reduction, over originals and made-up workloads together."""
    kinds = _kinds(number, done)
    return number.over is not None and MADE_UP in kinds and bool(kinds & {ORIGINAL, HEAD})


def read_stand_ins(papers: Path) -> StandIns:
    """Reads the errors beside the papers, if somebody measured them.

    Raises:
        ConfigurationError: The file is wrong.
    """
    path = papers / _FILE
    return StandIns(read_errors(path) if path.exists() else None)


def read_errors(path: Path) -> Errors:
    """Reads the file of the errors.

    Raises:
        ConfigurationError: It is wrong; the message names the line.
    """
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


def _stands_in(number: Number, done: Mapping[str, Done]) -> bool:
    """Whether a number is taken from a run of a stand-in: of the traces that it names, or of any."""
    return MADE_UP in _kinds(number, done)


def _kinds(number: Number, done: Mapping[str, Done]) -> set[str]:
    if number.experiment not in done:
        return set()
    if not done[number.experiment].experiment.sources:
        return {OWN} if done[number.experiment].results is not None else set()
    sources = {source.name: source for source in done[number.experiment].experiment.sources}
    places = (number.at, number.of, number.to, number.beside)
    named = {label for place in places for label in place.values()} | set(number.labels)
    asked = [sources[label] for label in sources if label in named] or list(sources.values())
    return {source.kind for source in asked}


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
