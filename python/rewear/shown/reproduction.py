"""The page of a reproduction: that of the documentation, with its figures drawn."""

from rewear.page.blocks import Answer, Markdown
from rewear.reproduce.draw import chart_of
from rewear.reproduce.markdown import FIRST, markdown
from rewear.reproduce.result import Reproduction
from rewear.reproduce.screen import counts, in_words, screen


def reproduction_page(reproduction: Reproduction) -> Answer:
    """The page. The same results give the same bytes."""
    runs = len({row["key"] for row in reproduction.rows()})
    _, _, text = markdown(reproduction, "figures/").partition(f"\n\n{FIRST}")
    # The rest of the first paragraph is the page's headline, and a sentence on it.
    _, _, below = text.partition(".** ")
    charts = {drawing.plan.name: chart_of(drawing) for drawing in reproduction.drawings}
    return Answer(
        "reproduction",
        in_words(counts(screen(reproduction))),
        (),
        details=[
            Markdown(f"From {runs:,} runs and studies. {FIRST}. {below}", charts, {"holds": True, "differs": False})
        ],
        ending=". The configuration of every run lies in runs.parquet beside this page",
    )
