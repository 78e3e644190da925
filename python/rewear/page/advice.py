"""The page of an advice."""

from rewear.advice.advice import Advice
from rewear.advice.columns import cells, sold, techniques, terabytes, worn
from rewear.advice.words import elsewhere_sentence, headline
from rewear.page.advice_figures import lives
from rewear.page.glossary import glossary
from rewear.page.templates import render_template
from rewear.units import format_number

__all__ = ["render_advice"]


def render_advice(advice: Advice, command: str | None = None) -> str:
    """The page as HTML text; the same answer gives the same bytes."""
    return render_template(
        "advice.html.j2",
        data=advice.to_dict(),
        headline=headline(advice),
        advice=advice,
        capacity=terabytes(advice.plan.capacity_bytes),
        sold=sold(advice.sold),
        worn=worn(sold(advice.sold)),
        techniques=techniques,
        tables=[(table.name, format_number(table.flash_ratio), table) for table in advice.tables],
        cells=cells,
        elsewhere_sentence=elsewhere_sentence,
        figure=lives(advice) if advice.sold else None,
        glossary=glossary("advice"),
        command=command,
    )
