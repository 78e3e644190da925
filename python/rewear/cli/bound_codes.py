"""`rewear bound --codes`: what codes cannot go below, and how near to that drives come."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import typer

from rewear.cli.output import plain_table, print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.cli.run import INCOMPLETE, warn
from rewear.drive import Drive, Source, common_region
from rewear.erase_bound import CodedBound, classes_of, coded_bound, flash_of
from rewear.errors import ConfigurationError
from rewear.placement_bound import uses_time
from rewear.workload import Workload

__all__ = ["print_coded"]


def print_coded(
    devices: Sequence[tuple[str, Drive]], source: Source, classes: str | None, replay: dict[str, Any], json: bool
) -> None:
    """Prints the bound by codes and what the drives erase.

    Raises:
        ConfigurationError: The drives are not full, the classes are not known, or the cells differ.
        typer.Exit: A replay ended early.
    """
    if replay["precondition"] != "fill":
        raise ConfigurationError("The bound by codes is of full drives. Give --precondition fill.")
    parts = classes_of(source) if classes is None else [_class(part) for part in classes.split(",")]
    found = coded_bound(*flash_of(devices), parts)
    if isinstance(source, Workload) and source.region is None:
        source = source.on_region(common_region([drive for _, drive in devices], replay["seed"]))
    with progress_bars() as progress:
        reports = [
            (label, drive.replay(source, progress=partial(progress, label), no_time=not uses_time(drive), **replay))
            for label, drive in devices
        ]
    erased = {label: report.flash_erased_per_byte for label, report in reports if report.complete}
    if json:
        drives = [{"label": label, "erased": value} for label, value in erased.items()]
        print_json({"schema": 1, **asdict(found), "drives": drives})
    else:
        print_text(*_tables(found, erased))
    for label, report in reports:
        if not report.complete:
            warn(f"{label}: the replay ended early, so the drive is left out.")
    if len(erased) < len(reports):
        raise typer.Exit(INCOMPLETE)


def _class(text: str) -> tuple[float, float]:
    data, _, writes = text.partition(":")
    try:
        return float(data), float(writes)
    except ValueError:
        raise ConfigurationError(
            f"--classes {text.strip()}: give DATA:WRITES for each class, such as 0.1:0.9,0.9:0.1."
        ) from None


def _tables(found: CodedBound, erased: dict[str, float | None]) -> list[Any]:
    table = plain_table("", "flash erased per byte written", "of the bound")
    for label, value in erased.items():
        table.add_row(label, *(("-", "-") if value is None else (f"{value:.3f}", f"{value / found.erased:.2f}×")))
    table.add_section()
    table.add_row("no code below", f"{found.erased:.3f}", "")
    classes = plain_table("part of the data", "part of the writes", "flash per byte of data", "erased per byte written")
    for each in found.classes:
        classes.add_row(f"{each.data:.3f}", f"{each.writes:.3f}", f"{each.flash:.3f}", f"{each.erased:.3f}")
    return [
        f"Cells of {found.bits_per_cell} bits; {found.flash:.3f} bytes of flash for a byte of data\n",
        table,
        "\nWhere the least is erased:\n",
        classes,
    ]
