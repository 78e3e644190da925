"""Results of one part of a claim: its numbers with their intervals, and where they lie."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from rewear.figures.uncertainty import Interval, interval_of, place
from rewear.reproduce.claims import Part
from rewear.reproduce.measures import IN_SECOND_HALF
from rewear.reproduce.number import REDUCTIONS, Number, Numbers, Runs, UnknownError, evaluate
from rewear.reproduce.words import expected, interval_in_words, write_number
from rewear.sweep import Row
from rewear.sweep.settings import is_number

LEAST_SEEDS = 3
"""Seeds below which a number that is drawn has no interval that a verdict could rest on."""

Mark = Literal["=", "~", "+", "-", "X", "?"]
"""How near a number comes to the paper's, see `agreement`."""

State = Literal["inside", "crosses", "outside", "too few seeds", "missing", "not run"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one part."""

    says: str
    numbers: Numbers
    """Means over the seeds, by label."""
    intervals: dict[str, Interval]
    """Those of numbers that differ between seeds."""
    expected: str
    because: str
    state: State
    measured: str
    """The numbers in words, or why there are none."""
    absolute: str = ""
    """Both sides of a relation."""
    later: str = ""
    """The same relation in the second half of the runs, for erases."""
    rows: tuple[Row, ...] = ()
    """The runs that it rests on."""
    mark: Mark = "?"
    """How near it comes to the paper."""


def find(part: Part, runs: Mapping[str, Runs], number: Number | None = None) -> Finding:
    """The result of a part; `number` takes the place of its own, as a switch does."""
    number = part.number if number is None else number
    band = expected(part)
    try:
        if number.experiment not in runs:
            raise UnknownError("not run")
        own = runs[number.experiment]
        own.asked()
        by_seed = _by_seed(number, own)
    except UnknownError as error:
        state: State = "not run" if str(error).endswith("not run") else "missing"
        return Finding(part.says, {}, {}, band, part.because, state, str(error))
    numbers, intervals = _over_seeds(by_seed)
    state = _state(part, numbers, intervals)
    if state in ("inside", "crosses") and own.is_drawn(number) and len(by_seed) < LEAST_SEEDS:
        state = "too few seeds"
    return Finding(
        says=part.says,
        numbers=numbers,
        intervals={label: each for label, each in intervals.items() if each.low < each.high},
        expected=band,
        because=part.because,
        state=state,
        measured=_in_words(part, numbers, intervals, state),
        absolute=_absolute(number, own),
        later=_later(part, number, own),
        rows=tuple(own.asked()),
    )


def found(part: Part, numbers: Numbers) -> Finding:
    """The result of a part whose numbers, by label, were measured elsewhere and once."""
    over = part.number.over
    numbers, intervals = _over_seeds([numbers if over is None else {"": REDUCTIONS[over](list(numbers.values()))}])
    state = _state(part, numbers, intervals)
    measured = _in_words(part, numbers, intervals, state)
    return Finding(part.says, numbers, {}, expected(part), part.because, state, measured)


def _by_seed(number: Number, runs: Runs) -> list[Numbers]:
    seeds = runs.seeds()
    return [evaluate(number.placed(seed), runs) for seed in seeds] if seeds else [evaluate(number, runs)]


def _over_seeds(by_seed: list[Numbers]) -> tuple[Numbers, dict[str, Interval]]:
    """Means and intervals by label, of numbers that are one."""
    numbers: Numbers = {}
    intervals: dict[str, Interval] = {}
    for label, first in by_seed[0].items():
        values = [each[label] for each in by_seed]
        if all(is_number(value) and not isinstance(value, bool) for value in values):
            intervals[label] = interval_of([float(value) for value in values])
            numbers[label] = intervals[label].mean if len(values) > 1 else first
        else:
            numbers[label] = first
    return numbers, intervals


def _state(part: Part, numbers: Numbers, intervals: Mapping[str, Interval]) -> State:
    if part.equals is not None:
        given = numbers[""] if set(numbers) == {""} else numbers
        return "inside" if given == part.equals else "outside"
    bands = {label: part.band(label) for label in numbers}
    places = [place(intervals[label], band.low, band.high) for label, band in bands.items()]
    needed = part.share * len(places) - 1e-9
    if places.count("inside") >= needed:
        return "inside"
    return "crosses" if len(places) - places.count("outside") >= needed else "outside"


def _absolute(number: Number, runs: Runs) -> str:
    """Relations of one run to another behind the numbers, by label, where they are relations."""
    if number.take not in ("change", "ratio") or number.along or number.over is not None:
        return ""
    sides = [
        evaluate(replace(number, take="value", of=place, to={}, beside={}), runs) for place in (number.to, number.of)
    ]
    unit = "time" if number.figure.endswith("_ns") or number.figure.startswith("latency_ns") else "plain"

    def written(value: Any) -> str:
        return write_number(value, unit)

    return ", ".join(f"{label} {written(sides[0][label])} to {written(sides[1][label])}".strip() for label in sides[0])


def _later(part: Part, number: Number, runs: Runs) -> str:
    later = IN_SECOND_HALF.get(number.figure)
    if later is None or number.take not in ("change", "ratio"):
        return ""
    try:
        numbers, intervals = _over_seeds(_by_seed(replace(number, figure=later), runs))
    except (UnknownError, ValueError):
        return "no erases to relate"
    return _in_words(part, numbers, intervals)


def _in_words(part: Part, numbers: Numbers, intervals: Mapping[str, Interval], state: State | None = None) -> str:
    if part.equals is not None and state == "inside":
        return "equal"
    return ", ".join(
        f"{label} {interval_in_words(value, intervals.get(label), part.unit)}".strip()
        for label, value in numbers.items()
    )
