"""Puts a reproduction into its template."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rewear.page.templates import render_template
from rewear.reproduce.agreement import MARKS, Mark

if TYPE_CHECKING:
    from rewear.reproduce.result import Reproduction

__all__ = ["render_reproduction"]

_CLASSES = {
    "holds": "better",
    "differs": "worse",
    "within noise": "even",
    "cannot be told": "even",
    "not run": "even",
}


def render_reproduction(reproduction: "Reproduction", svgs: Mapping[str, str], command: str | None = None) -> str:
    """The page as HTML text, with the figures by name as SVG elements. The same results give the same bytes."""
    from rewear.reproduce.screen import LEGEND, counts, differs, effect_in_words, screen

    figures = {
        paper.about.paper: [
            (drawing.plan, drawing.wide, svgs[drawing.plan.name]) for drawing in paper.drawings if not drawing.empty
        ]
        for paper in reproduction.papers
    }
    return render_template(
        "reproduction.html.j2",
        papers=reproduction.papers,
        screen=screen(reproduction),
        effect_in_words=effect_in_words,
        legend=LEGEND,
        marks=MARKS,
        paper_prefix={paper.about.paper: paper.about.prefix for paper in reproduction.papers},
        headline=_headline(counts(screen(reproduction))),
        differs=differs,
        counts=reproduction.count(),
        total=len(reproduction.verdicts),
        verdicts=reproduction.verdicts,
        figures=figures,
        classes=_CLASSES,
        real_traces=reproduction.real,
        quick=reproduction.quick,
        runs=len({row["key"] for row in reproduction.rows()}),
        command=command,
    )


def _headline(sentences: Mapping[Mark, int]) -> str:
    """How many of the papers' sentences came out as they stand, how many nearly, and how many the other way."""
    total = sum(sentences.values())
    if not total:
        return "No measured claim is among these"
    near, opposite = sentences["+"] + sentences["-"], sentences["X"]
    return (
        f"Of {total} sentences {sentences['=']} hold, {sentences['~']} within noise; {near} have the paper's direction "
        f"and another size, {opposite} the opposite, {sentences['?']} cannot be compared"
    )
