"""What the runs behind numbers replay, and what of it can be compared with the paper's traces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewear.reproduce.agreement import mark_of
from rewear.reproduce.claims import Part
from rewear.reproduce.experiment import Done
from rewear.reproduce.finding import Finding, Mark
from rewear.reproduce.number import Number
from rewear.reproduce.sources import HEAD, KINDS, MADE_UP, ORIGINAL, OWN

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

    def mark(self, part: Part, finding: Finding) -> Mark:
        """The mark of a part of a claim by a finding."""
        mark = mark_of(part, finding, made_up_times=self.has_made_up_times(part.number))
        return "?" if self.mixes(part.number) else mark

    @property
    def originals(self) -> set[str]:
        """Names of experiments that replayed the paper's traces alone."""
        sources = {name: done.experiment.sources for name, done in self.done.items()}
        return {name for name, each in sources.items() if each and all(source.is_original for source in each)}

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
