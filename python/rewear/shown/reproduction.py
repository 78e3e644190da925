"""The page of a reproduction: that of the documentation, with its figures drawn."""

from collections.abc import Mapping

from rewear.page.blocks import Markdown, Page
from rewear.reproduce.agreement import Mark
from rewear.reproduce.draw import chart_of
from rewear.reproduce.markdown import markdown
from rewear.reproduce.result import Reproduction
from rewear.reproduce.screen import counts, screen

__all__ = ["reproduction_page"]


def reproduction_page(reproduction: Reproduction) -> Page:
    """The page. The same results give the same bytes."""
    runs = len({row["key"] for row in reproduction.rows()})
    _, _, text = markdown(reproduction, "figures/", "runs.md").partition("\n\nThe first screen")
    charts = {drawing.plan.name: chart_of(drawing) for drawing in reproduction.drawings}
    return Page(
        "reproduction",
        _headline(counts(screen(reproduction))),
        [
            Markdown(
                f"From {runs:,} runs and studies. The first screen{text}", charts, {"holds": True, "differs": False}
            )
        ],
        ending=". The configuration of every run lies in runs.parquet beside this page",
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
