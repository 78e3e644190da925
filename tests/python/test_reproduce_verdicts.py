"""From numbers to verdicts."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from rewear import Drive, Workload
from rewear.figures.uncertainty import Interval
from rewear.reproduce.band import Band
from rewear.reproduce.claims import Claim, Part
from rewear.reproduce.conditions import amplified, is_flooded
from rewear.reproduce.number import REDUCTIONS, Number, UnknownError, evaluate
from rewear.reproduce.stand_ins import StandIns
from rewear.reproduce.switch import Switch
from rewear.reproduce.verdict import Verdict
from rewear.reproduce.verdict import judge as judged
from rewear.reproduce.words import expected, interval_in_words, read_number, stated, write_number
from rewear.sweep import Row


class Table:
    """Figures by the labels of two axes, and how much each seed adds to them."""

    def __init__(self, figures: dict[tuple[str, str], float], noise: Sequence[float] = (), drawn: bool = False):
        self.figures, self.noise, self.drawn = figures, noise, drawn

    def seeds(self) -> list[dict[str, str]]:
        return [{"seed": str(number)} for number in range(len(self.noise))]

    def is_drawn(self, number: Number) -> bool:
        return self.drawn

    def asked(self) -> list[Row]:
        return []

    def labels(self, axis: str) -> list[str]:
        place = ("drive", "trace").index(axis)
        return list(dict.fromkeys(key[place] for key in self.figures))

    def value(self, figure: str, place: Mapping[str, str]) -> Any:
        key = (place.get("drive", ""), place.get("trace", ""))
        if figure != "erases" or key not in self.figures:
            raise UnknownError(f"no {figure} at {key}")
        noise = self.noise[int(place["seed"])] if "seed" in place else 0.0
        return self.figures[key] + (noise if key[0] == "new" else 0.0)


RUNS = Table(
    {
        ("plain", "a"): 100.0,
        ("new", "a"): 60.0,
        ("odd", "a"): 80.0,
        ("plain", "b"): 50.0,
        ("new", "b"): 40.0,
        ("odd", "b"): 55.0,
    }
)


def number(**keys: Any) -> Number:
    plain: dict[str, Any] = {
        "experiment": "e", "figure": "erases", "take": "change", "at": {}, "of": {"drive": "new"},
        "to": {"drive": "plain"}, "beside": {}, "each": "trace", "labels": (), "along": (), "reduce": None,
        "over": None,
    }  # fmt: skip
    return Number(**{**plain, **keys})


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {"a": -0.4, "b": -0.2}),
        ({"labels": ("b",)}, {"b": -0.2}),
        ({"over": "mean"}, {"": -0.3}),
        ({"take": "ratio"}, {"a": 0.6, "b": 0.8}),
        ({"take": "difference"}, {"a": -40.0, "b": -10.0}),
        ({"take": "gap", "beside": {"drive": "odd"}}, {"a": -0.2, "b": -0.3}),
        ({"take": "gain", "beside": {"drive": "odd"}}, {"a": 2.0, "b": -2.0}),
        ({"take": "value"}, {"a": 60.0, "b": 40.0}),
        ({"each": None, "at": {"trace": "a"}}, {"": -0.4}),
        ({"take": "value", "of": {}, "along": ("drive",), "reduce": "rise"}, {"a": 0.2, "b": 0.3 * 50 / 55 * 55 / 55}),
        ({"take": "value", "of": {}, "along": ("drive",), "reduce": "spread"}, {"a": 40.0, "b": 15.0}),
        ({"take": "value", "of": {}, "along": ("drive",), "reduce": "last-over-first"}, {"a": 0.8, "b": 1.1}),
    ],
)
def test_numbers(keys, expected):
    assert evaluate(number(**keys), RUNS) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("reduce", "bound", "passes", "fails"),
    [
        ("mean", {"at_most": 2.0}, [1.0, 3.0], [1.0, 3.1]),
        ("min", {"at_least": 1.0}, [1.0, 3.0], [0.9, 3.0]),
        ("max", {"at_most": 3.0}, [1.0, 3.0], [1.0, 3.1]),
        ("spread", {"at_most": 2.0}, [3.0, 1.0, 2.0], [3.1, 1.0, 2.0]),
        # A curve that falls throughout has no rise, and one that rises throughout no fall: both are below 0.
        ("rise", {"at_most": 0.01}, [4.0, 3.0, 1.0], [1.0, 3.0, 4.0]),
        ("fall", {"at_most": 0.01}, [1.0, 3.0, 4.0], [4.0, 3.0, 1.0]),
        ("last-over-first", {"at_least": 2.0}, [1.0, 9.0, 2.0], [1.0, 9.0, 1.9]),
        ("first-over-last", {"at_least": 2.0}, [2.0, 9.0, 1.0], [1.9, 9.0, 1.0]),
        ("last-less-first", {"at_most": -1.0}, [2.0, 9.0, 1.0], [2.0, 9.0, 1.1]),
    ],
)
def test_every_reducer_has_a_curve_that_passes_and_one_that_fails(reduce, bound, passes, fails):
    curve = number(take="value", of={}, to={}, each=None, at={"trace": "a"}, along=("drive",), reduce=reduce)
    band = Band(None, bound.get("at_least"), bound.get("at_most"))
    own = claim(Part("curve", curve, {"": band}, None, "by hand", 1.0, "plain"))

    def word(values: Sequence[float]) -> str:
        return judge(own, {"e": Table({(str(place), "a"): value for place, value in enumerate(values)})}).word

    assert (word(passes), word(fails)) == ("holds", "differs")


def test_no_reducer_is_left_out_above():
    above = test_every_reducer_has_a_curve_that_passes_and_one_that_fails.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert {case[0] for case in above} == set(REDUCTIONS)


def test_numbers_along_several_axes_are_reduced_together():
    assert evaluate(number(take="value", of={}, to={}, each=None, along=("drive", "trace"), reduce="max"), RUNS) == {
        "": 100.0
    }


def test_a_number_that_is_not_there_says_so():
    with pytest.raises(UnknownError, match="no erases at"):
        evaluate(number(of={"drive": "lost"}), RUNS)
    with pytest.raises(UnknownError, match="is 0 in the run"):
        evaluate(number(), Table({("plain", "a"): 0.0, ("new", "a"): 1.0}))
    nothing = Table({("plain", "a"): 0.0, ("new", "a"): 1.0})
    with pytest.raises(UnknownError, match="is 0 where it is divided by"):
        evaluate(number(take="value", of={}, to={}, along=("drive",), reduce="last-over-first"), nothing)
    with pytest.raises(UnknownError, match="is 0 where it is divided by"):
        evaluate(number(take="value", of={"drive": "plain"}, to={}, over="last-over-first"), nothing)


class OnOriginals(StandIns):
    """As if the experiment `e` had replayed the paper's traces."""

    originals = frozenset({"e"})


