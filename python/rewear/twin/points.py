"""Points: published or measured write amplification of a drive under described workloads."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from rewear.core.errors import ConfigurationError, near
from rewear.core.files import read_text
from rewear.core.printable import printable
from rewear.core.workload import Workload
from rewear.figures.units import parse_bytes

COLUMNS = {
    "write_amplification": "bytes programmed over bytes that the host wrote; several numbers: of equal parts of the "
    "run, the first from its start; needed",
    "fill": "bytes that the workload writes over, as 372GiB; needed unless there is a capacity",
    "drive": "name of the drive; choose one with --only where a file has several",
    "capacity": "bytes that the drive exports",
    "workload": "a made-up workload without pages and requests, as zipf:theta=0.8; uniform unless given",
    "drive_writes": "length of the run in fills; by default long enough to be steady, with a figure of the second half",
    "mib_per_s": "MiB that the host wrote a second at the end of the run, with the queue full",
    "last": "part of the run, at its end, that the figure covers; 0.2 unless given",
    "start": "filled (in order, the default) or trimmed",
    "set": "keys that the drive had in this run, as ftl.streams.scheme=host ftl.streams.handles=2",
    "name": "what a picture calls the run; the workload unless given",
    "use": "fit (the default) or predict",
    "error": "standard error of the write amplification",
    "source": "where the figure comes from",
}
"""Columns of a CSV file of points."""

SIZES = ("zone", "region")
"""Parameters of workloads that are sizes in bytes: a twin, which is smaller, has them in the same proportion."""

STARTS = ("filled", "trimmed")
"""Content of the drive when the workload begins."""

_USES = ("fit", "predict")
_PAGE_BYTES = 4096
"""Of workloads unless they say otherwise."""
_SETTING = re.compile(r"[a-z_.]+=\S+")


@dataclass(frozen=True, slots=True)
class Point:
    """One write amplification, or its curve over a run. Sizes are in bytes."""

    write_amplification: float
    """Of a curve the mean of its parts."""
    fill_bytes: int
    capacity_bytes: int
    workload: str = "uniform"
    use: str = "fit"
    error: float | None = None
    drive: str = ""
    source: str = ""
    curve: tuple[float, ...] = ()
    """Write amplification of equal parts of the run, from its start; empty for a single figure."""
    drive_writes: float | None = None
    """Length of the run, in fills; `None`: long enough to be steady."""
    last: float = 0.2
    """Part of the run, at its end, that a single figure covers."""
    mib_per_s: float | None = None
    """Rate of the host at the end of the run, with the queue full."""
    start: str = "filled"
    settings: dict[str, str] = field(default_factory=dict)
    """Keys that the drive had in this run."""
    name: str = ""
    """Name of the run in a picture."""

    @property
    def fits(self) -> bool:
        """Whether a fit may use it: a figure, and no curve, that was set apart for fitting."""
        return self.use == "fit" and not self.curve


def rows_of(path: str | Path) -> "csv.DictReader[str]":
    """The rows of a CSV file with named columns."""
    return csv.DictReader(read_text(path, "a CSV file").splitlines(), skipinitialspace=True)


def read_points(path: str | Path, *, only: str | None = None, capacity_bytes: int | None = None) -> list[Point]:
    """Reads a CSV file with named columns (`COLUMNS`), in any order.

    Args:
        path: The file, in UTF-8.
        only: Take the rows of this drive.
        capacity_bytes: What the drive exports, where no column says it.

    Raises:
        ConfigurationError: The file cannot be read, a column is missing or unknown, a value is none, there is no such
            workload, or rows of no drive or of several are left; with file and line.
    """
    name, rows = printable(str(path)), rows_of(path)
    if "write_amplification" not in (rows.fieldnames or ()):
        raise ConfigurationError(
            f"{name}:1: there is no column write_amplification. The first line names the columns: {', '.join(COLUMNS)}."
        )
    _check_columns(rows.fieldnames or (), name)
    points, drives = [], dict[str, None]()
    try:
        for row in rows:
            place = f"{name}:{rows.line_num}"
            if None in row:
                raise ConfigurationError(f"{place}: more fields than the first line names. Quote a field with commas.")
            fields = {key: (value or "").strip() for key, value in row.items()}
            drive = fields.get("drive", "")
            drives.setdefault(drive)
            if only in (None, drive):
                points.append(_point(fields, capacity_bytes, place))
    except csv.Error as error:
        raise ConfigurationError(f"{name}:{rows.line_num}: {error}. Points are CSV with named columns.") from None
    known = ", ".join(filter(None, drives))
    if not drives:
        raise ConfigurationError(f"{name} has no point. Write a line for each write amplification.")
    if not points:
        remedy = f"There are: {known}." if known else "Its points name no drive: leave --only out."
        raise ConfigurationError(f"{name} has no point of a drive {only!r}. {remedy}")
    if only is None and len(drives) > 1:
        raise ConfigurationError(f"{name} has points of {len(drives)} drives. Choose one by --only: {known}.")
    return points


def _check_columns(columns: Iterable[str], name: str) -> None:
    for column in columns:
        if column not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise ConfigurationError(
                f"{name}:1: no column is called {column!r}.{near(column, COLUMNS)} There are: {known}."
            )


def _point(fields: dict[str, str], capacity_bytes: int | None, place: str) -> Point:
    capacity = _size(fields, "capacity", place) or capacity_bytes
    fill = _size(fields, "fill", place) or capacity
    if fill is None:
        raise ConfigurationError(f"{place}: neither fill nor capacity says over how many bytes is written.")
    capacity = capacity or fill
    if fill > capacity:
        raise ConfigurationError(f"{place}: a fill of {fields['fill']} is more than the drive exports.")
    measured = fields.get("write_amplification", "").split() or [""]
    parts = tuple(_number({"write_amplification": part}, "write_amplification", place, 1.0) or 1.0 for part in measured)
    return Point(
        write_amplification=fmean(parts),
        curve=parts if len(parts) > 1 else (),
        fill_bytes=fill,
        capacity_bytes=capacity,
        workload=_workload(fields.get("workload") or "uniform", fill, place),
        drive_writes=_number(fields, "drive_writes", place, 0.01),
        mib_per_s=_number(fields, "mib_per_s", place, 0.001),
        last=min(_number(fields, "last", place, 0.001) or 0.2, 1.0),
        start=_word(fields, "start", STARTS, place),
        settings=_settings(fields.get("set", ""), place),
        name=fields.get("name", ""),
        use=_word(fields, "use", _USES, place),
        error=_number(fields, "error", place, 0.0),
        drive=fields.get("drive", ""),
        source=fields.get("source", ""),
    )


def _workload(text: str, fill: int, place: str) -> str:
    """The text, if it is a workload on a drive that is filled as far."""
    generator, _, parameters = text.partition(":")
    pairs = [f"pages={max(1, fill // _PAGE_BYTES)}", *filter(None, parameters.split(","))]
    try:
        Workload(f"{generator}:{','.join(pairs)}")
    except ConfigurationError as error:
        raise ConfigurationError(f"{place}: {error}") from None
    return text


def _settings(text: str, place: str) -> dict[str, str]:
    if wrong := [word for word in text.split() if not _SETTING.fullmatch(word)]:
        raise ConfigurationError(f"{place}: set has {wrong[0]!r}. Write KEY=VALUE, as ftl.streams.scheme=host.")
    return dict(word.split("=", 1) for word in text.split())


def _word(fields: dict[str, str], column: str, known: Iterable[str], place: str) -> str:
    first, *others = known
    word = fields.get(column) or first
    if word not in (first, *others):
        raise ConfigurationError(f"{place}: {column} is {word!r}. Write {first} or {' or '.join(others)}.")
    return word


def _size(fields: dict[str, str], column: str, place: str) -> int | None:
    text = fields.get(column)
    if not text:
        return None
    size = parse_bytes(f"{place}: {column}", text)
    if size == 0:
        raise ConfigurationError(f"{place}: {column} is {text}. Give a size above 0.")
    return size


def _number(fields: dict[str, str], column: str, place: str, least: float) -> float | None:
    text = fields.get(column)
    if not text and column != "write_amplification":
        return None
    try:
        value = float(text or "")
    except ValueError:
        value = float("nan")
    if not least <= value < 1e6:
        raise ConfigurationError(f"{place}: {column} is {text!r}. Give a number of at least {least:g}, such as 1.407.")
    return value
