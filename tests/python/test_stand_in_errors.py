"""Errors of stand-ins: summed up, written, read, and printed beside what uses a stand-in and nowhere else."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rewear.core.errors import ConfigurationError
from rewear.reproduce import papers_folder, read_papers, reproduce
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.paper import select
from rewear.reproduce.result import Done
from rewear.reproduce.sources import MADE_UP, Counts, Originals, read_sources
from rewear.reproduce.stand_ins import StandIns, measured_errors, read_errors
from rewear.stand_in import SchemeWorth, Worth
from rewear.stand_in_errors import Error, Errors, errors_of
from rewear.sweep.store import Store


def worth_of(trace: str, plain: float, second: float) -> Worth:
    def figures(erases: float, relative: float) -> dict[str, float | None]:
        return {"erases": erases, "relative_erases": relative, "write_ns": 5.0, "relative_write": 1.0}

    schemes = (
        SchemeWorth("plain", figures(100, 1), figures(plain, 1)),
        SchemeWorth("second-write", figures(100, 1), figures(plain, second)),
    )
    return Worth(trace, 0.28, schemes)


WORTHS = [worth_of("a", 110, 0.5), worth_of("b", 70, 1.1), worth_of("c", 95, 1.2)]


def test_errors_are_medians_and_worst_cases_whatever_their_sign(tmp_path: Path) -> None:
    errors = errors_of(WORTHS)
    assert errors.traces == ("a", "b", "c")
    plain, second = errors.schemes["plain"]["erases"], errors.schemes["second-write"]["relative_erases"]
    assert (plain.median, plain.worst, plain.traces) == (pytest.approx(0.1), pytest.approx(0.3), 3)
    assert (second.median, second.worst) == (pytest.approx(0.2), pytest.approx(0.5))
    assert "relative_erases" not in errors.schemes["plain"]
    path = tmp_path / "errors.toml"
    path.write_text(errors.to_toml(), encoding="utf-8")
    assert read_errors(path).to_toml() == errors.to_toml()
    assert "erases ±10%, at worst 30%" in errors.note()
    assert "second-write" not in errors.note(["seal"])
    assert "second-write erases to the plain drive's ±20%, at worst 50%" in errors.note(["second-write"])
    with pytest.raises(ConfigurationError, match="Name at least one"):
        errors_of([])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("median = ", "mean = "), "median is missing"),
        (("[schemes", "[scheme"), "unknown key|must name traces"),
        (('traces = ["a", "b", "c"]', "traces = 3"), "traces is 3"),
    ],
)
def test_a_wrong_file_of_errors_is_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "errors.toml"
    path.write_text(errors_of(WORTHS).to_toml().replace(*change), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        read_errors(path)


def test_the_errors_that_come_along_are_of_several_traces() -> None:
    errors = measured_errors(papers_folder())
    assert errors is not None
    assert len(errors.traces) >= 10
    assert {"second-write", "wom-v", "differentiated-ecc", "agcr"} < set(errors.schemes)


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
    selection = select(read_papers(papers_folder()), ["reusable.F8"])[0]
    counts = Counts(Store(tmp_path / "runs"))
    (tmp_path / "hm_0.csv").write_bytes(msr_trace.read_bytes())

    def mixed(originals: Originals) -> list[bool]:
        sources = read_sources(selection.paper.folder / "traces.toml", originals)
        path = selection.paper.experiment("F7")
        done = {"F7": Done(read_experiment(path, sources, counts, quick=True), None, None)}
        return [StandIns(None, done).mixes(part.number) for part in selection.claims[0].parts]

    assert mixed(Originals(tmp_path)) == [True] * 8
    assert mixed(Originals(None)) == [False] * 8


def test_only_what_uses_a_stand_in_says_so(tmp_path: Path) -> None:
    papers = read_papers(papers_folder())
    selection = select(papers, ["reusable"])[0]
    counts = Counts(Store(tmp_path / "runs"))
    folder = selection.paper.folder
    sources = read_sources(folder / "traces.toml", Originals(None))
    done = {
        name: Done(read_experiment(selection.paper.experiment(name), sources, counts, quick=True), None, None)
        for name in selection.experiments
    }
    stand_ins = StandIns(errors_of(WORTHS), done)
    claims = {claim.id: claim for claim in selection.claims}
    note = stand_ins.note(claims["F7"].numbers)
    assert note.startswith("Stand-in: erases ±10%, at worst 30%")
    assert "(3 traces)" in note
    assert stand_ins.note(claims["T1"].numbers) == ""
    assert StandIns(errors_of(WORTHS), {}).note(claims["F7"].numbers) == ""
    assert "not measured" in StandIns(None, done).note(claims["F7"].numbers)
    # The same numbers of recordings alone carry nothing.
    on_day = [
        replace(part.number, each=None, labels=(), over=None, at={"trace": "day"})
        for part in claims["F7"].parts
        if part.number.experiment == "F7"
    ]
    assert on_day
    assert stand_ins.note(on_day) == ""
    assert MADE_UP in stand_ins.runs_on(claims["F7"].numbers)
    assert MADE_UP not in stand_ins.runs_on(on_day)
    figures = {plan.id: plan for plan in selection.figures}
    assert MADE_UP in stand_ins.runs_on(figures["F7"].numbers)


def test_a_relation_of_erases_is_off_by_the_median_of_its_scheme(tmp_path: Path) -> None:
    selection = select(read_papers(papers_folder()), ["reusable.F7"])[0]
    sources = read_sources(selection.paper.folder / "traces.toml", Originals(None))
    counts = Counts(Store(tmp_path / "runs"))
    experiment = read_experiment(selection.paper.experiment("F7"), sources, counts, quick=True)
    schemes = {"reuse": {"scheme": "second-write"}, "recycle": {"scheme": "none"}, "effort": {"scheme": "uniform"}}
    report = SimpleNamespace(to_dict=lambda: {"drive": {"configuration": schemes}})
    results: Any = SimpleNamespace(rows=[SimpleNamespace(report=report)])
    done = {"F7": Done(experiment, results, None)}
    stand_ins = StandIns(Errors(("t",), {"second-write": {"relative_erases": Error(0.07, 5.0, 13)}}), done)
    errors = {part.says: stand_ins.error(part.number) for part in selection.claims[0].parts}
    assert errors["few large requests, 28%"] == 0.07
    # Recordings are what they are, a spread is none of one relation, and a gap has no error that was measured.
    assert errors["recordings, 28%"] == errors["spread over the chips, 28%"] == errors["zipf(1) less zipf(2), 7%"] == 0
    assert StandIns(None, done).error(selection.claims[0].parts[0].number) == 0


def test_the_error_stands_on_the_page_in_the_document_and_in_the_json(tmp_path: Path) -> None:
    found = reproduce(["reusable.T3", "reusable.T1"], quick=True, workers=1, store=tmp_path / "runs")
    assert {verdict.claim.id: verdict.stand_in for verdict in found.verdicts} == {"T3": True, "T1": False}
    note = found.papers[0].stand_in
    assert note.startswith("Stand-in: erases ±")
    assert found.to_dict()["papers"][0]["stand_in"] == note
    found.save(tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count(f"<em>{note}</em>") == 1
    found.save_markdown(tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text().count(f"*{note}*") == 1
