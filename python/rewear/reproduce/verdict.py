"""From numbers and bands to verdicts."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rewear.reproduce.claims import Claim, Part
from rewear.reproduce.number import Numbers, Runs, UnknownError, evaluate
from rewear.sweep.settings import is_number
from rewear.units import format_count, format_number, format_time

__all__ = ["Finding", "Verdict", "judge", "write_number"]

Word = Literal["holds", "differs", "cannot be told here"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one part."""

    says: str
    numbers: Numbers
    expected: str
    inside: bool | None
    """Whether the numbers are where they must be; `None` if there are none."""
    measured: str
    """The numbers in words, or why there are none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a claim."""

    claim: Claim
    word: Word
    findings: tuple[Finding, ...]
    causes: tuple[tuple[str, Finding], ...]
    """What was switched as a reason, and what that gave."""
    why: str
    """By how much it differs and why, or what would be needed to tell; empty where it holds."""
    stand_in: str = ""
    """How far stand-ins are off, if it uses one."""


def judge(claim: Claim, runs: Mapping[str, Runs], originals: Collection[str] = ()) -> Verdict:
    """The verdict on a claim from the results of its experiments by name; `originals` replayed the paper's traces."""
    if claim.needs is not None:
        return Verdict(claim, "cannot be told here", (), (), f"Needed: {claim.needs}")
    findings = tuple(_find(part, runs) for part in claim.parts)
    causes = tuple((cause.says, _find(cause.part, runs)) for cause in claim.causes)
    if any(finding.inside is None for finding in findings):
        first = next(finding for finding in findings if finding.inside is None)
        return Verdict(claim, "cannot be told here", findings, causes, f"{first.says}: {first.measured}.")
    own = set(claim.experiments) <= set(originals)
    outside = [finding for finding in findings if not finding.inside]
    if not outside:
        return Verdict(claim, "holds", findings, causes, "")
    if claim.of_traces and not own:
        lead = "Needed: the original traces, of which this is a statement. Those here are others:"
        return Verdict(claim, "cannot be told here", findings, causes, f"{lead} {_why(outside, len(findings), causes)}")
    return Verdict(claim, "differs", findings, causes, _why(outside, len(findings), causes))


def _find(part: Part, runs: Mapping[str, Runs]) -> Finding:
    expected = _expected(part)
    try:
        if part.number.experiment not in runs:
            raise UnknownError(f"the experiment {part.number.experiment} was not run")
        numbers = evaluate(part.number, runs[part.number.experiment])
    except UnknownError as error:
        return Finding(part.says, {}, expected, None, str(error))
    return Finding(part.says, numbers, expected, _inside(part, numbers), _measured(part, numbers))


def _inside(part: Part, numbers: Numbers) -> bool:
    if part.equals is not None:
        given = numbers[""] if set(numbers) == {""} else numbers
        return bool(given == part.equals)
    hits = [_between(part, value) for value in numbers.values()]
    return sum(hits) >= part.share * len(hits) - 1e-9


def _between(part: Part, value: Any) -> bool:
    return (part.low is None or value >= part.low) and (part.high is None or value <= part.high)


def _measured(part: Part, numbers: Numbers) -> str:
    if part.equals is not None and _inside(part, numbers):
        return "equal"
    texts = [f"{label} {write_number(value, part.unit)}".strip() for label, value in numbers.items()]
    return ", ".join(texts)


def _expected(part: Part) -> str:
    def write(value: float) -> str:
        return write_number(value, part.unit)

    if part.equals is not None:
        return "equal" if isinstance(part.equals, dict | list) else write_number(part.equals, part.unit)
    if part.low is None or part.high is None:
        band = f"at most {write(part.high)}" if part.high is not None else f"at least {write(part.low or 0.0)}"
    elif part.low == part.high:
        band = write(part.low)
    else:
        band = f"{write(part.low)} to {write(part.high)}"
    return band if part.share == 1 else f"{band} for {part.share:.0%}"


def _why(outside: list[Finding], parts: int, causes: tuple[tuple[str, Finding], ...]) -> str:
    missed = "; ".join(f"{finding.says}: {finding.measured}, not {finding.expected}" for finding in outside)
    lead = f"{len(outside)} of {parts} parts: " if parts > 1 else ""
    sentences = [f"{lead}{missed}."]
    for says, found in causes:
        if found.inside is None:
            end = f"not tested ({found.measured})"
        else:
            end = f"{found.says}: {found.measured}" + ("" if found.inside else f", which was to be {found.expected}")
        sentences.append(f"{says} {end}.")
    return " ".join(sentences)


def _signed(value: float, unit: str) -> str:
    text = f"{100 * value:+.1f}".replace("-", "\N{MINUS SIGN}")
    return text + unit


_WRITERS: dict[str, Callable[[Any], str]] = {
    "percent": lambda value: f"{100 * value:.3g}%",
    "change": lambda value: _signed(value, "%"),
    "points": lambda value: _signed(value, " points"),
    "factor": lambda value: f"x {value:.3g}",
    "count": lambda value: format_count(round(value)),
    "time": lambda value: format_time(value),
    "plain": lambda value: format_number(value) if is_number(value) else str(value),
}


def write_number(value: Any, unit: str) -> str:
    """A number in words; anything else as it is."""
    return _WRITERS[unit](value) if is_number(value) else str(value)
