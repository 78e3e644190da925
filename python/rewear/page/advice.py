"""The page of an advice."""

from rewear.advice.advice import Advice, Row, life_of, response_of
from rewear.advice.columns import cell, columns
from rewear.advice.scaling import scaling_sentences
from rewear.advice.words import elsewhere_sentence
from rewear.page.advice_figures import advice_plots
from rewear.page.glossary import glossary
from rewear.page.templates import render_template
from rewear.units import format_bytes, format_number, format_ratio

__all__ = ["render_advice"]


def render_advice(advice: Advice, command: str | None = None) -> str:
    """The page as HTML text; the same answer gives the same bytes."""
    shown = columns(advice)

    def cells(row: Row) -> list[str]:
        return [cell(row, key) for _, key in shown]

    return render_template(
        "advice.html.j2",
        data=advice.to_dict(),
        headline=_headline(advice),
        advice=advice,
        size=f"{format_bytes(advice.plan.flash_bytes)} of {advice.chip.name} flash, "
        f"{format_bytes(advice.plan.capacity_bytes)} exported",
        seeds=len(advice.plan.seeds),
        titles=[title for title, _ in shown],
        rows=[(row, cells(row)) for row in advice.rows],
        tried=[(row, cells(row)) for row in advice.tried],
        front=advice.front,
        slowdown=format_number(advice.slowdown, 2),
        scaled=scaling_sentences(advice.plan),
        elsewhere_sentence=elsewhere_sentence,
        cells=cells,
        plots=advice_plots(advice),
        glossary=glossary("advice"),
        command=command,
    )


def _headline(advice: Advice) -> str:
    best, plain = advice.best, advice.reference
    if advice.is_too_short:
        return "The workload is too short to tell: nothing was erased"
    if best is plain:
        if advice.longest is not best:
            return "Longer lives cost too much: take the plain drive"
        return "No technique helps: take the plain drive"
    if life_of(best) < life_of(plain) * 1.01:
        quicker = format_ratio(response_of(best), response_of(plain))
        return f"{best.label}: no longer life, {quicker} the response"
    life = format_ratio(life_of(best), life_of(plain))
    return f"{best.label}: {life} the life at {format_ratio(response_of(best), response_of(plain))} the response"
