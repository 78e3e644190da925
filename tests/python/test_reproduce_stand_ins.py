"""What the runs behind numbers replay."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rewear.reproduce import papers_folder, read_papers, reproduce
from rewear.reproduce.experiment import Done, read_experiment
from rewear.reproduce.paper import Selection, select
from rewear.reproduce.sources import MADE_UP, Counts, Originals, read_sources
from rewear.reproduce.stand_ins import StandIns
from rewear.sweep.store import Store


def test_stand_ins_are_workloads_in_the_place_of_a_trace(tmp_path: Path, msr_trace: Path) -> None:
    path = papers_folder() / "second-write" / "traces.toml"
    found = read_sources(path, Originals(None))
    assert found["hm_0"].stands_in and found["hm_0, published"].stands_in
    # A recording, and the paper's own made-up workload.
    assert not found["day"].stands_in
    assert not found["zipf(1)"].stands_in
    (tmp_path / "hm_0.csv").write_bytes(msr_trace.read_bytes())
    original = read_sources(path, Originals(tmp_path))
    assert not original["hm_0"].stands_in


def test_a_mean_over_originals_and_made_up_workloads_is_not_comparable(tmp_path: Path, msr_trace: Path) -> None:
    selection = select(read_papers(papers_folder()), ["diffecc.F8"])[0]
    counts = Counts(Store(tmp_path / "runs"))
    (tmp_path / "hm_0.csv").write_bytes(msr_trace.read_bytes())

    def mixed(originals: Originals) -> list[bool]:
        sources = read_sources(selection.paper.folder / "traces.toml", originals)
        read = {
            name: read_experiment(selection.paper.experiment(name), sources, counts, quick=True)
            for name in selection.experiments
        }
        done = {name: Done(experiment, None, None) for name, experiment in read.items()}
        return [StandIns(done).mixes(part.number) for part in selection.claims[0].parts]

    # Means over all traces mix; a trace that stands alone does not.
    assert mixed(Originals(tmp_path)) == [True] * 6 + [False] * 3
    assert mixed(Originals(None)) == [False] * 9


def done_of(selection: Selection, tmp_path: Path, **settings: Any) -> Mapping[str, Done]:
    """Experiments of a paper as if all their runs had these settings."""
    counts = Counts(Store(tmp_path / "runs"))
    sources = read_sources(selection.paper.folder / "traces.toml", Originals(None))
    rows: Any = SimpleNamespace(rows=[SimpleNamespace(job=SimpleNamespace(settings=settings))])
    return {
        name: Done(read_experiment(selection.paper.experiment(name), sources, counts, quick=True), rows, None)
        for name in selection.experiments
    }


def test_only_what_uses_a_stand_in_says_so(tmp_path: Path) -> None:
    selection = select(read_papers(papers_folder()), ["reusable"])[0]
    stand_ins = StandIns(done_of(selection, tmp_path))
    claims = {claim.id: claim for claim in selection.claims}
    # The same numbers of recordings alone use none.
    on_day = [
        replace(part.number, each=None, labels=(), over=None, at={"trace": "day"})
        for part in claims["F7"].parts
        if part.number.experiment == "F7"
    ]
    assert on_day
    assert MADE_UP in stand_ins.runs_on(claims["F7"].numbers)
    assert MADE_UP not in stand_ins.runs_on(on_day)
    figures = {plan.id: plan for plan in selection.figures}
    assert MADE_UP in stand_ins.runs_on(figures["F7"].numbers)


def test_requests_have_times_only_where_no_queue_is_kept_full(tmp_path: Path) -> None:
    selection = select(read_papers(papers_folder()), ["womv.F7F9"])[0]
    numbers = selection.claims[0].parts[0].number, replace(selection.claims[0].parts[0].number, labels=("day",))

    def made_up(**settings: Any) -> list[bool]:
        stand_ins = StandIns(done_of(selection, tmp_path, **settings))
        return [stand_ins.has_made_up_times(number) for number in numbers]

    assert made_up(**{"replay.arrival": "trace"}) == [True, False]
    assert made_up() == [True, False]
    assert made_up(**{"replay.arrival": "closed"}) == [False, False]


def test_the_page_says_what_uses_a_stand_in(tmp_path: Path) -> None:
    found = reproduce(["reusable.T3", "reusable.T1"], quick=True, workers=1, store=tmp_path / "runs")
    assert {verdict.claim.id: verdict.stand_in for verdict in found.verdicts} == {"T3": True, "T1": False}
    found.save_markdown(tmp_path / "page.md")
    assert (tmp_path / "page" / "second-write.md").read_text().count("Of stand-ins.") == 1