def judge(own: Claim, runs: Mapping[str, Any], stand_ins: StandIns | None = None) -> Verdict:
    return judged(own, runs, stand_ins or StandIns({}))


def part(low: float | None, high: float | None, **keys: Any) -> Part:
    share, equals = keys.pop("share", 1.0), keys.pop("equals", None)
    paper = None if low is None or high is None else ((low + high) / 2,) * 2
    bands = {} if equals is not None else {"": Band(paper, low, high)}
    return Part("erases", number(**keys), bands, equals, "as wide as it is", share, "change")


def claim(*parts: Part, **keys: Any) -> Claim:
    plain: dict[str, Any] = {
        "prefix": "p", "id": "F1", "kind": "measured", "where": "Figure 1", "text": "t", "parts": parts,
        "left_out": (), "switches": (), "needs": None, "of_traces": False, "reasons": (), "note": "",
    }  # fmt: skip
    return Claim(**{**plain, **keys})


def test_a_claim_holds_if_every_number_lies_inside():
    verdict = judge(claim(part(-0.5, -0.1)), {"e": RUNS})
    assert (verdict.word, verdict.why) == ("holds", "")
    assert judge(claim(part(-0.5, -0.3, share=0.5)), {"e": RUNS}).word == "holds"
    assert judge(claim(part(None, None, equals={"a": 60.0, "b": 40.0}, take="value")), {"e": RUNS}).word == "holds"


