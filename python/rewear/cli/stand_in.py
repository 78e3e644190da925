"""`rewear stand-in`: profiles of traces, and how far what is made from them is from the trace."""

from pathlib import Path
from typing import Annotated

import typer

from rewear.cli.arguments import parse_trace
from rewear.cli.options import JsonOutput, output, whole
from rewear.cli.output import answer, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.trace import TracePath
from rewear.core.errors import ConfigurationError
from rewear.core.files import write_text
from rewear.figures.units import format_share, format_time
from rewear.page.blocks import Part, Table
from rewear.stand_in import SCHEMES, Worth, worth
from rewear.stand_in_errors import errors_of

app = typer.Typer(help="Makes workloads in the likeness of traces, and measures their worth.", no_args_is_help=True)


@app.command("fit")
def fit_command(
    file: TracePath,
    out: Annotated[Path, output("--out", "-o", metavar="FILE", help="TOML file to write.", show_default=False)],
    content: Annotated[
        bool, typer.Option("--content", help="Fit made-up content, too; the trace must have content.")
    ] = False,
) -> None:
    """Measures a trace's profile, from which the workload stand-in:profile=FILE makes requests like the trace's."""
    trace = parse_trace(file)
    with progress_bars() as progress:
        parameters = None
        if content:
            parameters = trace.fit_content(progress=lambda state: progress("content", state))["parameters"]
        profile = trace.fit_stand_in(parameters, progress=lambda state: progress(file, state))
    write_text(out, profile)
    print_text(f"{out}: replay it with --workload stand-in:profile={out}")


@app.command("worth")
def worth_command(
    files: Annotated[list[str], typer.Argument(metavar="FILE[:key=value,...]", help="Traces.", show_default=False)],
    drive: Annotated[str, typer.Option(metavar="DRIVE", help="Preset or TOML file.")] = "toshiba-slc",
    schemes: Annotated[
        list[str] | None,
        typer.Option("--scheme", metavar="NAME", help="Compare these schemes only, and the plain drive."),
    ] = None,
    over_provisioning: Annotated[float, typer.Option(help="Over-provisioning of every drive.")] = 0.28,
    loops: Annotated[int, whole(help="Passes over the trace and its stand-in.")] = 1,
    errors: Annotated[
        Path | None,
        output(
            metavar="FILE",
            help="Write median and worst errors as TOML, as experiments/papers/stand-in-worth.toml has them.",
        ),
    ] = None,
    json: JsonOutput = False,
) -> None:
    """Replays traces and their stand-ins under every scheme: how far erases and response times are apart."""
    known = dict(SCHEMES)
    for name in schemes or ():
        if name not in known:
            raise ConfigurationError(f"There is no scheme {name!r} to compare. There are: {', '.join(known)}.")
    chosen = [(name, settings) for name, settings in SCHEMES if not schemes or name == "plain" or name in schemes]
    traces = [parse_trace(file) for file in files]
    with progress_bars() as progress:
        results = [
            worth(trace, drive, schemes=chosen, over_provisioning=over_provisioning, loops=loops, progress=progress)
            for trace in traces
        ]
    if errors is not None:
        write_text(errors, errors_of(results).to_toml())
    answer(json, lambda: [each.to_dict() for each in results], lambda: worth_tables(results))


def worth_tables(results: list[Worth]) -> list[Part]:
    """A table for each trace: figures on the trace, and how far the stand-in's are off."""
    columns = ("scheme", "erases", "off", "relative", "off", "write", "off", "read", "off")
    forms = {
        "erases": "{:,.0f}".format,
        "relative_erases": format_share,
        "write_ns": format_time,
        "read_ns": format_time,
    }
    parts: list[Part] = []
    for result in results:
        rows = []
        for each in result.schemes:
            told = [(each.real[key], form, each.off(key)) for key, form in forms.items()]
            cells = [text for value, form, off in told for text in ("-" if value is None else form(value), _off(off))]
            rows.append([each.scheme, *cells])
        parts += [Table(columns, rows, result.trace), ""]
    return parts[:-1]


def _off(value: float | None) -> str:
    return "-" if value is None else f"{value:+.0%}".replace("-", "−")
