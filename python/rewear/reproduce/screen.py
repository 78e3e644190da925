"""The first screen: a paper in a few lines, for who wants to know what holds, by how much, and why not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewear.reproduce.agreement import MARKS, effect_of, mark_of, worst
from rewear.reproduce.claims import REASONS, Claims, Part
from rewear.reproduce.finding import Finding, Mark
from rewear.reproduce.real_traces import RealTable
from rewear.reproduce.result import PaperResult, Reproduction
from rewear.reproduce.verdict import Switched, Verdict, sentences_of
from rewear.reproduce.words import stated, write_number

LEGEND = ", ".join(f"`{mark}` {words}" for mark, words in MARKS.items())
"""The meaning of a stripe's characters."""

OTHER_READING, REAL = "other reading", "real traces"
"""Begin the setting of a headline result that is not the setting of all claims."""


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline result of a paper."""

    says: str
    runs_on: str
    paper: str
    here: str
    mark: Mark
    effect: tuple[float, float] | None
    """`None` where nothing can be compared, or the paper gives an order and no number."""


@dataclass(frozen=True, slots=True)
class Stripe:
    """How near the sentences of a paper come under one reading of it."""

    reading: str
    """The reading; empty for the setting of all claims."""
    claims: tuple[tuple[str, str], ...]
    """The name of each measured claim and a character for each of its sentences."""

    @property
    def counts(self) -> dict[Mark, int]:
        """Sentences by mark."""
        marks = "".join(stripe for _, stripe in self.claims)
        return {mark: marks.count(mark) for mark in MARKS}


@dataclass(frozen=True, slots=True)
class PaperLines:
    """A paper on the first screen."""

    about: Claims
    headlines: tuple[Headline, ...]
    stripes: tuple[Stripe, ...]
    """Of the paper, of each other reading of it, and of real traces."""
    reasons: tuple[str, ...]
    """Why sentences differ, in the order of `REASONS`."""
    before: dict[str, dict[str, int]]
    """Sentences by mark on earlier pages, by day, the last one first; none if not all of the paper was asked for."""

    @property
    def paper(self) -> str:
        """Its short name."""
        return self.about.paper


def screen(reproduction: Reproduction) -> list[PaperLines]:
    """Results of each paper with a requested measurement."""
    papers = reproduction.papers
    found = (_lines(paper, reproduction.real.of(paper.about.paper)) for paper in papers)
    return [lines for lines in found if lines.stripes[0].claims]


def counts(lines: Sequence[PaperLines]) -> dict[Mark, int]:
    """Sentences of all papers by mark, under the settings of all claims."""
    return _sum(each.stripes[0].counts for each in lines)


def before(lines: Sequence[PaperLines]) -> dict[str, dict[Mark, int]]:
    """The same on the earlier pages that have all of these papers, by their day."""
    days = [day for day in (lines[0].before if lines else ()) if all(day in each.before for each in lines)]
    return {day: _sum(each.before[day] for each in lines) for day in days}


def in_words(sentences: Mapping[Mark, int]) -> str:
    """How many of the papers' sentences came out as they stand, how many nearly, and how many the other way."""
    total = sum(sentences.values())
    if not total:
        return "No measured claim is among these"
    near, opposite = sentences["+"] + sentences["-"], sentences["X"]
    return (
        f"Of {total} sentences {sentences['=']} lie inside their bands and {sentences['~']} within noise, {near} have "
        f"the paper's direction and another size, {opposite} the opposite; {sentences['?']} cannot be compared"
    )


def differs(verdict: Verdict) -> bool:
    """Whether a sentence of a claim is known to come out otherwise than the paper has it."""
    return bool(set(verdict.stripe) & set("+-X"))


def effect_in_words(headline: Headline) -> str:
    """An effect over the paper's: `0.94`, or its least and its most."""
    if headline.mark == "?":
        return "not comparable"
    if headline.effect is None:
        return ""
    low, high = (f"{end:.2f}".replace("-", "\N{MINUS SIGN}") for end in headline.effect)
    return low if low == high else f"{low} to {high}"


