"""`rewear trace`: look into traces and convert them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from rewear.cli.arguments import TRACE_OPTIONS, parse_trace
from rewear.cli.options import ContentOption, Html, JsonOutput, whole, writable
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.core.trace import trace_formats
from rewear.core.trace_proposals import Proposal, proposals
from rewear.figures.facts import trace_facts
from rewear.figures.units import format_bytes, format_time
from rewear.page.blocks import Pairs, Table
from rewear.shown.analysis import analysis_answer

app = typer.Typer(help="Inspect and convert block traces.", no_args_is_help=True)


TracePath = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:key=value,...]",
        help="A trace, plain or compressed.",
        show_default=False,
    ),
]


@app.command("info")
def info_command(file: TracePath, json: JsonOutput = False) -> None:
    """Recognize a trace and count requests, bytes, distinct pages, extent, duration."""
    trace = parse_trace(file)
    with progress_bars() as progress:
        figures = trace.info(progress=lambda state: progress(file, state))
    answer(json, lambda: figures, lambda: [Pairs(trace_facts(figures)), *proposal_lines(proposals(trace, figures))])


@app.command("analyse", hidden=True)  # its former name
@app.command("analyze")
def analyze_command(file: TracePath, html: Html = None, json: JsonOutput = False) -> None:
    """Analyze a trace: footprint, sizes, rewrite distances, overlap, content."""
    trace = parse_trace(file)
    with progress_bars() as progress:
        analysis = trace.analyze(progress=lambda state: progress(file, state))
    proposed = proposals(trace, clock_jump=analysis["clock_jump"])
    answer(
        json,
        lambda: {**analysis.to_dict(), "proposals": [asdict(each) for each in proposed]},
        lambda: analysis_answer(analysis),
        html,
        proposal_lines(proposed),
    )


def proposal_lines(proposed: Sequence[Proposal]) -> list[str]:
    """Proposals that would probably mend the trace."""
    return [f"\nTry :{each.option}. {each.because}" for each in proposed]


@app.command("head")
def head_command(
    file: TracePath,
    count: Annotated[int, whole("--count", "-n", most=100_000, help="Number of requests, up to 100,000.")] = 10,
    json: JsonOutput = False,
) -> None:
    """Print the first requests."""
    requests = parse_trace(file).head(count)
    rows = [
        (
            request["operation"],
            format_time(request["at_ns"]),
            f"{request['offset_bytes']:,}",
            format_bytes(request["length_bytes"]),
        )
        for request in requests
    ]
    answer(json, lambda: requests, lambda: [Table(("operation", "time", "offset (bytes)", "length"), rows)])


@app.command("convert")
def convert_command(
    file: TracePath,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            callback=writable,
            help="File to write: *.rwt (compact), *.csv, *.parquet or *.iolog (fio).",
            show_default=False,
        ),
    ],
    content: ContentOption = "digests",
    json: JsonOutput = False,
) -> None:
    """Convert a trace: to the compact format, to csv, Parquet or fio's iolog, by the ending of OUT."""
    trace = parse_trace(file)
    with progress_bars() as progress:
        written = trace.convert(out, lambda state: progress(str(out), state), content=content)
    told = f"{out}: {written['requests']:,} requests in {format_bytes(written['bytes'])}"
    answer(json, lambda: written, lambda: [told])


@app.command("formats")
def formats_command(json: JsonOutput = False) -> None:
    """List the trace formats and their options."""
    formats = trace_formats()
    table = Table(("format", "about"), [(entry["name"], entry["about"]) for entry in formats], numbers=False)
    options = Table(("option", "meaning"), list(TRACE_OPTIONS.items()), numbers=False)
    said = "\nOptions follow the file, as in old.trace:time_unit=ms,shift_bytes=512\n"
    answer(json, lambda: formats, lambda: [table, said, options])
