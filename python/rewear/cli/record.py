"""`rewear record`: run a command on a recorded file system, or serve a recorded device."""

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from rewear.cli.options import ContentOption, JsonOutput, output
from rewear.cli.output import errors, print_json, print_line, print_text
from rewear.core.errors import ConfigurationError
from rewear.core.interrupts import end_in_order
from rewear.core.recording import RecordedDevice, record
from rewear.figures.units import format_bytes, format_count, format_time, parse_bytes

_LOOK_S = 0.2
"""How often a server looks whether it was interrupted."""


def record_command(
    out: Annotated[Path, output("-o", "--out", metavar="FILE.rwt", help="The trace to write.", show_default=False)],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="What to run.", show_default=False)
    ] = None,
    size: Annotated[str, typer.Option(metavar="BYTES", help="Size of the device, as 1GiB or 512MiB.")] = "1GiB",
    serve: Annotated[
        bool,
        typer.Option(
            "--serve", help="Serve the device as a file until Ctrl-C, without a file system and without root."
        ),
    ] = False,
    content: ContentOption = "digests",
    keep_command: Annotated[
        bool,
        typer.Option("--keep-command", help="Store the command line in the trace, readable for everybody."),
    ] = False,
    json: JsonOutput = False,
) -> None:
    """Record a command's disk requests: times, reads, writes with content, trims, flushes.

    The command runs in a fresh ext4 on a device in memory; the kernel's page cache stands between it and the record, as
    on any machine. Years take a recording of five minutes at least. Needs Linux and root; the exit status is the
    command's.
    """
    end_in_order()
    if serve == bool(command):
        problem = (
            "There is nothing to record" if not serve else "A served device takes no command: any program can open it"
        )
        raise ConfigurationError(f"{problem}. Give either -- COMMAND or --serve.")
    size_bytes = parse_bytes("--size", size)
    if size_bytes < 1 << 20:
        raise ConfigurationError(f"--size {size} is too small for a device. Give at least 1MiB.")
    if serve:
        _serve(out, size_bytes, content, json)
        return
    assert command is not None
    description = f"recorded under: {' '.join(command)}" if keep_command else "recorded by rewear record"
    status, summary = record(command, out, size_bytes, content=content, description=description)
    _report(out, summary, json)
    if status != 0:
        errors().print(f"The command ended with status {status}.")
        raise typer.Exit(status)


def _serve(out: Path, size_bytes: int, content: Any, json: bool) -> None:
    with RecordedDevice(out, size_bytes, content=content, description="served") as device:
        try:
            print_line(str(device.path))
            print("Recording what happens to this file until Ctrl-C.", file=sys.stderr, flush=True)
            while True:
                # An interrupt that comes just before a wait without an end would be noticed by nobody.
                time.sleep(_LOOK_S)
        except KeyboardInterrupt:
            summary = device.finish()
    _report(out, summary, json)


def _report(out: Path, summary: dict[str, Any], json: bool) -> None:
    if json:
        print_json({"path": str(out), **summary})
        return
    print_text(
        f"{out}: {format_count(summary['requests'])} requests in {format_time(summary['duration_ns'])}, "
        f"{format_bytes(summary['read_bytes'])} read, {format_bytes(summary['written_bytes'])} written; "
        + format_bytes(summary["bytes"])
    )
