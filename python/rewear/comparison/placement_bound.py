"""How little a drive could write if the future of a workload were known, and what part of that a drive attains."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rewear.core.drive import Drive, Source, settled
from rewear.core.errors import ConfigurationError
from rewear.core.progress import ProgressCallback
from rewear.core.report import Report


@dataclass(frozen=True, slots=True)
class Placed:
    """Pages moved with a known future, by the number of open erase units."""

    open_units: int
    write_amplification: float
    """Pages programmed for each page that the host wrote."""
    pages_moved: int


@dataclass(frozen=True, slots=True)
class Bound:
    """How little a drive could write under a workload; `docs/notebook/bounds.md` says what is proven."""

    erase_units: int
    pages_per_erase_unit: int
    exported_pages: int
    most_pages_held: int
    """Logical pages that held data at a time, at most."""
    host_pages_written: int
    """Logical pages that the host wrote after the warm-up."""
    placements: tuple[Placed, ...]
    possible: float
    """The least write amplification of what was carried out: of the placements, of greedy cleaning with one open unit,
    and of drives (`with_drives`). The least that there is lies between 1 and this."""
    proven: float | None
    """The bound for any workload that holds no more pages; `None` where nothing is proven."""

    def with_drives(self, write_amplifications: Iterable[float]) -> "Bound":
        """The same bound, to which drives of the same flash belong that wrote the workload.

        Args:
            write_amplifications: Of the drives, as `amplification` has them.
        """
        return replace(self, possible=min([self.possible, *write_amplifications]))

    def share(self, write_amplification: float, reference: float) -> float | None:
        """The part of the avoidable moves of a reference that a drive avoids.

        Args:
            write_amplification: Of the drive.
            reference: Of the drive that it is compared with, of the same flash.

        Returns:
            1 for what is possible, 0 for no better than the reference; `None` where the reference avoids all that
            the known future does.
        """
        avoidable = reference - self.possible
        return (reference - write_amplification) / avoidable if avoidable > 0 else None


def bound(
    drive: Drive,
    source: Source | str | Path,
    *,
    open_units: Sequence[int] = (),
    precondition: Literal["none", "fill"] | None = None,
    loops: int | None = None,
    max_requests: int | None = None,
    fit: Literal["dense", "modulo"] | None = None,
    warm_up: int | None = None,
    seed: int | None = None,
    progress: ProgressCallback | None = None,
) -> Bound:
    """Writes a workload to the flash of a drive with its future known, and counts what has to be moved all the same.

    Pages go beside those that are overwritten or trimmed at about the same time. Erase units of all pools count as one
    pool; schemes, policies, bad blocks and metadata of the drive count for nothing. Takes 12 bytes of memory for
    each page written.

    Args:
        drive: The drive.
        source: A `Trace`, a `Workload`, or the path of a trace.
        open_units: Numbers of erase units that are open at a time; 1 to 32 unless given.
        precondition: State of the drive at the start: `none` (erased) or `fill` (every logical page written once).
        loops: How often the source is replayed, one pass after the other.
        max_requests: Maximum number of requests.
        fit: What to do with a trace larger than the drive, as in `Drive.replay`.
        warm_up: Requests at the beginning that do not count.
        seed: Seed of the workload, unless its description names one.
        progress: Called a few times a second with a `Progress`. An exception that it raises stops the work.

    Raises:
        ConfigurationError: An option has an impossible value, or the spare flash has no room for the open units.
        TraceError: The trace cannot be read, or holds a malformed line.
        ReplayError: The trace reaches beyond the drive.
    """
    source = settled(source, [drive], seed)
    if any(not isinstance(open_, int) or not 0 < open_ < 2**31 for open_ in open_units):
        raise ConfigurationError(f"open_units {list(open_units)}: give whole numbers of at least 1.")
    given = {
        "precondition": precondition,
        "loops": loops,
        "max_requests": max_requests,
        "fit": fit,
        "warm_up": warm_up,
        "seed": seed,
    }
    options = json.dumps({key: value for key, value in given.items() if value is not None})
    found: dict[str, Any] = json.loads(
        drive._core.bound(source._core, options, list(open_units), progress),
    )
    placements = tuple(Placed(**each) for each in found.pop("placements"))
    return Bound(**found, placements=placements)


def same_flash(drives: Sequence[tuple[str, Drive]]) -> None:
    """Checks that one bound holds for all of these drives, given with their labels.

    Raises:
        ConfigurationError: They differ in their erase units or in what they export.
    """
    shapes = [(label, _shape(drive)) for label, drive in drives]
    label, shape = shapes[0]
    for other, found in shapes[1:]:
        if found != shape:
            raise ConfigurationError(
                f"{label} has {_words(shape)}; {other} has {_words(found)}. One bound holds for drives of the same "
                "flash: change their policies only, or ask for each by itself."
            )


def _shape(drive: Drive) -> tuple[float, ...]:
    derived = drive.quantities
    return tuple(derived[key] for key in ("physical_bytes", "exported_bytes", "logical_pages_per_erase_unit"))


def _words(shape: tuple[float, ...]) -> str:
    return f"{shape[0]:,.0f} bytes of flash, {shape[1]:,.0f} exported, {shape[2]:,.0f} pages an erase unit"


def amplification(report: Report) -> float:
    """Pages programmed as data for each page written, as a bound counts them: codes and metadata left out."""
    pages = report.host_pages_written
    return (pages + report.pages_moved) / pages if pages else 1.0


def uses_time(drive: Drive) -> bool:
    """Whether a drive works in idle time, so that what it moves depends on response times."""
    configuration = drive.configuration
    background, rewrite = configuration["ftl"]["background"]["scheme"], configuration["effort"].get("rewrite")
    folds = configuration["ftl"].get("slc_cache", {}).get("idle_after_ns") is not None
    return bool(background != "none" or rewrite == "idle" or folds)
