"""The unit of a counter that has none in its name, told by bytes that the host is known to have written."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rewear.core.errors import RewearError
from rewear.disk.log import DiskLog
from rewear.figures.units import format_bytes, parse_bytes

UNITS: Final = {
    "512 bytes": 512, "4 KiB": 2**12, "16 KiB": 2**14, "512,000 bytes": 512_000, "1 MiB": 2**20, "32 MiB": 2**25,
    "64 MiB": 2**26, "128 MiB": 2**27, "1 GB": 10**9, "1 GiB": 2**30, "32 GiB": 2**35,
}  # fmt: skip
"""Units in which drives count bytes, by smartmontools' database."""
WITHIN: Final = 0.2
"""How far a quotient may be from its unit: files need metadata, and others write, too."""
LEAST_UNITS: Final = 8
"""Units between the logs from which on they tell one."""
_NAMES: Final = ("writ", "wrt", "lba", "host", "unknown", "vendor")
"""Parts of names of counters that may be of what the host wrote."""


def with_units(logs: Sequence[DiskLog], wrote: str | int) -> tuple[DiskLog, ...]:
    """The logs with the host's bytes by a counter whose unit `wrote` bytes between the first and the last tell.

    Raises:
        RewearError: There are no two logs, or no counter rose by a number of units that fits.
    """
    size = wrote if isinstance(wrote, int) else parse_bytes("--wrote", wrote)
    first, last = logs[0], logs[-1]
    if len(logs) < 2:
        raise RewearError(f"{first.path}: --wrote needs two logs of the disk, of before and after the writes.")
    if last.host_bytes is not None and first.host_bytes is not None:
        return tuple(logs)
    rises = {
        name: last.raw[name] - first.raw[name]
        for name in last.raw
        if name in first.raw and last.raw[name] > first.raw[name] and any(part in name.lower() for part in _NAMES)
    }
    fits = {name: fitting for name, rise in rises.items() if (fitting := _units(size, rise))}
    # What the host wrote comes before what the drive wrote: the fewest bytes that fit, and not reads.
    names = sorted(
        (name for name in fits if "read" not in name.lower()), key=lambda name: rises[name] * UNITS[fits[name]]
    )
    if not names:
        said = ", ".join(f"{name} by {rise:,}" for name, rise in rises.items()) or "none"
        raise RewearError(
            f"{last.path}: no counter rose by {format_bytes(size)} in a unit of drives ({said}). Write at least "
            "10GiB between the logs, and name the bytes that were written."
        )
    unit = fits[names[0]]
    told = f"{names[0]}, in units of {unit} by --wrote: {rises[names[0]]:,} for {format_bytes(size)}" + (
        f"; {', '.join(names[1:])} would fit, too" if len(names) > 1 else ""
    )
    return tuple(replace(log, host_bytes=log.raw[names[0]] * UNITS[unit], host_from=told) for log in logs)


def _units(size: int, rise: int) -> str | None:
    """The unit nearest to `size` over `rise`; `None` where there is none, or too few units tell one."""
    each = size / rise
    name = min(UNITS, key=lambda name: abs(UNITS[name] / each - 1))
    # A count is a unit off at either end.
    near = abs(UNITS[name] / each - 1) <= WITHIN + 1 / rise
    return name if near and rise >= LEAST_UNITS else None
