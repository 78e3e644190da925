"""Studies behind claims: what is drawn in them is repeated, and has an interval."""

import re
from statistics import fmean
from typing import Any

import pytest
from rewear.reproduce import papers_folder, read_papers
from rewear.reproduce.band import Band
from rewear.reproduce.claims import Part
from rewear.reproduce.computation import Computation, Computed
from rewear.reproduce.finding import find
from rewear.reproduce.number import Number, evaluate

SUCCESS = {"samples": 40, "storages": [206, 208, 210], "cells": 4096}


def success(**arguments: Any) -> Computed:
    outcome = Computation("second_write.success", {**SUCCESS, **arguments}, (), papers_folder() / "studies").perform()
    assert outcome.report is not None
    return Computed(outcome.report["numbers"])


def part() -> Part:
    number = Number("T2", "success", "value", {}, {}, {}, {}, "success", (), None, None, None)
    return Part("success", number, {"": Band(None, -1.0, None)}, None, "a share", 1.0, "percent")


def test_a_study_with_seeds_is_done_once_for_each_and_has_an_interval():
    seeds = [3, 4, 5, 6, 7]
    repeated = success(seeds=seeds)
    single = [success(seed=seed) for seed in seeds]
    number = part().number
    assert repeated.labels("success") == ["206%", "208%", "210%"]
    assert [evaluate(number.placed(seed), repeated) for seed in repeated.seeds()] == [
        evaluate(number, each) for each in single
    ]
    assert evaluate(number, repeated)["208%"] == pytest.approx(fmean(evaluate(number, each)["208%"] for each in single))
    found = find(part(), {"T2": repeated})
    assert found.state == "inside"
    interval = found.intervals["208%"]
    assert interval.seeds == len(seeds)
    assert interval.low < found.numbers["208%"] < interval.high


def test_too_few_seeds_give_no_verdict_and_a_study_without_seeds_draws_nothing():
    assert find(part(), {"T2": success(seeds=[1, 2])}).state == "too few seeds"
    assert find(part(), {"T2": success()}).state == "inside"
    assert not success().seeds()


def test_what_holds_what_does_not_and_why_take_three_sentences_at_most():
    for paper in read_papers(papers_folder()).values():
        assert len(re.findall(r"[.!?](?= [A-Z]|$)", paper.about.why)) <= 3, paper.name
