"""The recordings of a benchmark on named drives, at the size of the benchmark and at several fills."""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from rewear.advice.rivals import Rival
from rewear.advice.sizing import DoesNotFitError, sold_drive
from rewear.advice.traits import Traits, traits_of
from rewear.ci.measurement import Cell, Measurement, Recorded
from rewear.comparison.comparison import compare
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.progress import Progress
from rewear.core.report import Report
from rewear.core.toml_text import without_nothing
from rewear.core.trace import Trace
from rewear.figures.units import format_bytes
from rewear.sold.classes import whole_drive

DRIVES = ("client-qlc", "client-tlc", "micron-7450-max")
"""Drives of people at home, and a twin of a server's drive."""
FILLS = (0.5, 0.8, 0.95)
"""Half empty, as a file system is said to be full, and nearly full."""
QUEUE_DEPTH = 8
"""Requests in flight: a few threads of a database. Recorded times are those of a drive in memory, which no drive on
sale follows."""
DRIVE_WRITES = 3
"""How often the flash is written over at least before figures count, and as often while they do."""
MOST_PAGES = 12_000_000
"""Pages of 4 KiB that one replay writes at most: seconds."""
_LEAST_BYTES = 32 * 1024**2
"""Least capacity of a replayed drive: 128 erase units of 64 pages, as advice has them."""

Say = Callable[[str, Progress], object]


def measure(
    traces: Sequence[Trace],
    drives: Sequence[tuple[str, Drive]],
    fills: Sequence[float] = FILLS,
    *,
    footprint_bytes: int | None = None,
    jobs: int | None = None,
    progress: Say | None = None,
) -> Measurement:
    """Replays the recordings of a benchmark's runs, each with a seed of its own, on every drive at every fill.

    A drive is replayed with its share of spare flash, at a size at which the benchmark's pages take the fill. The rest
    of it was never written. Requests follow each other with `QUEUE_DEPTH` in flight; the recording is repeated.

    Args:
        traces: The recordings, one a run.
        drives: Labels and drives: presets, twins, or your own.
        fills: Parts of the capacity, above 0 and at most 1.
        footprint_bytes: Pages by which the drives are sized, those of the larger side; of the largest run unless given.
        jobs: Replays at a time; the number of cores unless given.
        progress: Called with a label and a `Progress`; an exception that it raises stops all.

    Raises:
        ConfigurationError: There is no recording or no drive, nothing is written, or a drive cannot have that size.
        RewearError: Whatever `Drive.replay` raises.
    """
    if not traces or not drives or not fills:
        raise ConfigurationError("There is nothing to replay. Give a recording, a drive and a fill at least.")
    for fill in fills:
        if not 0.05 <= fill <= 1:
            raise ConfigurationError(f"A fill of {fill:.0%}: give 5% to 100%.")
    traits = [traits_of(trace) for trace in traces]
    for each in traits:
        _check_writes(each)
    touched = footprint_bytes or max(each.touched_bytes for each in traits)
    sized = {(label, fill): _sized(label, drive, touched, fill) for label, drive in drives for fill in fills}
    reports = [
        _run(trace, each, sized, turn, jobs, progress)
        for turn, (trace, each) in enumerate(zip(traces, traits, strict=True))
    ]
    wholes = {label: _whole_bytes(drive) for label, drive in drives}
    cells = tuple(_cell(key, [found.get(key) for found in reports], traits, wholes[key[0]]) for key in sized)
    runs = tuple(Recorded(each.bytes_written, each.touched_bytes) for each in traits)
    return Measurement(runs, touched, {label: _digest(drive) for label, drive in drives}, cells)


def footprint(traces: Sequence[Trace]) -> int:
    """Bytes of the pages that the largest of the runs touches."""
    return max(traits_of(trace).touched_bytes for trace in traces)


def check_size(trace: Trace, drives: Sequence[tuple[str, Drive]], fills: Sequence[float]) -> None:
    """Sees that a run touches enough pages for a model of each drive: one tells what all would.

    Raises:
        ConfigurationError: It does not, or writes nothing.
    """
    traits = traits_of(trace)
    _check_writes(traits)
    for label, drive in drives:
        for fill in fills:
            _sized(label, drive, traits.touched_bytes, fill)


