"""`rewear bound`: what a workload could be written with if its future were known, and what codes cannot go below."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from typing import Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_source
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.comparison.erase_bound import CodedBound, classes_of, coded_bound, flash_of
from rewear.comparison.placement_bound import Bound, amplification, bound, same_flash, uses_time
from rewear.core.bench import Replay, Say, replays
from rewear.core.drive import Drive, Source, settled
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.core.whole import whole_number
from rewear.figures.units import format_count, format_share
from rewear.page.blocks import Part, Table


@dataclass(frozen=True, slots=True)
class KnownFuture:
    """Options of a replay whose future is known."""

    open_units: Annotated[str | None, typer.Option(metavar="N,N,...", help="Open erase units; default: 1 to 32.")] = (
        None
    )
    precondition: opt.Precondition = None
    loops: opt.Loops = None
    max_requests: opt.MaxRequests = None
    fit: opt.Fit = None
    warm_up: opt.WarmUp = None
    seed: opt.Seed = None

    def keywords(self) -> dict[str, Any]:
        """As `rewear.bound` takes them."""
        if self.precondition == "steady":
            raise ConfigurationError(
                f"--precondition {self.precondition} has no known future. Give none or fill, and --warm-up."
            )
        warm_up = None if self.warm_up is None else _whole("--warm-up", self.warm_up)
        units = [] if self.open_units is None else self.open_units.split(",")
        return {
            **asdict(self), "warm_up": warm_up, "open_units": [_whole("--open-units", part.strip()) for part in units]
        }  # fmt: skip


@opt.command
def bound_command(
    *,
    drives: opt.Drives = None,
    more: opt.MoreDrives = None,
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    future: KnownFuture,
    codes: Annotated[
        bool, typer.Option("--codes", help="Bound the erases of codes instead of the moves of policies.")
    ] = False,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="DATA:WRITES",
            help="With --codes: shares of data and writes of each class of pages, as 0.1:0.9,0.9:0.1. "
            "Default: the classes of uniform and hot-cold.",
        ),
    ] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Bound write amplification from below by a policy that knows the future; rate drives by it.

    rewear bound --trace web.rwt --fit dense plain=qlc sep-bit=qlc:ftl.streams.scheme=sep-bit
    """
    devices = parse_drives([*(drives or ()), *(more or ())], settings or ())
    source = parse_source(trace, workload)
    replay = future.keywords()
    open_units = replay.pop("open_units")
    if codes:
        if open_units:
            raise ConfigurationError("--open-units is of placement, not of codes. Leave it out, or --codes.")
        _print_coded(devices, source, classes, replay, json)
        return
    if classes is not None:
        raise ConfigurationError("--classes is of codes. Give --codes, too.")
    same_flash(devices)
    with progress_bars() as progress:
        found = bound(devices[0][1], source, open_units=open_units, progress=partial(progress, "bound"), **replay)
        reports = _replayed(devices, source, replay, progress)
    measured = {label: amplification(report) for label, report in reports.items() if report.complete}
    found = found.with_drives(measured.values())
    answer(json, lambda: {"schema": 1, **_as_dict(found, measured)}, lambda: _tables(found, measured))
    _check_complete(reports)


def _replayed(
    devices: Sequence[tuple[str, Drive]], source: Source, replay: Mapping[str, Any], progress: Say
) -> dict[str, Report]:
    """The reports by label, without times unless a drive works in idle time."""
    tasks = [Replay(label, drive, source, {**replay, "no_time": not uses_time(drive)}) for label, drive in devices]
    return dict(zip([label for label, _ in devices], replays(tasks, progress=progress), strict=True))


def _check_complete(reports: Mapping[str, Report]) -> None:
    """Warns of the drives that are left out."""
    early = [label for label, report in reports.items() if not report.complete]
    for label in early:
        warn(f"{label}: the replay ended early, so the drive is left out.")
    if early:
        raise typer.Exit(INCOMPLETE)


