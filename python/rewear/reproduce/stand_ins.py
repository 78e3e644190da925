"""What the runs behind numbers replay, and what of it can be compared with the paper's traces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewear.reproduce.agreement import Mark, mark_of
from rewear.reproduce.finding import Finding
from rewear.reproduce.number import Number
from rewear.reproduce.result import Done
from rewear.reproduce.sources import HEAD, KINDS, MADE_UP, ORIGINAL, OWN
from rewear.reproduce.verdict import Verdict

_ARRIVAL = "replay.arrival"


@dataclass(frozen=True, slots=True)
class StandIns:
    """What experiments replay in the place of traces."""

    done: Mapping[str, Done]
    """Experiments by name."""

    def runs_on(self, numbers: Iterable[Number]) -> tuple[str, ...]:
        """Kinds of what the runs behind some numbers replay, words of `KINDS`; none for studies of codes and cells."""
        found = {kind for number in numbers for kind in self._kinds(number)}
        return tuple(kind for kind in KINDS if kind in found)

    def mixes(self, number: Number) -> bool:
        """Whether a number is a mean, or another reduction, over originals and made-up workloads together."""
        kinds = self._kinds(number)
        return number.over is not None and MADE_UP in kinds and bool(kinds & {ORIGINAL, HEAD})

    def has_made_up_times(self, number: Number) -> bool:
        """Whether requests of a made-up workload come at its own times; in a closed loop none has a time."""
        return MADE_UP in self._kinds(number) and self._is_paced(self.done[number.experiment])

    def marks(self, verdict: Verdict, findings: tuple[Finding, ...]) -> tuple[Mark, ...]:
        """The marks of the parts of a claim; `findings` came of them: those of the verdict, or of a switch."""
        unknown = verdict.claim.of_traces and verdict.word == "cannot be told"
        marks: list[Mark] = []
        for part, finding in zip(verdict.claim.parts, findings, strict=True):
            number = part.number
            mark = mark_of(part, finding, made_up_times=self.has_made_up_times(number))
            marks.append("?" if unknown or self.mixes(number) else mark)
        return tuple(marks)

    def _is_paced(self, done: Done) -> bool:
        if done.results is None:
            return True
        return any(row.job.settings.get(_ARRIVAL) != "closed" for row in done.results.rows)

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