def test_a_claim_that_differs_says_by_how_much():
    verdict = judge(claim(part(-0.35, -0.1), part(-1.0, 0.0)), {"e": RUNS})
    assert verdict.word == "differs"
    assert "1 of 2 parts: erases: a \N{MINUS SIGN}40.0%, b \N{MINUS SIGN}20.0%, not" in verdict.why
    assert verdict.findings[0].absolute == "a 100 to 60.0, b 50.0 to 40.0"
    assert judge(claim(part(None, None, equals=3, each=None, at={"trace": "a"})), {"e": RUNS}).word == "differs"


def on_seeds(*noise: float, drawn: bool = True) -> Table:
    return Table(RUNS.figures, noise, drawn)


def test_a_number_of_drawn_requests_needs_three_seeds():
    own = claim(part(-0.5, -0.1))
    few = judge(own, {"e": on_seeds(0.1, 0.0)})
    assert few.word == "cannot be told"
    assert "Fewer than 3 seeds" in few.why
    assert judge(own, {"e": Table(RUNS.figures, drawn=True)}).word == "cannot be told"
    assert judge(own, {"e": on_seeds(0.1, 0.0, -0.1, 0.0, 0.0)}).word == "holds"
    # What lies outside with one seed is outside all the same; what is not drawn needs none.
    assert judge(claim(part(0.0, 0.1)), {"e": Table(RUNS.figures, drawn=True)}).word == "differs"
    assert judge(own, {"e": Table(RUNS.figures)}).word == "holds"


def test_an_interval_across_the_end_of_a_band_is_within_noise():
    wide = {"e": on_seeds(-20.0, -10.0, 0.0, 10.0, 20.0)}
    # -40% and -20% with 95% intervals of 20 and 39 points: Student's t with four degrees of freedom.
    verdict = judge(claim(part(-0.5, -0.1)), wide)
    assert verdict.word == "within noise"
    interval = verdict.findings[0].intervals["a"]
    assert (interval.low, interval.high) == pytest.approx((-0.4 - 0.1963, -0.4 + 0.1963), abs=1e-3)
    assert judge(claim(part(-1.5, 1.0)), wide).word == "holds"
    assert judge(claim(part(0.5, 1.0)), wide).word == "differs"
    # A part that differs outweighs one that is within noise.
    assert judge(claim(part(-0.5, -0.1), part(0.5, 1.0)), wide).word == "differs"


def switched(**places: str) -> Switch:
    return Switch("The other drive", {"e": "other"} if not places else {}, places, {}, "flash.x", "1", "2")


def test_a_cause_brings_all_parts_into_their_own_bands_and_a_hint_only_some():
    good = Table({**RUNS.figures, ("new", "a"): 95.0, ("new", "b"): 48.0})
    better_a = Table({**RUNS.figures, ("new", "a"): 95.0})
    own = claim(part(-0.1, 0.0, labels=("a",)), part(-0.1, 0.0, labels=("b",)), switches=(switched(),))
    (cause,) = judge(own, {"e": RUNS, "other": good}).switched
    assert (cause.role, cause.inside) == ("cause", 2)
    (hint,) = judge(own, {"e": RUNS, "other": better_a}).switched
    assert (hint.role, hint.inside) == ("hint", 1)
    assert [finding.state for finding in hint.findings] == ["inside", "outside"]
    (neither,) = judge(own, {"e": good, "other": good}).switched
    assert neither.role == "either reading"
    (depends,) = judge(own, {"e": good, "other": RUNS}).switched
    assert depends.role == "depends on it"
    missing = judge(own, {"e": RUNS})
    assert (missing.word, missing.switched[0].role) == ("differs", "not run")


def test_what_cannot_be_told_says_what_is_needed():
    assert judge(claim(needs="a chip"), {}).why == "Needed: a chip"
    assert judge(claim(part(0, 1, of={"drive": "lost"})), {"e": RUNS}).word == "cannot be told"
    not_run = judge(claim(part(0, 1)), {})
    assert (not_run.word, not_run.why) == ("not run", "1 of 1 parts were not run for this page.")