def _sum(counted: Iterable[Mapping[Any, int]]) -> dict[Mark, int]:
    listed = list(counted)
    return {mark: sum(each.get(mark, 0) for each in listed) for mark in MARKS}


def _lines(paper: PaperResult, real: Sequence[RealTable]) -> PaperLines:
    measured = [verdict for verdict in paper.verdicts if verdict.claim.kind == "measured"]
    readings = {each.switch.says: f"{OTHER_READING}: {each.switch.says}" for each in _readings(measured)}
    apart = [verdict for verdict in measured if differs(verdict)]
    whole = len(measured) == sum(claim.kind == "measured" for claim in paper.about.claims)
    on_real = Stripe(REAL, tuple(_on_real(measured, real)))
    return PaperLines(
        about=paper.about,
        headlines=tuple(headline for verdict in measured for headline in _headlines(verdict, real)),
        stripes=(
            _stripe(measured, "", ""),
            *(_stripe(measured, says, name) for says, name in readings.items()),
            *([on_real] if on_real.claims else []),
        ),
        reasons=tuple(reason for reason in REASONS if any(reason in verdict.claim.reasons for verdict in apart)),
        before=dict(sorted(paper.about.before.items(), reverse=True)) if whole else {},
    )


def _readings(measured: Sequence[Verdict]) -> Iterator[Switched]:
    return (each for verdict in measured for each in verdict.switched if each.switch.reading)


def _stripe(measured: Sequence[Verdict], says: str, reading: str) -> Stripe:
    """The sentences under a reading; claims that it does not touch are as they are."""
    claims = []
    for verdict in measured:
        read = [each.findings for each in _readings([verdict]) if each.switch.says == says]
        sentences = sentences_of(verdict.claim, read[0]) if read else verdict.sentences
        claims.append((verdict.claim.name, "".join(sentence.mark for sentence in sentences)))
    return Stripe(reading, tuple(claims))


def _on_real(measured: Sequence[Verdict], real: Sequence[RealTable]) -> Iterator[tuple[str, str]]:
    """The sentences that real traces test."""
    for verdict in measured:
        found: dict[str, list[Mark]] = {}
        for table in real:
            for part, finding in _tested(table, verdict):
                found.setdefault(part.sentence, []).append(finding.mark)
        if found:
            yield verdict.claim.name, "".join(map(worst, found.values()))


def _tested(table: RealTable, verdict: Verdict) -> Iterator[tuple[Part, Finding]]:
    """Parts that real traces test, with the marks of their findings."""
    for part, finding in table.test(verdict.claim):
        yield part, replace(finding, mark=mark_of(part, finding, made_up_times=False))


def _headlines(verdict: Verdict, real: Sequence[RealTable]) -> Iterator[Headline]:
    """Those of the claim, each followed by what other readings of the paper and real traces give."""
    on_real = {part.says: finding for table in real for part, finding in _tested(table, verdict)}
    for place, part in enumerate(verdict.claim.parts):
        if not part.headline or not verdict.findings:
            continue
        yield _headline(part, ", ".join(verdict.replayed[place]), verdict.findings[place])
        for each in _readings([verdict]):
            yield _headline(part, f"{OTHER_READING}: {each.switch.says}", each.findings[place])
        if part.says in on_real:
            yield _headline(part, REAL, on_real[part.says])


def _headline(part: Part, runs_on: str, finding: Finding) -> Headline:
    effect = effect_of(part, finding) if finding.mark != "?" else None
    here = finding.measured
    if runs_on != REAL and len(finding.numbers) > 1 and len(part.bands) == 1:
        # The paper has one range for all traces, and so have we; real ones are told by their names.
        low, high = (write_number(end(finding.numbers.values()), part.unit) for end in (min, max))
        here = low if low == high else f"{low} to {high}"
    return Headline(part.headline, runs_on, stated(part), here, finding.mark, effect)
