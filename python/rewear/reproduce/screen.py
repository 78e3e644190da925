"""The first screen: a paper in a few lines, for who wants to know what holds, by how much, and why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewear.reproduce.agreement import MARKS, Effect, Mark, effect_of
from rewear.reproduce.claims import REASONS, Part
from rewear.reproduce.finding import Finding
from rewear.reproduce.result import PaperResult, Reproduction
from rewear.reproduce.sources import KINDS
from rewear.reproduce.verdict import Verdict

__all__ = ["LEGEND", "Headline", "PaperLines", "counts", "differs", "effect_in_words", "screen"]

LEGEND = ", ".join(f"{mark} {words}" for mark, words in MARKS.items())
"""What the characters of a stripe mean."""


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline result of a paper."""

    says: str
    claim: str
    paper: str
    here: str
    effect: Effect | None
    """`None` where nothing was run, or the paper gives an order and no number."""


@dataclass(frozen=True, slots=True)
class Stripe:
    """How near the sentences of a paper come under one reading of it."""

    reading: str
    """What the reading is; empty for the setting of all claims."""
    claims: tuple[tuple[str, str], ...]
    """Each measured claim and a character for each of its sentences."""

    @property
    def counts(self) -> dict[Mark, int]:
        """Sentences by mark."""
        marks = "".join(stripe for _, stripe in self.claims)
        return {mark: marks.count(mark) for mark in MARKS}


@dataclass(frozen=True, slots=True)
class PaperLines:
    """A paper on the first screen."""

    paper: str
    venue: str
    headlines: tuple[Headline, ...]
    stripes: tuple[Stripe, ...]
    """Of the paper, and of each other reading of it."""
    runs_on: tuple[str, ...]
    reasons: tuple[str, ...]
    """Why sentences differ, in the order of `REASONS`."""


def screen(reproduction: Reproduction) -> list[PaperLines]:
    """What came of each paper of which something measured was asked."""
    return [lines for paper in reproduction.papers if (lines := _lines(paper)).stripes[0].claims]


def counts(lines: Sequence[PaperLines]) -> dict[Mark, int]:
    """Sentences of all papers by mark, under the settings of all claims."""
    return {mark: sum(each.stripes[0].counts[mark] for each in lines) for mark in MARKS}


def differs(verdict: Verdict) -> bool:
    """Whether a sentence of a claim is known to come out otherwise than the paper has it."""
    return bool(set(verdict.stripe) & set("+-X"))


def effect_in_words(effect: Effect | None) -> str:
    """An effect over the paper's: `0.94`, or its least and its most."""
    if effect is None:
        return ""
    low, high = f"{effect.low:.2f}", f"{effect.high:.2f}"
    return low if low == high else f"{low} to {high}"


def _lines(paper: PaperResult) -> PaperLines:
    measured = [verdict for verdict in paper.verdicts if verdict.claim.kind == "measured"]
    readings = dict.fromkeys(each.switch.says for verdict in measured for each in verdict.switched if each.sentences)
    apart = [verdict for verdict in measured if differs(verdict)]
    return PaperLines(
        paper=paper.about.paper,
        venue=paper.about.venue,
        headlines=tuple(headline for verdict in measured for headline in _headlines(verdict)),
        stripes=tuple(_stripe(measured, reading) for reading in ("", *readings)),
        runs_on=tuple(kind for kind in KINDS if any(kind in verdict.runs_on for verdict in measured)),
        reasons=tuple(reason for reason in REASONS if any(reason in verdict.claim.reasons for verdict in apart)),
    )


def _stripe(measured: Sequence[Verdict], reading: str) -> Stripe:
    """The sentences under a reading; claims that it does not touch are as they are."""
    claims = []
    for verdict in measured:
        other = [each for each in verdict.switched if each.sentences and each.switch.says == reading]
        sentences = other[0].sentences if other else verdict.sentences
        claims.append((verdict.claim.id, "".join(sentence.mark for sentence in sentences)))
    return Stripe(reading, tuple(claims))


def _headlines(verdict: Verdict) -> Iterator[Headline]:
    """Those of the claim, each followed by what other readings of the paper give."""
    readings = [each for each in verdict.switched if each.switch.reading]
    for place, part in enumerate(verdict.claim.parts):
        if part.headline and verdict.findings:
            yield _headline(part, part.headline, verdict.claim.id, verdict.findings[place])
            for each in readings:
                says = f"{part.headline}: {each.switch.says}"
                yield _headline(part, says, verdict.claim.id, each.findings[place])


def _headline(part: Part, says: str, claim: str, finding: Finding) -> Headline:
    effect = effect_of(part, finding) if finding.numbers else None
    return Headline(says, claim, finding.expected, finding.measured, effect)
