"""How near a sentence comes, in one character."""

from dataclasses import replace
from typing import Any

import pytest
from rewear.reproduce.agreement import MARKS, effect_of, mark_of, worst
from rewear.reproduce.band import Band
from rewear.reproduce.claims import Claim, Part
from rewear.reproduce.finding import find
from rewear.reproduce.measures import is_response
from rewear.reproduce.verdict import Verdict
from test_reproduce_verdicts import OnOriginals, Table, claim, judge, number


def part(band: Band, unit: str = "change", **keys: Any) -> Part:
    return Part("erases", number(each=None, at={"trace": "a"}, **keys), {"": band}, None, "by hand", 1.0, unit)


def runs(here: float, noise: tuple[float, ...] = ()) -> dict[str, Table]:
    """Erases of the new drive where the plain one has 100."""
    return {"e": Table({("plain", "a"): 100.0, ("new", "a"): here}, noise, drawn=bool(noise))}


def around(paper: float, within: float) -> Band:
    return Band((paper, paper), paper - within, paper + within)


@pytest.mark.parametrize(
    ("band", "here", "mark"),
    [
        (around(-0.4, 0.05), 62.0, "="),
        (around(-0.4, 0.05), 70.0, "+"),
        (around(-0.4, 0.05), 79.9, "+"),
        (around(-0.4, 0.05), 80.1, "-"),
        (around(-0.4, 0.05), 15.0, "-"),
        (around(-0.4, 0.05), 103.0, "X"),
        # Of a range the nearer end counts.
        (Band((-0.4, -0.3), -0.4, -0.3), 84.0, "+"),
        (Band((-0.4, -0.3), -0.4, -0.3), 86.0, "-"),
        # An order has no size: what is not the order is the opposite.
        (Band(None, None, 0.0), 101.0, "X"),
        (Band(None, None, -0.3), 80.0, "+"),
        (Band(None, None, -0.3), 90.0, "-"),
        (Band(None, None, -0.3), 110.0, "X"),
        # Where the paper says that nothing changes there is no direction.
        (around(0.0, 0.02), 103.9, "+"),
        (around(0.0, 0.02), 104.1, "-"),
        (around(0.0, 0.02), 95.0, "-"),
    ],
)
def test_marks(band, here, mark):
    own = part(band)
    assert mark_of(own, find(own, runs(here)), made_up_times=False) == mark


@pytest.mark.parametrize(("here", "mark"), [(250.0, "="), (170.0, "+"), (150.0, "-"), (99.0, "X")])
def test_a_factor_counts_by_its_logarithm(here, mark):
    own = part(around(2.5, 0.1), "factor", take="ratio")
    assert mark_of(own, find(own, runs(here)), made_up_times=False) == mark


def test_an_interval_across_the_end_of_a_band_is_noise():
    own = part(around(-0.4, 0.05))
    assert mark_of(own, find(own, runs(65.0, (2.0, -2.0, 1.0, -1.0, 0.0))), made_up_times=False) == "~"


def test_what_is_not_comparable():
    own = part(around(-0.4, 0.05))
    assert mark_of(own, find(own, {}), made_up_times=False) == "?"
    # Few seeds of drawn requests are no number yet.
    assert mark_of(own, find(own, runs(61.0, (0.0, 0.0))), made_up_times=False) == "?"
    timed = replace(own, number=replace(own.number, figure="mean_response_ns"))
    inside = find(own, runs(60.0))
    assert mark_of(timed, inside, made_up_times=True) == "?"
    assert mark_of(timed, inside, made_up_times=False) == "="
    assert mark_of(own, inside, made_up_times=True) == "="


@pytest.mark.parametrize(
    ("band", "here", "mark"),
    [
        # A size of a response depends on the rate of requests, its direction does not.
        (around(-0.4, 0.05), 62.0, "?"),
        (around(-0.4, 0.05), 90.0, "?"),
        (around(-0.4, 0.05), 110.0, "X"),
        (around(0.3, 0.05), 60.0, "X"),
        # An order, and that nothing changes, have none.
        (Band(None, None, 0.0), 90.0, "="),
        (Band(None, None, 0.0), 110.0, "X"),
        (around(0.0, 0.02), 101.0, "="),
        (around(0.0, 0.02), 150.0, "-"),
    ],
)
def test_of_a_response_at_made_up_times_the_direction_is_comparable(band, here, mark):
    own = part(band)
    timed = replace(own, number=replace(own.number, figure="latency_ns.write.mean"))
    assert mark_of(timed, find(own, runs(here)), made_up_times=True) == mark


@pytest.mark.parametrize(
    ("figure", "is_one"),
    [
        ("mean_response_ns", True),
        ("latency_ns.read.p95", True),
        ("write_p99_ns", True),
        ("until_worn.simulated_ns", True),
        ("write_service_ns", False),
        ("erases", False),
        ("drive.derived.blocks", False),
    ],
)
def test_times_of_the_book_depend_on_when_requests_come(figure, is_one):
    assert is_response(figure) is is_one


def test_the_worst_of_what_is_known_counts():
    assert [worst(marks) for marks in (["=", "X", "~"], ["=", "?"], ["?"], ["+", "-"], [])] == ["X", "=", "?", "-", "?"]
    assert list(MARKS) == ["=", "~", "+", "-", "X", "?"]


def near(effect: float) -> Any:
    return pytest.approx((effect, effect))


def test_effects_relate_changes_and_logarithms_of_factors():
    change = part(around(-0.4, 0.05))
    assert effect_of(change, find(change, runs(80.0))) == near(0.5)
    factor = part(around(4.0, 0.1), "factor", take="ratio")
    assert effect_of(factor, find(factor, runs(200.0))) == near(0.5)
    spread = find(change, runs(80.0, (10.0, -10.0, 0.0, 0.0, 0.0)))
    found = effect_of(change, spread)
    assert found is not None and found[0] < 0.5 < found[1]
    order = part(Band(None, None, 0.0))
    assert effect_of(order, find(order, runs(80.0))) is None
    nothing = part(around(0.0, 0.02))
    assert effect_of(nothing, find(nothing, runs(80.0))) is None


def sentences(verdict: Verdict) -> list[tuple[str, str]]:
    """What nothing made up says of the sentences of a claim."""
    return [(each.says, each.mark) for each in verdict.sentences]


def test_a_sentence_tested_at_several_points_counts_once():
    near, far = part(around(-0.4, 0.05)), part(around(-0.1, 0.05))
    own: Claim = claim(replace(near, sentence="falls"), replace(far, sentence="falls"), replace(near, sentence="other"))
    assert sentences(judge(own, runs(61.0))) == [("falls", "-"), ("other", "=")]


def test_statements_about_the_papers_own_traces_are_not_comparable():
    own = claim(replace(part(around(-0.4, 0.05)), sentence="falls"), of_traces=True)
    assert sentences(judge(own, runs(61.0))) == [("falls", "?")]
    assert sentences(judge(own, runs(61.0), OnOriginals({}))) == [("falls", "=")]
    assert sentences(judge(claim(needs="a chip"), {})) == [("t", "?")]
