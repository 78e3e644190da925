"""`rewear sweep`: many runs from one file."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import parse_settings
from rewear.cli.output import answer, command_line
from rewear.cli.progress import run_bar
from rewear.cli.run import INCOMPLETE
from rewear.core.files import check_writable
from rewear.figures.frames import table_file
from rewear.figures.units import format_time
from rewear.sweep.execute import PATIENCE_S
from rewear.sweep.store import DEFAULT_STORE

if TYPE_CHECKING:
    from rewear.sweep import Ended


def sweep_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to run, as TOML.", show_default=False)],
    scheduler: opt.Scheduler = None,
    workers: opt.Workers = None,
    patience: opt.Patience = PATIENCE_S,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Parquet or CSV file with a row for every run.",
            show_default="out/NAME.parquet, .csv without pyarrow",
        ),
    ] = None,
    store: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder of finished runs, shared by all sweeps.")
    ] = DEFAULT_STORE,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of all runs; may be repeated."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A trial: the settings of the file's table `quick`, or 10,000 requests a run."),
    ] = False,
    table: Annotated[bool, typer.Option("--table", help="Print figures relative to the file's reference.")] = False,
    figures: Annotated[
        list[str] | None,
        typer.Option("--figure", metavar="NAME", help="Show this figure instead of the file's; may be repeated."),
    ] = None,
    html: opt.Page = None,
    json: opt.JsonOutput = False,
) -> None:
    """Run a grid of drives, parameters, workloads and seeds on all cores or a cluster.

    Runs that have finished, in this sweep or another, are not run again: after an interruption the same command
    goes on.
    """
    # Only here: what they load takes long, and every command would wait for it.
    from rewear.shown.sweep import summary, sweep_answer
    from rewear.sweep import Sweep

    given = parse_settings(settings or (), "replay.max_requests=1000")
    sweep = Sweep.from_file(file, quick=quick, set={key: _value(value) for key, value in given.items()})
    out = table_file(Path("out") / sweep.name) if out is None else out
    check_writable(out)
    with run_bar() as tell:

        def progress(ended: "Ended") -> None:
            tell(ended.row.job.label, ended.done, ended.total, _line(ended), ended.row.status != "complete")

        results = sweep.run(
            scheduler, workers=workers, patience_s=opt.patience(patience), store=store, progress=progress
        )
    results.save_table(out)
    if html is not None:
        results.save_html(html, command=command_line(), figures=figures or ())
    shown = sweep_answer(results, figures or ())
    answer(
        json,
        results.to_dict,
        lambda: [
            *([f"{shown.first}\n", *shown.figures, ""] if table else []),
            *(f"Note: {note}" for note in results.notes),
            summary(results),
            f"Results: {out}",
        ],
        html,
    )
    if not results.complete:
        raise typer.Exit(INCOMPLETE)


def _value(text: str) -> Any:
    """A value as TOML, a bare word being a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _line(ended: "Ended") -> str | None:
    """Words on a run that was done now, or failed."""
    row = ended.row
    if not row.replayed and row.status != "failed":
        return None
    took = f" in {format_time(row.took_s * 1e9)}" if row.replayed else ""
    reason = f": {row.reason}" if row.reason else ""
    return f"{ended.done} of {ended.total}: {row.job.label}: {row.status}{took}{reason}"
