"""The page of an analysis."""

from rewear.analysis import Analysis
from rewear.page.analysis_figures import sections
from rewear.page.analysis_words import figures, findings, headline, operation_rows, summary
from rewear.page.templates import render_template

__all__ = ["render_analysis"]


def render_analysis(analysis: Analysis, command: str | None = None) -> str:
    """The page as HTML text. The same analysis gives the same bytes."""
    headings, rows = operation_rows(analysis)
    return render_template(
        "analysis.html.j2",
        data=analysis.to_dict(),
        name=analysis.name,
        headline=headline(analysis),
        summary=summary(analysis),
        findings=findings(analysis),
        operations={"headings": headings, "rows": rows},
        sections=sections(analysis),
        figures=figures(analysis),
        command=command,
    )
