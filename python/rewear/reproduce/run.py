"""Runs what is behind claims and figures, and judges."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from rewear.core.errors import RewearError
from rewear.figures.units import format_time
from rewear.reproduce.computation import Computation, Computed
from rewear.reproduce.conditions import NOT_RUN
from rewear.reproduce.draw import draw
from rewear.reproduce.experiment import Done, Experiment, read_experiment
from rewear.reproduce.found_traces import found_traces
from rewear.reproduce.number import Number, Runs, asked_of
from rewear.reproduce.paper import Selection, papers_folder, read_papers, select
from rewear.reproduce.real_traces import read_real_traces
from rewear.reproduce.result import PaperResult, Reproduction
from rewear.reproduce.sources import MADE_UP, Counts, Originals, read_sources
from rewear.reproduce.stand_ins import StandIns
from rewear.reproduce.swept import Swept
from rewear.reproduce.verdict import judge
from rewear.sweep.execute import PATIENCE_S, finish
from rewear.sweep.results import Results, row_of
from rewear.sweep.settle import Settled
from rewear.sweep.store import DEFAULT_STORE, Outcome, Store, Work

if TYPE_CHECKING:
    from distributed import Client


class Progress(NamedTuple):
    """How far the work has come, each time that a run or study has ended."""

    label: str
    done: int
    total: int
    done_now: bool
    """Whether it was done now and not found among what was finished before."""
    took_s: float
    failure: str | None


class Plan(NamedTuple):
    """Everything that a reproduction needs before it begins."""

    runs: int
    """Runs and studies."""
    finished: int
    """Those that are not run again."""
    seconds: float
    """Of processor that the others take, about: as the finished ones did, or as runs here usually do."""
    traces: tuple[str, ...] = ()
    """Which of the papers' traces lie in the folder that was given, which do not, and files nobody asked for."""

    def __str__(self) -> str:
        left, runs = self.runs - self.finished, f"{self.runs} {'run' if self.runs == 1 else 'runs'}"
        if not left:
            return f"{runs}, all finished before"
        before = f", {self.finished} of them finished before" if self.finished else ""
        cores = min(left, os.cpu_count() or 1)
        took = format_time(self.seconds / cores * 1e9)
        idle = "core" if cores == 1 else "cores"
        return f"{runs}{before}; what is left takes about {took} on {cores} idle {idle}"


_USUAL_RUN_S = 0.7
"""Processor time of a run: 6,618 took 79 minutes. Those of reusable.F7-published take 20 s each."""


def reproduce(
    names: Sequence[str] = (),
    *,
    quick: bool = False,
    traces: str | os.PathLike[str] | None = None,
    papers: str | os.PathLike[str] | None = None,
    scheduler: "str | Client | None" = None,
    workers: int | None = None,
    patience_s: float = PATIENCE_S,
    store: str | os.PathLike[str] = DEFAULT_STORE,
    finished_only: bool = False,
    progress: Callable[[Progress], object] | None = None,
    planned: Callable[[Plan], object] | None = None,
) -> Reproduction:
    """Runs the experiments behind claims of the papers that are not finished yet, and judges every claim.

    Args:
        names: `PAPER` or `PAPER.FIGURE`; everything unless given.
        quick: Trials of seconds instead of the experiments; their verdicts say nothing.
        traces: A folder with the papers' original traces, which take the place of the stand-ins.
        papers: The folder `experiments/papers/`, unless it is that of the checkout.
        scheduler: Address of a dask scheduler, or a client of one; threads of this process unless given.
        workers: Threads of this process; one a core unless given.
        patience_s: How long runs wait for a worker where there is none, in seconds.
        store: Folder of finished runs, as of sweeps.
        finished_only: Runs nothing: claims whose runs are not finished have the verdict `not run`.
        progress: Called when a run ends. An exception that it raises stops the work; what is finished stays so.
        planned: Called once before the first run.

    Raises:
        ConfigurationError: There is no such paper or figure, or a file is wrong.
        RewearError: A trace cannot be read, or there is no scheduler.
    """
    folder = papers_folder(None if papers is None else Path(papers))
    selections = select(read_papers(folder), names)
    originals = Originals(None if traces is None else Path(traces))
    finished = Store(store)
    counts = Counts(finished)
    groups: list[list[_Begun]] = []
    for selection in selections:
        sources = read_sources(selection.paper.folder / "traces.toml", originals, counts)
        paths = [selection.paper.experiment(name) for name in selection.experiments]
        experiments = [read_experiment(path, sources, counts, quick=quick) for path in paths]
        groups.append([_begin(experiment, selection.numbers) for experiment in experiments])
    begun = [each for group in groups for each in group]
    used = {source.name: source for each in begun for source in each.experiment.sources if source.patterns}
    fleet = None if finished_only else (scheduler, workers, patience_s)
    if planned is not None and fleet is not None:
        told = found_traces(used.values(), originals, counts, read_real_traces(folder))
        planned(_plan(begun, finished)._replace(traces=tuple(told)))
    outcomes = _finish(begun, finished, fleet, progress)
    results = tuple(
        _result(selection, [each.done(outcomes) for each in group])
        for selection, group in zip(selections, groups, strict=True)
    )
    return Reproduction(results, quick, read_real_traces(folder).only(paper.about.paper for paper in results))


