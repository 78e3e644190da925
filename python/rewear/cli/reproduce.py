"""`rewear reproduce`: every claim of the papers, one verdict each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewear.cli import options as opt
from rewear.cli.output import answer, command_line, errors
from rewear.cli.progress import run_bar
from rewear.figures.units import format_time
from rewear.page.blocks import Part, Table
from rewear.sweep.execute import PATIENCE_S
from rewear.sweep.store import DEFAULT_STORE

if TYPE_CHECKING:
    from rewear.reproduce import Progress, Reproduction
    from rewear.reproduce.run import Plan


def reproduce_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER[.FIGURE]]...",
            help="What to reproduce; everything unless given.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Trial of some seconds; its verdicts mean nothing.")] = False,
    traces: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the papers' original traces."),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the page, the figures, the verdicts and the runs.")
    ] = Path("out/reproduction"),
    scheduler: opt.Scheduler = None,
    workers: opt.Workers = None,
    patience: opt.Patience = PATIENCE_S,
    finished: Annotated[
        bool,
        typer.Option("--finished", help="Judge finished runs only; run nothing."),
    ] = False,
    store: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of finished runs.")] = DEFAULT_STORE,
    papers: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder experiments/papers/; default: the checkout's.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the documentation's page, too.")] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Reproduce the papers: run the experiment of each claim, draw figures, give verdicts.

    Runs that have finished are not run again: after an interruption the same command goes on.
    """
    from rewear.reproduce import reproduce

    with run_bar() as tell:

        def progress(state: "Progress") -> None:
            tell(state.label, state.done, state.total, _line(state), state.failure is not None)

        reproduction = reproduce(
            names or (),
            quick=quick,
            traces=traces,
            papers=papers,
            scheduler=scheduler,
            workers=workers,
            patience_s=opt.patience(patience),
            store=store,
            finished_only=finished,
            # Nothing is run then, so there is no way to show.
            progress=None if finished else progress,
            planned=_print_plan,
        )
    reproduction.save(out, command=command_line())
    if markdown is not None:
        reproduction.save_markdown(markdown)
    answer(json, reproduction.to_dict, lambda: _told(reproduction), out / "index.html")


def _print_plan(plan: "Plan") -> None:
    for line in (*plan.traces, f"{plan}."):
        errors().print(line, soft_wrap=True, markup=False, highlight=False)


def _told(reproduction: "Reproduction") -> list[Part]:
    """Of one paper all claims; of several the first screen, which fits a screen."""
    several = len(reproduction.papers) > 1
    claims: list[Part] = [] if several else [_table(reproduction), ""]
    return [*claims, *_screen(reproduction, several), _summary(reproduction)]


def _table(reproduction: "Reproduction") -> Table:
    rows = [
        (
            verdict.claim.name,
            verdict.claim.kind,
            verdict.word,
            verdict.stripe if verdict.claim.kind == "measured" else "",
            verdict.why or verdict.claim.text,
        )
        for verdict in reproduction.verdicts
    ]
    return Table(("claim", "kind", "strict verdict", "sentences", ""), rows, numbers=False)


def _screen(reproduction: "Reproduction", brief: bool) -> list[Part]:
    """The headline results, and a stripe for each paper; nothing where no measured claim was asked for.

    In brief without other readings and real traces.
    """
    from rewear.reproduce.screen import LEGEND, OTHER_READING, REAL, counts, effect_in_words, in_words, screen

    papers = screen(reproduction)
    if not papers:
        return []
    headlines = [
        (each.paper, line.says, line.runs_on, line.paper, line.here, effect_in_words(line))
        for each in papers
        for line in each.headlines
        if not brief or not line.runs_on.startswith((OTHER_READING, REAL))
    ]
    sentences = [
        (
            stripe.reading or each.paper,
            " ".join(f"{claim} {marks}" for claim, marks in stripe.claims),
            "" if stripe.reading else ", ".join(each.reasons),
        )
        for each in papers
        for stripe in each.stripes
        if not brief or not stripe.reading
    ]
    columns = ("paper", "headline result", "runs on", "the paper", "here", "effect")
    head: list[Part] = [Table(columns, headlines, numbers=False), ""] if headlines else []
    told = Table(("paper", "sentences", "why they differ"), sentences, numbers=False)
    return [*head, told, f"One character for each sentence: {LEGEND}.", f"{in_words(counts(papers))}.", ""]


def _summary(reproduction: "Reproduction") -> str:
    lines = []
    for kind, words in reproduction.count().items():
        if any(words.values()):
            text = ", ".join(f"{count} {word}" for word, count in words.items() if count)
            lines.append(f"{sum(words.values())} {kind}: {text}.")
    trial = " A trial (--quick): these verdicts say nothing." if reproduction.quick else ""
    return f"{' '.join(lines)}{trial}"


def _line(state: "Progress") -> str | None:
    """Words on a run that was done now, or failed."""
    if not state.done_now and state.failure is None:
        return None
    end = f"failed: {state.failure}" if state.failure is not None else f"done in {format_time(state.took_s * 1e9)}"
    return f"{state.done} of {state.total}: {state.label}: {end}"
