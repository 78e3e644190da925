"""The application: its commands, and how it ends."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rewear._core import version
from rewear.cli import (
    catalogue,
    codes,
    compare,
    parameters,
    physics,
    record,
    reproduce,
    run,
    serve,
    show,
    stand_in,
    sweep,
    top,
    trace,
)
from rewear.errors import RewearError

__all__ = ["app", "main"]

USAGE_ERROR = 2
"""Exit code of every error that the user can mend."""
INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class _InterruptedError(BaseException):
    """Ctrl-C, under a name that the libraries of the command line do not catch and end without a word."""


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _InterruptedError from None


app = typer.Typer(
    name="rewear",
    cls=_Commands,
    help="Replays real workloads on modelled flash drives and compares what each makes of its erases.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("compare")(compare.compare_command)
app.command("run")(run.run_command)
app.command("show")(show.show_command)
app.command("sweep")(sweep.sweep_command)
app.command("reproduce")(reproduce.reproduce_command)
app.command("drives")(catalogue.drives_command)
app.command("workloads")(catalogue.workloads_command)
app.command("parameters")(parameters.parameters_command)
app.command("schema")(catalogue.schema_command)
app.command("codes")(codes.codes_command)
app.command("physics")(physics.physics_command)
app.command("record")(record.record_command)
app.command("serve")(serve.serve_command)
app.command("stats")(serve.stats_command)
app.command("top")(top.top_command)
app.add_typer(trace.app, name="trace")
app.add_typer(stand_in.app, name="stand-in")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"rewear {version()}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point: runs the command and ends with 0, 2 (an error to mend) or 130 (interrupted)."""
    try:
        app(prog_name="rewear")
    except RewearError as error:
        print(f"rewear: {error}", file=sys.stderr)
        sys.exit(USAGE_ERROR)
    except (_InterruptedError, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; Python must not complain about it at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(USAGE_ERROR)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"rewear: {place}{error.strerror or error}. Check the path and its permissions.", file=sys.stderr)
        sys.exit(USAGE_ERROR)
