"""Options that several commands share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rewear.cli import completion
from rewear.errors import ConfigurationError
from rewear.files import check_writable
from rewear.whole import MOST, whole_number

_REPLAY = "Replay"
_SOURCE = "What is replayed (one of the two)"


def whole(*names: str, least: int = 1, most: int = MOST, **more: Any) -> Any:
    """An option that takes a whole number from `least` to `most`."""
    return typer.Option(*names, parser=_reads(least, most), **{"metavar": "N", **more})


def _reads(least: int, most: int) -> Callable[[Any], int]:
    def number(value: Any) -> int:
        try:
            return whole_number("", value, least, most)
        except ConfigurationError as error:
            raise typer.BadParameter(str(error).strip()) from None

    return number


def writable(context: typer.Context, path: Path | None) -> Path | None:
    """Sees that a file can be written before any work is done for it."""
    if path is not None and not context.resilient_parsing:
        check_writable(path)
    return path


def output(*names: str, **more: Any) -> Any:
    """An option that names a file to be written."""
    return typer.Option(*names, callback=writable, **more)


Html = Annotated[
    Path | None,
    output(
        "--html", metavar="OUT", help="Write a self-contained page with plots; Markdown, without, if OUT ends in .md."
    ),
]
MarkdownOutput = Annotated[bool, typer.Option("--markdown", help="Print a page of documentation.")]
JsonOutput = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else there.")]
ContentOption = Annotated[
    Literal["digests", "numbers", "none"],
    typer.Option(
        help="What is kept of the content: digests, or only which pages are equal (smaller, and betrays nothing)."
    ),
]
TraceFile = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="FILE[:key=value,...]",
        autocompletion=completion.traces,
        help="A recorded trace, plain or compressed; `rewear trace formats` lists formats and options.",
        rich_help_panel=_SOURCE,
    ),
]
WorkloadSpec = Annotated[
    str | None,
    typer.Option(
        "--workload",
        metavar="NAME:key=value,...",
        help="A synthetic workload; `rewear workloads` lists them.",
        autocompletion=completion.workloads,
        rich_help_panel=_SOURCE,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        autocompletion=completion.settings,
        help="Change a parameter of every drive; may be repeated.",
    ),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", metavar="FILE.py", help="Set the first drive with a policy in Python beside; may be repeated."
    ),
]
OneDrive = Annotated[
    str,
    typer.Option(
        "--drive",
        metavar="DRIVE",
        autocompletion=completion.drives,
        help="Preset or TOML file, with :key=value,... if wanted.",
    ),
]
OnePolicy = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE.py[:key=value,...]", help="Ask a policy in Python for victims or streams."),
]
Arrival = Annotated[
    Literal["trace", "closed"] | None,
    typer.Option(
        help="trace: requests arrive at the trace's times. closed: a fixed number is always outstanding.",
        rich_help_panel=_REPLAY,
    ),
]
QueueDepth = Annotated[
    int | None,
    whole(most=2**20, help="Outstanding requests with --arrival closed.", rich_help_panel=_REPLAY),
]
TimeScale = Annotated[
    float | None,
    typer.Option(
        "--time-scale",
        metavar="FACTOR",
        help="Take the trace's times so many times as long: 10 replays ten times slower.",
        rich_help_panel=_REPLAY,
    ),
]
Precondition = Annotated[
    Literal["none", "fill", "steady", "drawn"] | None,
    typer.Option(
        help="Start erased, filled once, overwritten at random to steady state, or with such a state drawn (faster).",
        rich_help_panel=_REPLAY,
    ),
]
Loops = Annotated[
    int | None, whole(help="Replay so often in a row; a made-up workload draws on.", rich_help_panel=_REPLAY)
]
Until = Annotated[
    Literal["steady"] | None,
    typer.Option(
        help="Replay further passes until the flash erased for a byte written changes no more.", rich_help_panel=_REPLAY
    ),
]
MaxRequests = Annotated[int | None, whole(help="Stop after so many requests.", rich_help_panel=_REPLAY)]
Fit = Annotated[
    Literal["dense", "modulo"] | None,
    typer.Option(
        help="Remap a trace larger than the drive: number its pages densely, or wrap addresses around.",
        rich_help_panel=_REPLAY,
    ),
]
WarmUp = Annotated[
    str | None,
    typer.Option(
        "--warm-up",
        metavar="REQUESTS|steady",
        help="Leave so many requests out of the report, or all until write amplification is steady.",
        rich_help_panel=_REPLAY,
    ),
]
Queues = Annotated[
    bool,
    typer.Option(
        "--queues",
        help="Report how many operations each die or plane had before it when requests arrived.",
        rich_help_panel=_REPLAY,
    ),
]
NoTime = Annotated[
    bool,
    typer.Option(
        "--no-time",
        help="Keep no time, which is faster: wear, moves and erases are the same; no response times, no energy.",
        rich_help_panel=_REPLAY,
    ),
]
Interval = Annotated[
    float | None,
    typer.Option(
        "--interval",
        metavar="SECONDS",
        help="Report a time series with intervals of this length.",
        rich_help_panel=_REPLAY,
    ),
]
Seed = Annotated[int | None, whole(least=0, help="Seed of every random choice.", rich_help_panel=_REPLAY)]
Scale = Annotated[
    str | None,
    typer.Option(
        "--scale",
        metavar="1/N",
        help="Predict wear from a miniature: one page in N, picked by hash, on a drive N times smaller; 5 samples.",
        rich_help_panel=_REPLAY,
    ),
]
Seeds = Annotated[
    int | None,
    whole(
        most=1000,
        help="Replay so often with seeds one after the other, and give 95% intervals.",
        rich_help_panel=_REPLAY,
    ),
]
Threads = Annotated[
    int | None,
    whole(
        most=1024,
        help="Threads that share the dies of a statically striped drive; the report is the same.",
        rich_help_panel=_REPLAY,
    ),
]
Jobs = Annotated[int | None, whole(most=1024, help="Replays at a time; the number of cores unless given.")]
Workers = Annotated[int | None, whole(most=1024, help="Processes on this machine; one a core unless given.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="A dask scheduler such as tls://host:8786, instead of this machine's cores."),
]
Patience = Annotated[
    float,
    typer.Option(metavar="SECONDS", help="How long to wait for a worker where all are gone, before it is an error."),
]


def patience(seconds: float) -> float:
    """The option `--patience`, checked.

    Raises:
        ConfigurationError: It is no length of time.
    """
    if not 0 < seconds <= 366 * 86400:
        raise ConfigurationError(f"--patience {seconds} is no time to wait. Give seconds above 0, at most a year's.")
    return seconds


_REPLAY_OPTIONS = (
    "arrival", "queue_depth", "time_scale", "precondition", "loops", "until", "max_requests", "fit", "queues",
    "no_time", "scale", "seed",
)  # fmt: skip


def replay_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Of the options of a command, by name, those of a replay, as keywords of `Drive.replay`.

    Raises:
        ConfigurationError: The warm-up is neither a number nor `steady`.
    """
    taken = {name: options[name] for name in _REPLAY_OPTIONS}
    return {**taken, "interval_s": options["interval"], "warm_up": _warm_up(options["warm_up"])}


def _warm_up(text: str | None) -> int | str | None:
    if text is None or text == "steady":
        return text
    if not text.isascii() or not text.isdigit():
        raise ConfigurationError(f"--warm-up {text}: give a number of requests, or steady.")
    return whole_number("--warm-up", text)
