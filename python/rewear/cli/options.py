"""Options that several commands share."""

from typing import Annotated, Any, Literal

import typer

from rewear.errors import ConfigurationError

__all__ = [
    "Arrival",
    "ContentOption",
    "Fit",
    "Interval",
    "JsonOutput",
    "Loops",
    "MaxRequests",
    "Precondition",
    "QueueDepth",
    "Queues",
    "Seed",
    "Settings",
    "TraceFile",
    "WarmUp",
    "WorkloadSpec",
    "replay_options",
]

_REPLAY = "Replay"
_SOURCE = "What is replayed (one of the two)"

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
        rich_help_panel=_SOURCE,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter of every drive; may be repeated."),
]
Arrival = Annotated[
    Literal["trace", "closed"] | None,
    typer.Option(
        help="trace: requests arrive at the trace's times. closed: a fixed number is always outstanding.",
        rich_help_panel=_REPLAY,
    ),
]
QueueDepth = Annotated[
    int | None, typer.Option(min=1, help="Outstanding requests with --arrival closed.", rich_help_panel=_REPLAY)
]
Precondition = Annotated[
    Literal["none", "fill", "steady"] | None,
    typer.Option(
        help="Start erased, filled once, or filled and overwritten at random to steady state.",
        rich_help_panel=_REPLAY,
    ),
]
Loops = Annotated[int | None, typer.Option(min=1, help="Replay so often in a row.", rich_help_panel=_REPLAY)]
MaxRequests = Annotated[int | None, typer.Option(min=1, help="Stop after so many requests.", rich_help_panel=_REPLAY)]
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
Interval = Annotated[
    float | None,
    typer.Option(
        "--interval",
        metavar="SECONDS",
        help="Report a time series with intervals of this length.",
        rich_help_panel=_REPLAY,
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of every random choice.", rich_help_panel=_REPLAY)]


def replay_options(
    arrival: str | None,
    queue_depth: int | None,
    precondition: str | None,
    loops: int | None,
    max_requests: int | None,
    fit: str | None,
    warm_up: str | None,
    queues: bool,
    interval: float | None,
    seed: int | None,
) -> dict[str, Any]:
    """The options as keywords of `Drive.replay`.

    Raises:
        ConfigurationError: The warm-up is neither a number nor `steady`.
    """
    return {
        "arrival": arrival,
        "queue_depth": queue_depth,
        "precondition": precondition,
        "loops": loops,
        "max_requests": max_requests,
        "fit": fit,
        "warm_up": _warm_up(warm_up),
        "queues": queues,
        "interval_s": interval,
        "seed": seed,
    }


def _warm_up(text: str | None) -> int | str | None:
    if text is None or text == "steady":
        return text
    if not text.isascii() or not text.isdigit():
        raise ConfigurationError(f"--warm-up {text}: give a number of requests, or steady.")
    return int(text)
