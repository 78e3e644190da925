"""`rewear ci`: a benchmark's write amplification beside that of a base, as a test."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rewear import ci
from rewear.ci.comment import HEADINGS, notes, sentences, table
from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_trace
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.core.errors import ConfigurationError
from rewear.core.files import write_text
from rewear.core.interrupts import end_in_order
from rewear.core.leftovers import temporary_folder
from rewear.core.trace import Trace
from rewear.figures.units import parse_bytes, parse_share
from rewear.page.blocks import Part, Table

WORSE = 1
"""Exit code where a judged figure is worse than the limit."""
_BASE = "What it is compared with (one of these)"


def ci_command(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND...", help="The benchmark, run in a fresh ext4. Root.", show_default=False),
    ] = None,
    traces: Annotated[
        list[str] | None,
        typer.Option("--trace", metavar="FILE", help="A recording of a run instead of a command; may be repeated."),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Figures of the base, from its --out.", rich_help_panel=_BASE),
    ] = None,
    base_checkout: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Checkout of the base; the command runs there, too.", rich_help_panel=_BASE
        ),
    ] = None,
    base_traces: Annotated[
        list[str] | None,
        typer.Option("--base-trace", metavar="FILE", help="A recording of the base.", rich_help_panel=_BASE),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES/UNIT",
            help="Bytes that may reach the drive a minute, hour, day, run or operation, as 1GB/day. Needs no base.",
        ),
    ] = None,
    operations: Annotated[
        int | None, opt.whole(most=10**15, help="Operations of a run, for a budget of BYTES/operation.")
    ] = None,
    worse: Annotated[str, typer.Option(metavar="PERCENT", help="Allowed worsening of a judged figure.")] = "5%",
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--judge", metavar="flash|life|waf|p99", help="Judged figure; may be repeated. [default: flash, life]"
        ),
    ] = None,
    drives: Annotated[
        list[str] | None,
        typer.Option(
            "--drive",
            metavar="[LABEL=]DRIVE[:key=value,...]",
            help=f"A preset or TOML file; may be repeated. [default: {', '.join(ci.DRIVES)}]",
        ),
    ] = None,
    settings: opt.Settings = None,
    fills: Annotated[
        list[str] | None,
        typer.Option("--fill", metavar="PERCENT", help="Fill of the drives; may be repeated. [default: 50%, 80%, 95%]"),
    ] = None,
    runs: Annotated[int, opt.whole(most=100, help="Runs of the command on each side.")] = 3,
    size: Annotated[str, typer.Option(metavar="BYTES", help="Size of the file system, as 1GiB or 512MiB.")] = "1GiB",
    checkout: Annotated[str, typer.Option(metavar="FOLDER", help="Checkout to measure.")] = ".",
    keep: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder for the recordings.")] = None,
    out: Annotated[Path | None, opt.output(metavar="FILE.json", help="File for the figures, as a later base.")] = None,
    markdown: Annotated[
        Path | None, opt.output(metavar="FILE.md", help="Markdown file for the answer, as a comment.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the comment.", show_default=False)] = None,
    jobs: opt.Jobs = None,
    json: opt.JsonOutput = False,
) -> None:
    """Test a change for drive wear: exit code 1 if a benchmark wears drives faster.

    Records the command (root, Linux) or takes recordings, replays them on named drives at three fills, and sets bytes
    to flash, life, write amplification and p99 beside those of a base.

        sudo rewear ci --out base.json -- ./bench.sh
        sudo rewear ci --base base.json --worse 5% --markdown comment.md -- ./bench.sh
        sudo rewear ci --base-checkout ../main -- ./bench.sh
        sudo rewear ci --budget 1GB/day -- ./idle-for-a-minute.sh
    """
    end_in_order()
    if bool(command) == bool(traces):
        raise ConfigurationError("There is nothing to measure, or twice. Give either -- COMMAND or --trace FILE.")
    if sum(bool(given) for given in (base, base_checkout, base_traces)) > 1:
        raise ConfigurationError("There are several bases. Give one of --base, --base-checkout and --base-trace.")
    if base_checkout is not None and not command:
        raise ConfigurationError("A checkout needs a command that runs from it. Give -- COMMAND, or --base-trace.")
    change, before = _checkout("--checkout", checkout), None
    if base_checkout is not None:
        before = _checkout("--base-checkout", base_checkout)
        if before.samefile(change):
            raise ConfigurationError(
                f"--base-checkout {base_checkout} is the folder that is measured, so nothing is compared. Name a "
                "checkout of the base."
            )
    bound = None if budget is None else ci.Budget.parse(budget, operations)
    if bound is None and operations is not None:
        raise ConfigurationError("--operations is for a budget. Add --budget BYTES/operation.")
    # A bound is on what reaches the drive; without a base nothing needs a replay.
    replays = bound is None or base is not None or base_checkout is not None or bool(base_traces) or out is not None
    limit = parse_share("--worse", worse, 10)
    parts = [parse_share("--fill", each, 10) for each in fills or ()] or list(ci.FILLS)
    devices = parse_drives(drives or ci.DRIVES, settings or ())
    judged = tuple(figures or ci.JUDGED)
    for figure in judged:
        if figure not in ci.FIGURES:
            raise ConfigurationError(f"--judge {figure}: there are {', '.join(ci.FIGURES)}.")
    stored = None if base is None else ci.Measurement.load(base)
    size_bytes = parse_bytes("--size", size)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with contextlib.nullcontext(keep) if keep or not command else temporary_folder("rewear-ci-") as records:

        def recorded(place: Path, name: str) -> list[Trace]:
            def say(line: str) -> None:
                print(line, file=sys.stderr, flush=True)

            def check(trace: Trace) -> None:
                if replays:
                    ci.check_size(trace, devices, parts)

            folder = Path(records or ".")
            return ci.record_runs(command or (), folder, place, name, runs, size_bytes=size_bytes, check=check, say=say)

        others: list[Trace] = []
        if before is not None:
            others = recorded(before, "base")
        elif base_traces:
            others = [parse_trace(each) for each in base_traces]
        own = recorded(change, "change") if command else [parse_trace(each) for each in traces or ()]
        spending = None if bound is None else ci.spend(bound, own)
        found = None
        if replays:
            footprint = ci.footprint([*own, *others]) if stored is None else stored.footprint_bytes
            if stored is not None:
                ci.check_larger(ci.footprint(own), footprint)
            with progress_bars() as progress:
                if others:
                    stored = ci.measure(others, devices, parts, footprint_bytes=footprint, jobs=jobs, progress=progress)
                found = ci.measure(own, devices, parts, footprint_bytes=footprint, jobs=jobs, progress=progress)
    judgement = None if stored is None or found is None else ci.judge(found, stored, worse=limit, figures=judged)
    if out is not None and found is not None:
        found.save(out)
    if markdown is not None:
        write_text(markdown, ci.comment(found, judgement, title, spending))
    answer(json, lambda: _document(found, judgement, spending), lambda: _told(found, judgement, spending))
    if not all(verdict is None or verdict.passes for verdict in (judgement, spending)):
        raise typer.Exit(WORSE)


def _checkout(option: str, name: str) -> Path:
    """The folder of a checkout; an empty name, as of a variable that is not set, is none."""
    if not name or not Path(name).is_dir():
        raise ConfigurationError(f"{option} {name!r} is no folder. Name a checkout of the source.")
    return Path(name)


def _told(found: ci.Measurement | None, judgement: ci.Judgement | None, spending: ci.Spending | None) -> list[Part]:
    parts: list[Part] = []
    if spending is not None:
        parts += spending.sentences()
        if rows := spending.rows():
            parts += ["", Table(spending.headings(), rows)]
    if found is not None:
        rows = [tuple(part.replace("**", "") for part in row) for row in table(found, judgement)]
        below = [note.replace("*", "") for note in notes(found, judgement)]
        between = [""] if parts else []
        parts += [*between, *sentences(found, judgement), "", Table(HEADINGS, rows), "", *below]
    return parts


def _document(
    found: ci.Measurement | None, judgement: ci.Judgement | None, spending: ci.Spending | None
) -> dict[str, Any]:
    import json

    document: dict[str, Any] = {}
    if found is not None:
        document["measurement"] = json.loads(found.to_json())
    if spending is not None:
        document["budget"] = spending.to_dict()
    if judgement is not None:
        document["passes"] = judgement.passes
        document["worse"] = judgement.worse
        document["rows"] = [
            {
                "figure": row.figure,
                "drive": row.cell.drive,
                "fill": row.cell.fill,
                "state": row.state,
                "ratio": row.ratio and row.ratio.bounds(),
            }
            for row in judgement.rows
        ]
    return document
