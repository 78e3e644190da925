"""Counters of a drive over time, as NVMe's and OCP's log pages give them, turned into one point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

from rewear.core.errors import ConfigurationError
from rewear.core.printable import printable
from rewear.twin.points import Point, rows_of

HOST_COLUMNS = {"host_bytes_written": 1, "data_units_written": 512_000}
"""Bytes that the host wrote: column -> bytes of its unit. NVMe's SMART page counts thousands of 512 bytes."""
MEDIA_COLUMNS = {"media_bytes_written": 1, "physical_media_units_written": 1}
"""Bytes programmed to flash. OCP's SMART page (C0h) counts bytes."""
LAST = 0.2
"""Part of the host's bytes at the end of a log that counts, unless another is given: the drive is steady then."""

_PARTS = 5
"""Parts of that end, the spread of which gives the standard error."""


@dataclass(frozen=True, slots=True)
class _Sample:
    host_bytes: int
    media_bytes: int


def is_log(path: str | Path) -> bool:
    """Whether the first line of a CSV file names counters of both kinds."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
            columns = {word.strip() for word in file.readline().split(",")}
    except OSError:
        return False
    return bool(columns & HOST_COLUMNS.keys()) and bool(columns & MEDIA_COLUMNS.keys())


def read_counters(path: str | Path, *, capacity_bytes: int, fill_bytes: int | None = None, last: float = LAST) -> Point:
    """The write amplification of uniform random writes that a log of cumulative counters shows at its end.

    Args:
        path: CSV with one of `HOST_COLUMNS` and one of `MEDIA_COLUMNS`, in the order of time.
        capacity_bytes: What the drive exports.
        fill_bytes: Over how much is written; all that is exported unless given.
        last: Part of the host's bytes, at the end, that counts.

    Raises:
        ConfigurationError: The file cannot be read, a counter is none or falls, or nothing was written.
    """
    name = printable(str(path))
    if not 0 < last <= 1:
        raise ConfigurationError(f"The last {last:g} of a log: give a part above 0, at most 1.")
    samples = _samples(path, name)
    begin, end = samples[0].host_bytes, samples[-1].host_bytes
    if end == begin:
        raise ConfigurationError(f"{name}: the host wrote nothing between the first and the last line.")
    marks = [end - (end - begin) * last * (1 - part / _PARTS) for part in range(_PARTS + 1)]
    chosen = [next(sample for sample in samples if sample.host_bytes >= mark) for mark in marks]
    first, final = chosen[0], chosen[-1]
    if final.host_bytes == first.host_bytes:
        raise ConfigurationError(f"{name}: the host wrote nothing in the last {last:g} of the log. Give a larger part.")
    ratios = [
        (after.media_bytes - before.media_bytes) / (after.host_bytes - before.host_bytes)
        for before, after in pairwise(chosen)
        if after.host_bytes > before.host_bytes
    ]
    return Point(
        write_amplification=(final.media_bytes - first.media_bytes) / (final.host_bytes - first.host_bytes),
        fill_bytes=fill_bytes or capacity_bytes,
        capacity_bytes=capacity_bytes,
        error=stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 and fmean(ratios) > 0 else None,
        source=name,
    )


def _samples(path: str | Path, name: str) -> list[_Sample]:
    rows = rows_of(path)
    columns = rows.fieldnames or []
    host = _column(columns, HOST_COLUMNS, name)
    media = _column(columns, MEDIA_COLUMNS, name)
    samples: list[_Sample] = []
    for row in rows:
        place = f"{name}:{rows.line_num}"
        sample = _Sample(
            _count(row.get(host), host, place) * HOST_COLUMNS[host],
            _count(row.get(media), media, place) * MEDIA_COLUMNS[media],
        )
        if samples and (sample.host_bytes < samples[-1].host_bytes or sample.media_bytes < samples[-1].media_bytes):
            raise ConfigurationError(f"{place}: a counter falls. Counters are cumulative, in the order of time.")
        samples.append(sample)
    if len(samples) < 2:
        raise ConfigurationError(f"{name}: counters at two times at least are needed.")
    return samples


def _column(columns: Sequence[str], known: dict[str, int], name: str) -> str:
    for column in known:
        if column in columns:
            return column
    raise ConfigurationError(f"{name}:1: there is no column {' or '.join(known)}. The first line names the columns.")


def _count(text: str | None, column: str, place: str) -> int:
    digits = (text or "").strip()
    if not digits.isascii() or not digits.isdigit() or len(digits) > 39:
        raise ConfigurationError(f"{place}: {column} is {digits[:40]!r}. Counters are whole numbers below 2^128.")
    return int(digits)
