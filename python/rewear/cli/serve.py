"""`rewear serve`, `rewear stats`: a drive as a block device, and what became of what was asked of it."""

import signal
import sys
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import one_of, parse_drive
from rewear.cli.live_tables import live_tables
from rewear.cli.output import answer
from rewear.cli.run import report_tables, warn
from rewear.core.errors import ConfigurationError, ServeError
from rewear.core.printable import printable
from rewear.core.private_folder import private_folder
from rewear.live.serve import LiveDrive, Transport, live_folder, running, stats

# Ports as registered, of NBD and of NVMe over TCP.
_NBD_PORT = 10809
_NVME_PORT = 4420

LiveName = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="Which live drive: its name or its control socket; not needed if there is one."
    ),
]


def serve_command(
    drive: opt.OneDrive = None,
    drive_option: opt.DriveOption = None,
    settings: opt.Settings = None,
    image: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Image file of the cells, which outlives the server; default: memory."),
    ] = None,
    pace: Annotated[bool, typer.Option("--pace", help="Answer at the simulated times.")] = False,
    lazy_memory: Annotated[
        bool,
        typer.Option("--lazy-memory", help="Allocate memory, or a new image's space, at first programs."),
    ] = False,
    bit_errors: Annotated[
        bool,
        typer.Option(
            "--bit-errors", "--errors", help="Misread cells at the rate of their wear; the code corrects them."
        ),
    ] = False,
    overwrite_bit: Annotated[
        bool,
        typer.Option(
            "--overwrite-bit",
            help="Export twice the size; writes to the upper half overwrite the lower.",
        ),
    ] = False,
    record: Annotated[
        Path | None, opt.output(metavar="FILE.rwt", help="Record the drive's requests as a trace.")
    ] = None,
    content: opt.ContentOption = "digests",
    queue_depth: Annotated[
        int | None, opt.whole("--queue-depth", most=2**20, help="Largest number of outstanding requests.")
    ] = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            "--tcp",
            "--listen",
            metavar="[HOST:]PORT",
            help="Listen on TCP instead of a Unix socket; with nvme-tcp 4420 by default.",
        ),
    ] = None,
    parallel: Annotated[
        bool,
        typer.Option(
            "--parallel",
            help="Serve requests of one connection in parallel; read docs/manual/live.md first.",
        ),
    ] = False,
    transport: Annotated[Transport, typer.Option(help="Protocol for hosts.")] = "nbd",
    block: Annotated[
        int | None, typer.Option(metavar="512|4096", help="With nvme-tcp: bytes of a logical block; 512 by default.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="With --listen: accept any host; there is no access control.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name for `rewear stats`; default: the drive's.")
    ] = None,
    nbdkit: Annotated[
        list[str] | None, typer.Argument(metavar="[-- NBDKIT-OPTIONS...]", help="Options of nbdkit: TLS, access.")
    ] = None,
) -> None:
    """Serve a drive as a block device until Ctrl-C; print its address.

    The drive is the simulator's, on cells that store what is written. Needs nbdkit, or with --transport nvme-tcp
    an NVMe host; docs/manual/live.md says what clients can do.
    """
    if block not in (None, 512, 4096):
        raise ConfigurationError(f"--block {block} is no size of a logical block. Give 512 or 4096.")
    if block is not None and transport != "nvme-tcp":
        raise ConfigurationError(f"--block goes with --transport nvme-tcp, not with {transport}. Leave it out.")
    if transport == "nvme-tcp" and tcp is None:
        tcp = str(_NVME_PORT)
    if drive_option is not None and drive is not None:
        nbdkit = [drive, *(nbdkit or ())]  # The option names the drive, so the argument is nbdkit's.
        drive = None
    chosen = one_of("drive", "rewear serve qlc", drive, drive_option)
    _, device = parse_drive(chosen, settings or ())
    folder = private_folder(live_folder(), ServeError) / _checked_name(name or device.name)
    # A service manager ends what it has started in this way.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with LiveDrive(
        device,
        image=image,
        pace=pace,
        lazy_memory=lazy_memory,
        bit_errors=bit_errors,
        overwrite_bit=overwrite_bit,
        queue_depth=queue_depth,
        record=record,
        content=content,
        folder=folder,
        address=None if tcp is None else _address(tcp, _NVME_PORT if transport == "nvme-tcp" else _NBD_PORT),
        parallel_requests=parallel,
        nbdkit_options=nbdkit or (),
        transport=transport,
        block_bytes=cast(Literal[512, 4096], block or 512),
        insecure=insecure,
    ) as live:
        try:
            print(live.uri, flush=True)
            if transport == "nvme-tcp":
                address, subsystem = live.uri.removeprefix("nvme+tcp://").split("/")[:2]
                host, _, port = address.rpartition(":")
                if host in ("0.0.0.0", "[::]"):
                    host = "ADDRESS-OF-THIS-MACHINE"
                connect = f"nvme connect -t tcp -a {host.strip('[]')} -s {port} -n {subsystem}"
                print(f"Attach: {connect}", file=sys.stderr, flush=True)
            hint = f"Statistics: rewear stats {folder.name}"
            print(f"Serving {device.name} until Ctrl-C. {hint}", file=sys.stderr, flush=True)
            why = live.wait(lambda line: print(printable(line), file=sys.stderr, flush=True))
        except KeyboardInterrupt:
            return
    raise ServeError(f"{why} Clients that were attached have lost the drive; serve it again.")


def stats_command(name: LiveName = None, json: opt.JsonOutput = False) -> None:
    """Print the statistics of a live drive, in the schema of replays."""
    report = stats(find_control(name))
    for note in report.notes if json else ():
        warn(note)
    answer(json, report.to_dict, lambda: [*report_tables(report.drive_name, report), "", *live_tables(report)])


def find_control(name: str | None) -> Path:
    """The control socket that a name means."""
    if name is not None and "/" in name:
        return Path(name)
    drives = running()
    if name is None:
        if len(drives) == 1:
            return next(iter(drives.values()))
        problem = (
            f"Several drives are served: {', '.join(drives)}. Name one" if drives else "No drive is served. Start one"
        )
        raise ConfigurationError(f"{problem}: rewear {'stats NAME' if drives else 'serve --drive qlc'}.")
    if name not in drives:
        known = f"There are: {', '.join(drives)}" if drives else "None is served"
        raise ConfigurationError(f"No drive named {name} is served. {known}.")
    return drives[name]


def _checked_name(name: str) -> str:
    if not name or name.startswith(".") or any(not (letter.isalnum() or letter in "._-") for letter in name):
        raise ConfigurationError(f"--name {name!r} cannot be a file name. Use letters, digits and ._- only.")
    return name


def _address(text: str, usual_port: int) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not port.isascii() or not port.isdigit():
        wrong = "has no port"
    elif len(port) > 5 or not 0 < int(port) < 65536:
        wrong = f"has the port {port}, which there is not"
    else:
        return host or "127.0.0.1", int(port)
    raise ConfigurationError(
        f"--listen {text} {wrong}. "
        f"Write a number from 1 to 65535, as {usual_port}, 0.0.0.0:{usual_port} or [::1]:{usual_port}."
    )
