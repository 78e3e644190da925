"""From numbers and bands to verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from rewear.reproduce.agreement import Sentence, worst
from rewear.reproduce.claims import Claim
from rewear.reproduce.conditions import remarks
from rewear.reproduce.finding import LEAST_SEEDS, Finding, Mark, find
from rewear.reproduce.number import Runs
from rewear.reproduce.sources import KINDS, MADE_UP
from rewear.reproduce.stand_ins import StandIns
from rewear.reproduce.switch import Switch

Word = Literal["holds", "differs", "within noise", "cannot be told", "not run"]
WORDS: tuple[Word, ...] = get_args(Word)

Role = Literal["cause", "hint", "either reading", "depends on it", "not run"]


@dataclass(frozen=True, slots=True)
class Switched:
    """The outcome of a claim under a switch."""

    switch: Switch
    findings: tuple[Finding, ...]
    role: Role
    """`cause`: the claim does not hold, and all parts lie inside under the switch. `hint`: not all do.
    `either reading`: it holds both ways. `depends on it`: it holds only without the switch."""

    @property
    def inside(self) -> int:
        """Parts that lie inside under the switch."""
        return sum(finding.state == "inside" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a claim."""

    claim: Claim
    word: Word
    findings: tuple[Finding, ...]
    switched: tuple[Switched, ...]
    why: str
    """By how much it differs, or what would be needed to tell; empty where it holds."""
    remarks: tuple[str, ...] = ()
    """Runs behind it that were flooded or never cleaned."""
    stand_in: bool = False
    """Whether it rests on a stand-in."""
    replayed: tuple[tuple[str, ...], ...] = ()
    """Kinds of what the runs of each part replay, words of `KINDS`."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the paper that it tests, and how near each comes."""
        return sentences_of(self.claim, self.findings)

    @property
    def runs_on(self) -> tuple[str, ...]:
        """Kinds of what its runs replay, the best first."""
        return tuple(kind for kind in KINDS if any(kind in part for part in self.replayed))

    @property
    def stripe(self) -> str:
        """One character for each sentence."""
        return "".join(sentence.mark for sentence in self.sentences)


def judge(claim: Claim, runs: Mapping[str, Runs], stand_ins: StandIns) -> Verdict:
    """The verdict on a claim from the results of its experiments by name, and from what these replayed."""
    if claim.needs is not None:
        return Verdict(claim, "cannot be told", (), (), f"Needed: {claim.needs}")

    def found(switch: Switch | None = None) -> tuple[Finding, ...]:
        numbers = [part.number if switch is None else switch.applied(part.number) for part in claim.parts]
        findings = [find(part, runs, number) for part, number in zip(claim.parts, numbers, strict=True)]
        return tuple(
            replace(each, mark=stand_ins.mark(part, each)) for part, each in zip(claim.parts, findings, strict=True)
        )

    findings = found()
    own = {part.number.experiment for part in claim.parts} <= stand_ins.originals
    word, why = _word(claim, findings, own)
    switched = [_switched(switch, found(switch), word) for switch in claim.switches]
    if claim.of_traces and word == "cannot be told":
        findings = _unmarked(findings)
        switched = [replace(each, findings=_unmarked(each.findings)) for each in switched]
    replayed = tuple(stand_ins.runs_on((part.number,)) for part in claim.parts)
    stand_in = MADE_UP in stand_ins.runs_on(claim.numbers)
    return Verdict(claim, word, findings, tuple(switched), why, _remarks(findings), stand_in, replayed)


def _unmarked(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(replace(each, mark="?") for each in findings)


def sentences_of(claim: Claim, findings: Sequence[Finding]) -> tuple[Sentence, ...]:
    """The sentences that a claim tests, each with the worst mark of its parts; a claim without parts is one."""
    found: dict[str, list[Mark]] = {}
    for part, finding in zip(claim.parts, findings, strict=True):
        found.setdefault(part.sentence, []).append(finding.mark)
    return tuple(Sentence(says, worst(each)) for says, each in found.items()) or (Sentence(claim.text, "?"),)


def _word(claim: Claim, findings: tuple[Finding, ...], own: bool) -> tuple[Word, str]:
    by_state = {state: [each for each in findings if each.state == state] for state in _ORDER}
    if by_state["not run"]:
        return "not run", f"{len(by_state['not run'])} of {len(findings)} parts were not run for this page."
    if by_state["missing"]:
        first = by_state["missing"][0]
        return "cannot be told", f"{first.says}: {first.measured}."
    outside = by_state["outside"]
    if claim.of_traces and not own:
        lead = "A statement about the paper's own traces, which others can neither show nor disprove (--traces)."
        return "cannot be told", f"{lead} On those here {_missed(outside, len(findings)) or 'all parts would hold.'}"
    if outside:
        return "differs", _missed(outside, len(findings))
    if by_state["too few seeds"]:
        names = ", ".join(each.says for each in by_state["too few seeds"])
        return "cannot be told", f"Fewer than {LEAST_SEEDS} seeds, so there is no interval: {names}."
    if by_state["crosses"]:
        lead = "The interval crosses the end of the band:"
        return "within noise", f"{lead} {_missed(by_state['crosses'], len(findings))}"
    return "holds", ""


def _remarks(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Conditions of the drives behind the claim's own parts, each run once."""
    return remarks({id(row): row for finding in findings for row in finding.rows}.values())


_ORDER = ("not run", "missing", "outside", "too few seeds", "crosses", "inside")


def _missed(findings: list[Finding], parts: int) -> str:
    if not findings:
        return ""
    lead = f"{len(findings)} of {parts} parts: " if parts > 1 else ""
    return lead + "; ".join(f"{each.says}: {each.measured}, not {each.expected}" for each in findings) + "."


def _switched(switch: Switch, findings: tuple[Finding, ...], word: Word) -> Switched:
    if any(finding.state == "not run" for finding in findings) or word == "not run":
        return Switched(switch, findings, "not run")
    all_inside = all(finding.state == "inside" for finding in findings)
    if word == "holds":
        return Switched(switch, findings, "either reading" if all_inside else "depends on it")
    return Switched(switch, findings, "cause" if all_inside else "hint")
