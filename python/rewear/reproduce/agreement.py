"""How near each sentence of a paper comes, in one character.

| mark | |
|---|---|
| `=` | inside its band |
| `~` | within noise: an interval crosses the end of the band |
| `+` | outside, in the paper's direction, and at most twice or at least half of the paper's effect |
| `-` | outside, in the paper's direction, beyond that |
| `X` | the opposite direction |
| `?` | not comparable: no run, no interval, or a size of a response time at made-up times of requests |

An effect is what is left of a number when nothing changes: a change, a difference, a share, or the logarithm of a
factor. Where the paper says that nothing changes there is no direction, and the width of the band takes the place of
the effect.

How much a response time changes depends on how soon requests follow each other. Where that is made up, a size cannot be
compared. An order, a sign and "nothing changes" are, and so is a size whose direction is the opposite.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewear.figures.uncertainty import Interval, place
from rewear.reproduce.claims import Part
from rewear.reproduce.finding import Finding, Mark
from rewear.reproduce.measures import is_response

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

_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the paper: one part, or several that test it at several points."""

    says: str
    mark: Mark


def mark_of(part: Part, finding: Finding, *, made_up_times: bool) -> Mark:
    """The mark of a part; `made_up_times` if requests of a made-up workload came at times of its own."""
    if finding.state in ("missing", "not run", "too few seeds"):
        return "?"
    if made_up_times and is_response(part.number.figure):
        sizes = [label for label in finding.numbers if _has_size(part, label)]
        if sizes:
            return "X" if any(_is_opposite(part, label, finding) for label in sizes) else "?"
    if finding.state == "inside":
        return "="
    if finding.state == "crosses":
        return "~"
    if part.equals is not None:
        return "-"
    return worst(_outside(part, label, finding) for label in finding.numbers if _is_outside(part, label, finding))


def worst(marks: Iterable[Mark]) -> Mark:
    """The worst of some marks; what is not comparable counts only where nothing else is."""
    found = set(marks)
    known = [mark for mark in MARKS if mark in found and mark != "?"]
    return known[-1] if known else "?"


def effect_of(part: Part, finding: Finding) -> tuple[float, float] | None:
    """Least and most effect over the paper's, of all labels; 1 is the paper's, below 0 the opposite.

    `None` without a paper's number.
    """
    ratios: list[float] = []
    for label in finding.numbers:
        paper = _size(part, label)
        if not paper:
            return None
        ratios += [_effect(value, part) / paper for value in _ends(label, finding)]
    return (min(ratios), max(ratios)) if ratios else None


def _is_outside(part: Part, label: str, finding: Finding) -> bool:
    band = part.band(label)
    return place(_interval(label, finding), band.low, band.high) == "outside"


def _has_size(part: Part, label: str) -> bool:
    """Whether the paper says how much changes."""
    return part.equals is not None or _size(part, label) != 0


def _is_opposite(part: Part, label: str, finding: Finding) -> bool:
    """Whether all of an interval lies on the other side of no change than the paper's number."""
    return all(_effect(end, part) * _size(part, label) < 0 for end in _ends(label, finding))


def _size(part: Part, label: str) -> float:
    """The paper's effect, of a range that of its middle; 0 where it says that nothing changes, or gives an order."""
    ends = None if part.equals is not None else part.band(label).paper
    if ends is None:
        return 0.0
    low, high = ends
    paper = (_effect(low, part) + _effect(high, part)) / 2
    return paper if abs(paper) >= _NOTHING else 0.0


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
    interval = _interval(label, finding)
    return interval.low, interval.high


def _interval(label: str, finding: Finding) -> Interval:
    value = float(finding.numbers[label])
    return finding.intervals.get(label) or Interval(value, value, value)


def _effect(value: float, part: Part) -> float:
    """A number without what it is when nothing changes."""
    if part.unit == "factor":
        return math.log(max(value, _NOTHING))
    return value
