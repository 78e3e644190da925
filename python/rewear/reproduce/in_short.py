"""What came of a paper in three sentences: what holds and what does not, and two on why."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewear.reproduce.claims import Claim
from rewear.reproduce.result import PaperResult
from rewear.reproduce.verdict import WORDS

__all__ = ["InShort", "in_short"]


@dataclass(frozen=True, slots=True)
class InShort:
    """A paper on the first screen of the page."""

    measured: Sequence[tuple[str, Sequence[Claim]]]
    """Each verdict that there is, and the measured claims that have it."""
    others: Sequence[str]
    """How many definitions and settings match, if there are any."""
    why: str
    """Two sentences of the paper's file; empty where all that was measured holds."""


def in_short(paper: PaperResult) -> InShort:
    """What came of a paper, in short."""
    measured = [verdict for verdict in paper.verdicts if verdict.claim.kind == "measured"]
    others = [verdict for verdict in paper.verdicts if verdict.claim.kind != "measured"]
    by_word = [(word, [verdict.claim for verdict in measured if verdict.word == word]) for word in WORDS]
    differs = any(verdict.word in ("differs", "within noise") for verdict in measured)
    bad = [verdict.claim.id for verdict in others if verdict.word not in ("holds", "not run")]
    left = [verdict.claim.id for verdict in others if verdict.word == "not run"]
    matching = f"of {len(others)} definitions and settings {len(others) - len(bad) - len(left)} match"
    matching += f", {', '.join(bad)} do not" if bad else ""
    matching += f", {', '.join(left)} were not run" if left else ""
    return InShort(
        measured=[(word, claims) for word, claims in by_word if claims],
        others=[matching] if others else [],
        why=paper.about.why if differs else "",
    )