@dataclass(frozen=True, slots=True)
class _Begun:
    """An experiment under way."""

    experiment: Experiment
    settled: list[Settled]
    """Its runs; none of a study."""

    @property
    def works(self) -> list[tuple[str, Work]]:
        """Tasks, each with its label."""
        work, name = self.experiment.work, f"{self.experiment.paper}/{self.experiment.name}"
        if isinstance(work, Computation):
            return [(name, work)]
        return [(f"{name}: {run.job.label}", run.task) for run in self.settled if run.task is not None]

    def done(self, outcomes: Mapping[str, tuple[Outcome, bool]]) -> Done:
        """The experiment with its results, when all of its works have ended."""
        work = self.experiment.work
        if isinstance(work, Computation):
            return Done(self.experiment, None, outcomes[work.key][0])
        ends = (
            (Outcome(None, run.reason), False) if run.task is None else outcomes[run.task.key] for run in self.settled
        )
        rows = (row_of(run, *end) for run, end in zip(self.settled, ends, strict=True))
        return Done(self.experiment, Results(work.description, tuple(rows)), None)


def _plan(begun: Sequence[_Begun], store: Store) -> Plan:
    """How many runs there are, and about how long those take that are not finished."""
    keys = {work.key for each in begun for _, work in each.works}
    took = [outcome.took_s for key in keys if (outcome := store.get(key)) is not None]
    usual = fmean(took) if took else _USUAL_RUN_S
    return Plan(len(keys), len(took), usual * (len(keys) - len(took)))


def _finish(
    begun: Sequence[_Begun],
    store: Store,
    fleet: tuple["str | Client | None", int | None, float] | None,
    progress: Callable[[Progress], object] | None,
) -> dict[str, tuple[Outcome, bool]]:
    """All runs of all experiments by key, done on one cluster; without a fleet what is finished."""
    works: dict[str, tuple[str, Work]] = {}
    for label, work in (labelled for each in begun for labelled in each.works):
        works.setdefault(work.key, (label, work))
    outcomes: dict[str, tuple[Outcome, bool]] = {}

    def ended(work: Work, outcome: Outcome, done_now: bool) -> None:
        outcomes[work.key] = outcome, done_now
        if progress is not None:
            failure = outcome.reason if outcome.report is None else None
            label = works[work.key][0]
            progress(Progress(label, len(outcomes), len(works), done_now, outcome.took_s, failure))

    asked = [work for _, work in works.values()]
    if fleet is not None:
        finish(asked, store, ended, *fleet)
    else:
        for work in asked:
            ended(work, store.get(work.key) or Outcome(None, NOT_RUN), False)
        store.warn_of_damage("They count as not run")
    return outcomes


def _begin(experiment: Experiment, numbers: Sequence[Number]) -> _Begun:
    """An experiment with those of its runs that the numbers are taken from.

    All are settled, since drives of a common region are made for the smallest of them.
    """
    work = experiment.work
    if isinstance(work, Computation):
        return _Begun(experiment, [])
    is_asked = asked_of(numbers, experiment.name, work.description)
    return _Begun(experiment, [run for run in work.settle() if is_asked(run.job.coordinates)])


def _result(selection: Selection, done: Sequence[Done]) -> PaperResult:
    runs: dict[str, Runs] = {}
    for each in done:
        if each.results is not None:
            runs[each.experiment.name] = Swept(each.results)
        elif each.outcome is not None and each.outcome.report is not None:
            runs[each.experiment.name] = Computed(each.outcome.report["numbers"])
        elif each.outcome is not None and each.outcome.reason != NOT_RUN:
            raise RewearError(f"{each.experiment.path}: {each.outcome.reason}")
    stand_ins = StandIns({each.experiment.name: each for each in done})
    verdicts = tuple(judge(claim, runs, stand_ins) for claim in selection.claims)
    drawings = tuple(
        replace(draw(plan, runs), stand_in=MADE_UP in stand_ins.runs_on(plan.numbers)) for plan in selection.figures
    )
    return PaperResult(selection.paper.about, verdicts, drawings, tuple(done))