def test_statements_about_traces_hold_and_fail_on_the_traces_alone():
    said = claim(part(0.0, 0.1), of_traces=True)
    assert judge(said, {"e": RUNS}).word == "cannot be told"
    assert judge(said, {"e": RUNS}, OnOriginals({})).word == "differs"
    true_here = claim(part(-0.5, -0.1), of_traces=True)
    assert judge(true_here, {"e": RUNS}).word == "cannot be told"
    assert judge(true_here, {"e": RUNS}, OnOriginals({})).word == "holds"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (-0.4, "change", "\N{MINUS SIGN}40.0%"),
        (0.123, "percent", "12.3%"),
        (2.5, "factor", "x 2.5"),
        (1.5e6, "time", "1.50 ms"),
        (1234.0, "count", "1,234"),
        ("low", "plain", "low"),
        (True, "plain", "True"),
    ],
)
def test_numbers_in_words(value, unit, text):
    assert write_number(value, unit) == text


@pytest.mark.parametrize("text", ["\N{MINUS SIGN}40.0%", "+1,234.5%", "x 2.5", "+0.7 points", "12.3%"])
def test_relations_are_read_as_they_are_written(text):
    unit = {"%": "change", "s": "points"}.get(text[-1], "factor") if text != "12.3%" else "percent"
    assert write_number(read_number(text), unit) == text.replace(",", "")


@pytest.mark.parametrize(
    ("half", "unit", "text"),
    [(0.004, "change", "+10.0% ±0.4"), (0.00009, "change", "+10.0%"), (0.004, "factor", "x 0.1 ±0.004")],
)
def test_an_interval_is_shown_from_a_thousandth_of_the_number(half, unit, text):
    assert interval_in_words(0.1, Interval(0.1, 0.1 - half, 0.1 + half, 5), unit) == text


def test_the_width_of_a_band_is_no_interval():
    own = part(-0.45, -0.35)
    assert (stated(own), expected(own)) == ("\N{MINUS SIGN}40.0%", "within 5 points of \N{MINUS SIGN}40.0%")
    order = part(None, -0.3, share=0.5)
    assert (stated(order), expected(order)) == ("at most \N{MINUS SIGN}30.0%", "at most \N{MINUS SIGN}30.0% for 50%")


def test_a_run_without_time_has_a_condition_without_times():
    drive = Drive("qlc", set={"flash.blocks_per_plane": 64, "flash.pages_per_block": 16})
    report = drive.replay(Workload("uniform:requests=2000"), precondition="fill", no_time=True)
    assert report.mean_response_ns is None
    assert not is_flooded(report)


def test_requests_that_come_too_soon_flood_a_drive():
    drive = Drive("qlc", set={"flash.blocks_per_plane": 64, "flash.pages_per_block": 16})
    workload = Workload("uniform:requests=20000,arrival=poisson,rate=1000000")
    assert is_flooded(drive.replay(workload, precondition="fill"))
    assert not is_flooded(drive.replay(workload, precondition="fill", arrival="closed"))


def test_a_remark_tells_what_cleaning_moved_by_kind_of_run():
    def row(code: str, trace: str, amplification: float) -> Any:
        report = SimpleNamespace(figure=lambda _: amplification)
        return SimpleNamespace(report=report, job=SimpleNamespace(coordinates={"trace": trace, "code": code}))

    rows = [row("plain", "a", 1.5), row("plain", "b", 2.0), row("coded", "a", 1.0), row("coded", "b", 1.001)]
    assert amplified(rows) == "plain 1.50 to 2.00; coded 1.00"
    assert amplified(rows[:2]) == amplified(rows[2:]) == ""
    assert amplified([row(str(kind), "a", 2.0) for kind in range(9)]) == ""


def test_another_measure_takes_the_place_of_a_figure():
    measured = Switch("begun cycles", {}, {}, {"erases": "erase_equivalents"}, "figure", "erases", "erase_equivalents")
    assert measured.applied(number()) == number(figure="erase_equivalents")
    assert measured.applied(number(figure="simulated_ns")) == number(figure="simulated_ns")
