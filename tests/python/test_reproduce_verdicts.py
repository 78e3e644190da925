"""From numbers to verdicts."""

from collections.abc import Mapping
from typing import Any

import pytest
from rewear.reproduce.claims import Cause, Claim, Part
from rewear.reproduce.number import Number, UnknownError, evaluate
from rewear.reproduce.verdict import judge, write_number


class Table:
    """Figures by the labels of two axes."""

    def __init__(self, figures: dict[tuple[str, str], float]):
        self.figures = figures

    def labels(self, axis: str) -> list[str]:
        place = ("drive", "trace").index(axis)
        return list(dict.fromkeys(key[place] for key in self.figures))

    def value(self, figure: str, place: Mapping[str, str]) -> Any:
        key = (place.get("drive", ""), place.get("trace", ""))
        if figure != "erases" or key not in self.figures:
            raise UnknownError(f"no {figure} at {key}")
        return self.figures[key]


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
        "to": {"drive": "plain"}, "beside": {}, "each": "trace", "labels": (), "along": None, "reduce": None,
        "over": None,
    }  # fmt: skip
    return Number(**{**plain, **keys})


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {"a": -0.4, "b": -0.2}),
        ({"labels": ("b",)}, {"b": -0.2}),
        ({"over": "mean"}, {"": -0.3}),
        ({"over": "place-of-least"}, {"": 0.0}),
        ({"take": "ratio"}, {"a": 0.6, "b": 0.8}),
        ({"take": "difference"}, {"a": -40.0, "b": -10.0}),
        ({"take": "gap", "beside": {"drive": "odd"}}, {"a": -0.2, "b": -0.3}),
        ({"take": "value"}, {"a": 60.0, "b": 40.0}),
        ({"each": None, "at": {"trace": "a"}}, {"": -0.4}),
        ({"take": "value", "of": {}, "along": "drive", "reduce": "rise"}, {"a": 0.2, "b": 0.3 * 50 / 55 * 55 / 55}),
        ({"take": "value", "of": {}, "along": "drive", "reduce": "spread"}, {"a": 40.0, "b": 15.0}),
        ({"take": "value", "of": {}, "along": "drive", "reduce": "last-over-first"}, {"a": 0.8, "b": 1.1}),
    ],
)
def test_numbers(keys, expected):
    assert evaluate(number(**keys), RUNS) == pytest.approx(expected, abs=0.01)


def test_a_number_that_is_not_there_says_so():
    with pytest.raises(UnknownError, match="no erases at"):
        evaluate(number(of={"drive": "lost"}), RUNS)
    with pytest.raises(UnknownError, match="is 0 in the run"):
        evaluate(number(), Table({("plain", "a"): 0.0, ("new", "a"): 1.0}))


def part(low: float | None, high: float | None, **keys: Any) -> Part:
    share, equals = keys.pop("share", 1.0), keys.pop("equals", None)
    return Part("erases", number(**keys), low, high, equals, share, "change")


def claim(*parts: Part, **keys: Any) -> Claim:
    plain: dict[str, Any] = {
        "prefix": "p", "id": "F1", "kind": "band", "where": "Figure 1", "text": "t", "parts": parts, "causes": (),
        "needs": None, "of_traces": False, "note": "",
    }  # fmt: skip
    return Claim(**{**plain, **keys})


def test_a_claim_holds_if_every_number_lies_inside():
    verdict = judge(claim(part(-0.5, -0.1)), {"e": RUNS})
    assert (verdict.word, verdict.why) == ("holds", "")
    assert judge(claim(part(-0.5, -0.3, share=0.5)), {"e": RUNS}).word == "holds"
    assert judge(claim(part(None, None, equals={"a": 60.0, "b": 40.0}, take="value")), {"e": RUNS}).word == "holds"


def test_a_claim_that_differs_says_by_how_much_and_what_was_switched():
    cause = Cause("Without the old thing", part(-0.5, -0.1))
    wrong = Cause("Without the other", part(0.0, 0.1))
    verdict = judge(claim(part(-0.35, -0.1), part(-1.0, 0.0), causes=(cause, wrong)), {"e": RUNS})
    assert verdict.word == "differs"
    assert "1 of 2 parts: erases: a \N{MINUS SIGN}40.0%, b \N{MINUS SIGN}20.0%, not" in verdict.why
    assert "Without the old thing erases:" in verdict.why
    assert verdict.why.endswith("which was to be +0.0% to +10.0%.")
    assert judge(claim(part(None, None, equals=3, each=None, at={"trace": "a"})), {"e": RUNS}).word == "differs"


def test_what_cannot_be_told_says_what_is_needed():
    assert judge(claim(needs="a chip"), {}).why == "Needed: a chip"
    assert judge(claim(part(0, 1)), {}).word == "cannot be told here"
    assert judge(claim(part(0, 1, of={"drive": "lost"})), {"e": RUNS}).word == "cannot be told here"


def test_statements_about_traces_need_the_traces():
    said = claim(part(0.0, 0.1), of_traces=True)
    assert judge(said, {"e": RUNS}).word == "cannot be told here"
    assert judge(said, {"e": RUNS}, originals=["e"]).word == "differs"
    assert judge(claim(part(-0.5, -0.1), of_traces=True), {"e": RUNS}).word == "holds"


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