def _check_writes(traits: Traits) -> None:
    if not traits.pages_written:
        raise ConfigurationError(f"{traits.name} writes nothing, so it wears no drive. Record a benchmark that does.")


def _sized(label: str, drive: Drive, touched: int, fill: float) -> Drive:
    tables = without_nothing(drive.configuration)
    page_bytes = int(tables["flash"]["page_bytes"])
    exported = -(-math.ceil(touched / fill) // page_bytes) * page_bytes
    if exported < _LEAST_BYTES:
        raise ConfigurationError(
            f"The benchmark touches {format_bytes(touched)}, too few pages for a model of a drive. Let it touch "
            f"{format_bytes(_LEAST_BYTES * fill)} for a drive that is {fill:.0%} full, or more."
        )
    try:
        return sold_drive(Rival(label, "plain", "sold"), tables, exported).drive
    except DoesNotFitError as error:
        raise ConfigurationError(
            f"{label} cannot be made as small as the benchmark, {format_bytes(exported)}: {error}. "
            "Let the benchmark touch more, or take another drive."
        ) from None


def _run(
    trace: Trace,
    traits: Traits,
    sized: dict[tuple[str, float], Drive],
    turn: int,
    jobs: int | None,
    progress: Say | None,
) -> dict[tuple[str, float], Report]:
    """The reports of one run by drive and fill, of drives that hold it."""
    found: dict[tuple[str, float], Report] = {}
    for fill in dict.fromkeys(fill for _, fill in sized):
        alike: list[tuple[str, Drive]] = [
            (label, drive)
            for (label, at), drive in sized.items()
            if at == fill and drive.exported_bytes >= traits.touched_bytes
        ]
        if not alike:
            continue
        pages = max(float(drive.configuration["ftl"]["over_provisioning"]) + 1 for _, drive in alike)
        pages *= max(drive.exported_bytes for _, drive in alike) / 4096
        loops = max(1, math.ceil(2 * DRIVE_WRITES * pages / traits.pages_written))
        most = max(1, round(traits.requests * MOST_PAGES / traits.pages_written))
        requests = min(loops * traits.requests, most)
        options: dict[str, Any] = {
            "fit": "dense",
            "precondition": "none",
            "arrival": "closed",
            "queue_depth": QUEUE_DEPTH,
            "loops": loops,
            "max_requests": requests,
            "warm_up": requests // 2,
            "seed": turn + 1,
        }

        def say(label: str, state: Progress, fill: float = fill) -> object:
            return None if progress is None else progress(f"run {turn + 1}, {label} at {fill:.0%}", state)

        compared = compare(trace, list(alike), jobs=jobs, progress=say, **options)
        found |= {(run.label, fill): run.report for run in compared.runs}
    return found


def _cell(key: tuple[str, float], reports: Sequence[Report | None], traits: Sequence[Traits], whole: float) -> Cell:
    def life(report: Report | None, each: Traits) -> float | None:
        if report is None or report.life is None:
            return None
        per_flash = float(report.life["tbw_bytes"]) / float(report.derived["physical_bytes"])
        return per_flash * whole / each.bytes_written

    def of(figure: str) -> tuple[float | None, ...]:
        found = (None if report is None else report.figure(figure) for report in reports)
        return tuple(None if value is None else float(value) for value in found)

    lives = tuple(life(report, each) for report, each in zip(reports, traits, strict=True))
    fits = tuple(report is not None and report.complete for report in reports)
    waf = of("write_amplification")
    flash = tuple(
        None if value is None else value * each.bytes_written for value, each in zip(waf, traits, strict=True)
    )
    return Cell(*key, flash, waf, lives, of("latency_ns.write.p99"), fits)


def _whole_bytes(drive: Drive) -> float:
    """Flash of the drive that one buys."""
    whole = whole_drive(drive)
    return float(drive.quantities["physical_bytes"] if whole is None else whole.flash_bytes)


def _digest(drive: Drive) -> str:
    text = json.dumps(drive.configuration, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