def _whole(option: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ConfigurationError(f"{option} {text}: give whole numbers.")
    return whole_number(option, text)


def _tables(found: Bound, measured: dict[str, float]) -> list[Part]:
    reference = next(iter(measured.values()), None)
    rows = [
        (label, f"{value:.3f}", format_share(None if reference is None else found.share(value, reference)))
        for label, value in measured.items()
    ]
    columns = ("", "pages programmed per page written", "of what is possible")
    return [heading(found), Table(columns, [*rows, *bound_rows(found)])]


def heading(found: Bound) -> str:
    """Workload and flash of the bound."""
    spare = found.erase_units - found.exported_pages / found.pages_per_erase_unit
    return (
        f"{format_count(found.host_pages_written)} pages written; {format_count(found.erase_units)} erase units of "
        f"{format_count(found.pages_per_erase_unit)} pages, {spare:,.1f} of them spare\n"
    )


def bound_rows(found: Bound) -> list[Sequence[str]]:
    """The rows of what is possible, below a line, with the write amplification in the first column."""
    proven = "-" if found.proven is None else f"{found.proven:.3f}"
    units = {
        placed: "1 unit" if placed.open_units == 1 else f"{placed.open_units} units" for placed in found.placements
    }
    return [
        (),
        *((f"future known, {of} open", f"{placed.write_amplification:.3f}") for placed, of in units.items()),
        ("proven to be possible", proven),
        ("proven to be needed", "1.000"),
    ]


def _as_dict(found: Bound, measured: dict[str, float]) -> dict[str, Any]:
    reference = next(iter(measured.values()), None)
    drives = [
        {
            "label": label,
            "write_amplification": value,
            "share_of_possible": None if reference is None else found.share(value, reference),
        }
        for label, value in measured.items()
    ]
    return {**asdict(found), "drives": drives}


def _print_coded(
    devices: Sequence[tuple[str, Drive]], source: Source, classes: str | None, replay: dict[str, Any], json: bool
) -> None:
    """Prints the bound by codes and what the drives erase."""
    if replay["precondition"] != "fill":
        raise ConfigurationError("The bound by codes is of full drives. Give --precondition fill.")
    parts = classes_of(source) if classes is None else [_class(part) for part in classes.split(",")]
    found = coded_bound(*flash_of(devices), parts)
    source = settled(source, [drive for _, drive in devices], replay["seed"])
    with progress_bars() as progress:
        reports = _replayed(devices, source, replay, progress)
    erased = {label: report.flash_erased_per_byte for label, report in reports.items() if report.complete}
    drives = [{"label": label, "erased": value} for label, value in erased.items()]
    answer(json, lambda: {"schema": 1, **asdict(found), "drives": drives}, lambda: _coded_tables(found, erased))
    _check_complete(reports)


def _class(text: str) -> tuple[float, float]:
    data, _, writes = text.partition(":")
    try:
        return float(data), float(writes)
    except ValueError:
        raise ConfigurationError(
            f"--classes {text.strip()}: give DATA:WRITES for each class, such as 0.1:0.9,0.9:0.1."
        ) from None


def _coded_tables(found: CodedBound, erased: dict[str, float | None]) -> list[Part]:
    rows = [
        (label, *(("-", "-") if value is None else (f"{value:.3f}", f"{value / found.erased:.2f}×")))
        for label, value in erased.items()
    ]
    columns = ("part of the data", "part of the writes", "flash per byte of data", "erased per byte written")
    classes = [[f"{part:.3f}" for part in astuple(each)] for each in found.classes]
    return [
        f"Cells of {found.bits_per_cell} bits; {found.flash:.3f} bytes of flash for a byte of data\n",
        Table(
            ("", "flash erased per byte written", "of the bound"), [*rows, (), ("no code below", f"{found.erased:.3f}")]
        ),
        "\nWhere the least is erased:\n",
        Table(columns, classes),
    ]
