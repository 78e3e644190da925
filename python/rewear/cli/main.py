"""The application: its commands, and how it ends."""

import os
import select
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rewear import start
from rewear._core import version
from rewear.cli.commands import ALIASES, COMMANDS
from rewear.core import extras, interrupts
from rewear.core.errors import RewearError, RewearWarning
from rewear.core.printable import printable

USAGE_ERROR = 2
"""Exit code of every error that the user can mend."""
CLOSED_OUTPUT = 141
"""Exit code when the reader of the output (head, less) has gone: that of a program which SIGPIPE ends."""


_show_other_warning = warnings.showwarning


class _EndError(BaseException):
    """Ctrl-C or a closed output, under a name that the library of the command line does not catch."""

    def __init__(self, code: int) -> None:
        self.code = code


class _Commands(TyperGroup):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: command.summary() for name, command in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        args = [*ALIASES.get(args[0], args[:1]), *args[1:]]
        name, summary, rest = super().resolve_command(ctx, args)
        return name, COMMANDS[name].load() if name else summary, rest

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _printable_errors():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        try:
            with interrupts.orderly(), _printable_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _EndError(start.INTERRUPTED) from None
        except BrokenPipeError:
            if not _output_is_closed():
                raise
            raise _EndError(CLOSED_OUTPUT) from None


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Messages about wrong arguments quote them: escapes what a terminal would obey."""
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            # Others than those of typer may refuse it.
            with suppress(AttributeError):
                error.message = printable(message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="rewear",
    cls=_Commands,
    help="Replay block traces on modelled SSDs: drives to buy, their lives, gains of techniques.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"rewear {version()}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point: ends with 0, 2 (an error to mend), 130 (interrupted), 141 (closed output) or a code of its own."""
    start.begin()
    warnings.simplefilter("always", RewearWarning)
    warnings.showwarning = _show_warning
    code = _run()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        code = code or _failed(error)
    if code:
        _drop_output()
    sys.exit(code)


def _run() -> int:
    """Runs the command that the arguments name; its exit code."""
    try:
        app(prog_name="rewear")
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            # The library that prints the help ends like this where nobody reads it.
            return CLOSED_OUTPUT
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except RewearError as error:
        return _refuse(str(error))
    except ImportError as error:
        if (remedy := extras.remedy(error)) is None:
            raise
        return _refuse(remedy)
    except (_EndError, KeyboardInterrupt) as end:
        code = end.code if isinstance(end, _EndError) else start.INTERRUPTED
        if code == start.INTERRUPTED:
            print("Interrupted.", file=sys.stderr)
        return code
    except UnicodeEncodeError as error:
        return _refuse(f"{error.object} is not UTF-8. Only names of traces, drives and outputs may have other bytes.")
    except OSError as error:
        return _failed(error)
    return 0


def _failed(error: OSError) -> int:
    if isinstance(error, BrokenPipeError) and _output_is_closed():
        return CLOSED_OUTPUT
    place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
    return _refuse(f"{place}{error.strerror or error}. Check the path, its permissions and the space on its disk.")


def _refuse(message: str) -> int:
    print(f"rewear: {printable(message)}", file=sys.stderr)
    return USAGE_ERROR


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    if issubclass(category, RewearWarning):
        print(f"rewear: {printable(str(message))}", file=sys.stderr, flush=True)
    else:
        _show_other_warning(message, category, *place, **more)


def _output_is_closed() -> bool:
    """Whether nobody reads stdout any more."""
    if sys.stdout is None or not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _drop_output() -> None:
    """Drops the rest of stdout that could not be written, about which Python would complain at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
