"""Options that several commands share."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rewear.core.errors import ConfigurationError
from rewear.core.files import check_writable
from rewear.core.whole import MOST, whole_number

_SOURCE = "Workload (one of the two)"


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for each field of the dataclasses that the function takes."""
    taken = inspect.signature(function).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in taken if is_dataclass(each.annotation)}

    @functools.wraps(function)
    def called(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
        function(**given)

    own = inspect.Parameter.KEYWORD_ONLY
    options: list[inspect.Parameter] = []
    for each in taken:
        if each.name in groups:
            group = fields(groups[each.name])
            options += (inspect.Parameter(it.name, own, default=it.default, annotation=it.type) for it in group)
        else:
            options.append(each.replace(kind=own))
    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in options}
    return called


def whole(*names: str, least: int = 1, most: int = MOST, **more: Any) -> Any:
    """An option that takes a whole number from `least` to `most`."""

    def number(value: Any) -> int:
        try:
            return whole_number("", value, least, most)
        except ConfigurationError as error:
            raise typer.BadParameter(str(error).strip()) from None

    return typer.Option(*names, parser=number, **{"metavar": "N", **more})


def writable(context: typer.Context, path: Path | None) -> Path | None:
    """Sees that a file can be written before any work is done for it."""
    if path is not None and not context.resilient_parsing:
        check_writable(path)
    return path


def output(*names: str, **more: Any) -> Any:
    """An option that names a file to be written."""
    return typer.Option(*names, callback=writable, **more)


def drawable(context: typer.Context, path: Path | None) -> Path | None:
    """As `writable`; sees that a page with plots can be drawn, too."""
    if path is not None and path.suffix not in (".md", ".json") and not context.resilient_parsing:
        import vl_convert  # noqa: F401
    return writable(context, path)


def _page(*names: str) -> Any:
    help = "Write a self-contained page with plots; OUT.md: Markdown without plots; OUT.json: JSON."
    return typer.Option(*names, metavar="OUT", callback=drawable, help=help)


Html = Annotated[Path | None, _page("--out", "-o", "--html")]
Page = Annotated[Path | None, _page("--html")]
"""The same of a command whose `--out` is another file."""
JsonOutput = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
ContentOption = Annotated[
    Literal["digests", "numbers", "none"],
    typer.Option(help="Content to keep: digests; numbers (equality of pages only: smaller, reveals nothing); none."),
]
TraceFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE[:key=value,...]",
        help="A recorded trace, plain or compressed; `rewear trace formats` lists formats and options.",
        rich_help_panel=_SOURCE,
    ),
]
WorkloadSpec = Annotated[
    str | None,
    typer.Option(
        metavar="NAME:key=value,...",
        help="A synthetic workload; `rewear list workloads` lists them.",
        rich_help_panel=_SOURCE,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a parameter of the drive, or of every drive; repeatable.",
    ),
]
Drives = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DRIVE",
        help="Presets or TOML files, each as [LABEL=]DRIVE[:key=value,...]. The first is the reference.",
        show_default=False,
    ),
]
MoreDrives = Annotated[
    list[str] | None,
    typer.Option("--drive", metavar="DRIVE", help="A drive, as the arguments; may be repeated.", show_default=False),
]
OneDrive = Annotated[
    str | None,
    typer.Argument(
        metavar="DRIVE", help="Preset or TOML file, with :key=value,... if wanted; also --drive.", show_default=False
    ),
]
DriveOption = Annotated[str | None, typer.Option("--drive", metavar="DRIVE", hidden=True)]
_replay = functools.partial(typer.Option, rich_help_panel="Replay")
_number = functools.partial(whole, rich_help_panel="Replay")

Precondition = Annotated[
    Literal["none", "fill", "steady"] | None,
    _replay(help="State at the start: erased (default), filled once, or overwritten at random to steady state."),
]
Loops = Annotated[int | None, _number(help="Number of passes, 1 by default; synthetic workloads continue.")]
MaxRequests = Annotated[int | None, _number(help="Maximum number of requests.")]
Fit = Annotated[
    Literal["dense", "modulo"] | None,
    _replay(help="Remap a trace larger than the drive: number pages densely, or wrap; refused by default."),
]
WarmUp = Annotated[
    str | None,
    _replay(
        metavar="REQUESTS|steady",
        help="Requests to leave out of the report, 0 by default; steady: all until write amplification is steady.",
    ),
]
Seed = Annotated[int | None, _number(least=0, help="Seed of all random choices, 1 by default.")]
QueueDepth = Annotated[int | None, _number(most=2**20, help="Outstanding requests with --arrival closed; default 32.")]


@dataclass(frozen=True, slots=True)
class Replay:
    """Options of a replay."""

    arrival: Annotated[
        Literal["trace", "closed"] | None,
        _replay(help="trace: at the trace's times. closed (default without times): N requests outstanding."),
    ] = None
    queue_depth: QueueDepth = None
    time_scale: Annotated[
        float | None,
        _replay(metavar="FACTOR", help="Stretch inter-arrival times by this factor: 10 replays ten times slower."),
    ] = None
    precondition: Precondition = None
    loops: Loops = None
    until: Annotated[
        Literal["steady"] | None,
        _replay(help="Add passes until the flash erased per byte written is steady."),
    ] = None
    max_requests: MaxRequests = None
    fit: Fit = None
    warm_up: WarmUp = None
    queues: Annotated[
        bool,
        _replay("--queues", help="Report queue lengths of dies or planes at arrivals."),
    ] = False
    interval: Annotated[
        float | None,
        _replay("--series-interval", "--interval", metavar="SECONDS", help="Interval of the report's time series."),
    ] = None
    no_time: Annotated[
        bool,
        _replay(
            "--no-time",
            help="Skip time, which is faster: same wear, moves and erases; no response times, no energy.",
        ),
    ] = False
    seed: Seed = None

    def keywords(self) -> dict[str, Any]:
        """As `Drive.replay` takes them."""
        taken, warm_up = asdict(self), self.warm_up
        if warm_up is not None and warm_up != "steady":
            if not warm_up.isascii() or not warm_up.isdigit():
                raise ConfigurationError(f"--warm-up {warm_up}: give a number of requests, or steady.")
            taken["warm_up"] = whole_number("--warm-up", warm_up)
        taken["interval_s"] = taken.pop("interval")
        return taken


Seeds = Annotated[int | None, _number(most=1000, help="Number of replays with consecutive seeds, for 95% intervals.")]
Jobs = Annotated[int | None, whole("--jobs", "-j", most=1024, help="Parallel replays; default: number of cores.")]
Workers = Annotated[
    int | None, whole("--workers", "-j", most=1024, help="Parallel replays on this machine; default: number of cores.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="A dask scheduler such as tls://host:8786, instead of this machine's cores."),
]
Patience = Annotated[
    float,
    typer.Option(metavar="SECONDS", help="Time without any worker after which the sweep fails."),
]


def patience(seconds: float) -> float:
    """The option `--patience`, checked."""
    if not 0 < seconds <= 366 * 86400:
        raise ConfigurationError(f"--patience {seconds} is no time to wait. Give seconds above 0, at most a year's.")
    return seconds
