"""Puts a reproduction into its template."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rewear.page.templates import render_template

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
    from rewear.reproduce.in_short import in_short

    figures = {
        paper.about.paper: [
            (drawing.plan, drawing.wide, svgs[drawing.plan.name]) for drawing in paper.drawings if not drawing.empty
        ]
        for paper in reproduction.papers
    }
    return render_template(
        "reproduction.html.j2",
        papers=reproduction.papers,
        shorts=[(paper, in_short(paper)) for paper in reproduction.papers],
        headline=_headline(reproduction.count()["measured"]),
        counts=reproduction.count(),
        total=len(reproduction.verdicts),
        verdicts=reproduction.verdicts,
        figures=figures,
        classes=_CLASSES,
        quick=reproduction.quick,
        runs=len({row["key"] for row in reproduction.rows()}),
        command=command,
    )


def _headline(measured: Mapping[str, int]) -> str:
    """How many of the measured claims have each verdict."""
    several = {"holds": "hold", "differs": "differ"}
    counted = [
        f"{count} {several.get(verdict, verdict) if count > 1 else verdict}"
        for verdict, count in measured.items()
        if count
    ]
    return f"Measured claims: {', '.join(counted)}" if counted else "No measured claim is among these"
