"""How near each sentence of a paper comes, in one character.

| mark | |
|---|---|
| `=` | inside its band |
| `~` | within noise: an interval crosses the end of the band, or reaches it with the error of a stand-in |
| `+` | outside, in the paper's direction, and at most twice or at least half of the paper's effect |
| `-` | outside, in the paper's direction, beyond that |
| `X` | the opposite direction |
| `?` | not comparable: no run, no interval, or a response time of a made-up workload |

An effect is what is left of a number when nothing changes: a change, a difference, a share, or the logarithm of a
factor. Where the paper says that nothing changes there is no direction, and the width of the band takes the place of
the effect.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rewear.reproduce.claims import Part
from rewear.reproduce.finding import Finding

Mark = Literal["=", "~", "+", "-", "X", "?"]

MARKS: dict[Mark, str] = {
    "=": "inside its band",
    "~": "within noise",
    "+": "the paper's direction, within a factor of 2",
    "-": "the paper's direction, beyond that",
    "X": "the opposite direction",
    "?": "not comparable",
}
"""From the best to the worst that is known, and last what is not known."""

FACTOR = 2.0
"""An effect of half to twice the paper's has its size; what differs by more has another cause."""

_TIMES = ("mean_response_ns", "simulated_ns", "latency_ns", "comparisons_ns")
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the paper: one part, or several that test it at several points."""

    says: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect over the paper's: 1 is the paper's, below 0 is the opposite."""

    low: float
    high: float


def is_time(figure: str) -> bool:
    """Whether a figure is a time that requests take."""
    return figure.startswith(_TIMES)


def mark_of(part: Part, finding: Finding, *, made_up: bool, error: float = 0.0) -> Mark:
    """The mark of a part; `error` is how far its relation of erases may be off on made-up workloads."""
    if finding.state in ("missing", "not run", "too few seeds") or (made_up and is_time(part.number.figure)):
        return "?"
    if finding.state == "inside":
        return "="
    if finding.state == "crosses":
        return "~"
    if part.equals is not None:
        return "-"
    apart = [label for label in finding.numbers if _is_outside(part, label, finding)]
    if error and not any(_is_outside(part, label, finding, error) for label in apart):
        return "~"
    return worst(_outside(part, label, finding) for label in apart)


def worst(marks: Iterable[Mark]) -> Mark:
    """The worst of some marks; what is not comparable counts only where nothing else is."""
    found = set(marks)
    known = [mark for mark in MARKS if mark in found and mark != "?"]
    return known[-1] if known else "?"


def effect_of(part: Part, finding: Finding) -> Effect | None:
    """The part's effect over the paper's, over all labels and their intervals; `None` without a paper's number."""
    ratios: list[float] = []
    for label in finding.numbers:
        band = part.band(label) if part.bands else None
        if band is None or band.paper is None or not finding.numbers:
            return None
        paper = (_effect(band.paper[0], part) + _effect(band.paper[1], part)) / 2
        if abs(paper) < _NOTHING:
            return None
        ratios += [_effect(value, part) / paper for value in _ends(label, finding)]
    return Effect(min(ratios), max(ratios)) if ratios else None


def _is_outside(part: Part, label: str, finding: Finding, error: float = 0.0) -> bool:
    low, high = _ends(label, finding)
    # A change is off by as much as the ratio that it stands for.
    half = error * (float(finding.numbers[label]) + (1.0 if part.number.take == "change" else 0.0))
    return part.band(label).place(low - half, high + half) == "outside"


def _outside(part: Part, label: str, finding: Finding) -> Mark:
    """The mark beside the effect of the paper next to ours: an end of its range, or its bound."""
    band = part.band(label)
    here = _effect(float(finding.numbers[label]), part)
    ends: Sequence[float | None] = band.paper if band.paper is not None else (band.low, band.high)
    paper = min((_effect(end, part) for end in ends if end is not None), key=lambda effect: abs(effect - here))
    if abs(paper) >= _NOTHING:
        if here * paper <= 0:
            return "X"
        return "+" if 1 / FACTOR <= here / paper <= FACTOR else "-"
    # The paper has no change. An order or a sign that is not ours is the opposite; else its width is what counts.
    if band.paper is None or band.high is None:
        return "X"
    return "+" if abs(here) <= FACTOR * abs(_effect(band.high, part)) else "-"


def _ends(label: str, finding: Finding) -> tuple[float, float]:
    interval = finding.intervals.get(label)
    value = float(finding.numbers[label])
    return (value, value) if interval is None else (interval.low, interval.high)


def _effect(value: float, part: Part) -> float:
    """A number without what it is when nothing changes."""
    if part.unit == "factor":
        return math.log(max(value, _NOTHING))
    return value
