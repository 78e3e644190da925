"""`rewear bound`: what a workload could be written with if its future were known."""

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from rewear.cli import completion
from rewear.cli import options as opt
from rewear.cli.arguments import parse_drives, parse_source
from rewear.cli.bound_codes import print_coded
from rewear.cli.output import plain_table, print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.errors import ConfigurationError
from rewear.placement_bound import Bound, amplification, bound, same_flash, uses_time
from rewear.units import format_count, format_share
from rewear.whole import whole_number

__all__ = ["bound_command"]


def bound_command(
    drives: Annotated[
        list[str],
        typer.Argument(
            metavar="DRIVE",
            help="Presets or TOML files of the same flash, each as [LABEL=]DRIVE[:key=value,...]. The first is the "
            "reference.",
            show_default=False,
            autocompletion=completion.drives,
        ),
    ],
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    open_units: Annotated[
        str | None,
        typer.Option("--open-units", metavar="N,N,...", help="Erase units open at a time; 1 to 32 unless given."),
    ] = None,
    precondition: opt.Precondition = None,
    loops: opt.Loops = None,
    max_requests: opt.MaxRequests = None,
    fit: opt.Fit = None,
    warm_up: opt.WarmUp = None,
    seed: opt.Seed = None,
    codes: Annotated[
        bool, typer.Option("--codes", help="How little codes could erase, instead of how little could be moved.")
    ] = False,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="DATA:WRITES",
            help="With --codes: parts of the data and of the writes that go to pages written alike, 0.1:0.9,0.9:0.1. "
            "Workloads uniform and hot-cold tell them.",
        ),
    ] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Says how little could be written if the future of a workload were known, and how near to that drives come.

    rewear bound --trace web.rwt --fit dense plain=qlc sep-bit=qlc:ftl.streams.scheme=sep-bit
    """
    devices = parse_drives(drives, settings or ())
    source = parse_source(trace, workload)
    if precondition in ("steady", "drawn"):
        raise ConfigurationError(
            f"--precondition {precondition} has no known future. Give none or fill, and --warm-up."
        )
    requests = None if warm_up is None else whole_number("--warm-up", _digits("--warm-up", warm_up))
    replay: dict[str, Any] = {
        "precondition": precondition,
        "loops": loops,
        "max_requests": max_requests,
        "fit": fit,
        "warm_up": requests,
        "seed": seed,
    }
    if codes:
        if open_units is not None:
            raise ConfigurationError("--open-units is of placement, not of codes. Leave it out, or --codes.")
        print_coded(devices, source, classes, replay, json)
        return
    if classes is not None:
        raise ConfigurationError("--classes is of codes. Give --codes, too.")
    open_list = [] if open_units is None else [_open_units(part) for part in open_units.split(",")]
    same_flash(devices)
    with progress_bars() as progress:
        found = bound(devices[0][1], source, open_units=open_list, progress=partial(progress, "bound"), **replay)
        reports = [
            drive.replay(source, progress=partial(progress, label), no_time=not uses_time(drive), **replay)
            for label, drive in devices
        ]
    measured = {
        label: amplification(report) for (label, _), report in zip(devices, reports, strict=True) if report.complete
    }
    found = found.with_drives(measured.values())
    if json:
        print_json({"schema": 1, **_as_dict(found, measured)})
    else:
        print_text(*_tables(found, measured))
    for (label, _), report in zip(devices, reports, strict=True):
        if not report.complete:
            warn(f"{label}: the replay ended early, so the drive is left out.")
    if len(measured) < len(reports):
        raise typer.Exit(INCOMPLETE)


def _open_units(text: str) -> int:
    return whole_number("--open-units", _digits("--open-units", text.strip()))


def _digits(option: str, text: str) -> str:
    if not text.isascii() or not text.isdigit():
        raise ConfigurationError(f"{option} {text}: give whole numbers.")
    return text


def _tables(found: Bound, measured: dict[str, float]) -> list[Any]:
    reference = next(iter(measured.values()), None)
    table = plain_table("", "pages programmed per page written", "of what is possible")
    for label, value in measured.items():
        share = None if reference is None else found.share(value, reference)
        table.add_row(label, f"{value:.3f}", "-" if share is None else format_share(share))
    table.add_section()
    for placed in found.placements:
        units = "1 unit" if placed.open_units == 1 else f"{placed.open_units} units"
        table.add_row(f"future known, {units} open", f"{placed.write_amplification:.3f}", "")
    proven = "-" if found.proven is None else f"{found.proven:.3f}"
    table.add_row("proven to be possible", proven, "")
    table.add_row("proven to be needed", "1.000", "")
    spare = found.erase_units - found.exported_pages / found.pages_per_erase_unit
    return [
        f"{format_count(found.host_pages_written)} pages written; {format_count(found.erase_units)} erase units of "
        f"{format_count(found.pages_per_erase_unit)} pages, {spare:,.1f} of them spare\n",
        table,
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
