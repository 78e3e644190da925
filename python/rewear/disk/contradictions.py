"""Values of a SMART log held against each other: bytes, erases, statistics and the percentage of the rated life.

The bounds are wide, and were set before any log was looked at: what lies outside is a wrong unit, a counter that runs
the other way, or another quantity under the name. None of the values is preferred.
"""

import math
from dataclasses import dataclass
from typing import Final

from rewear.advice.columns import terabytes
from rewear.disk.counters import SECTOR_BYTES
from rewear.figures.units import format_number

LEAST_CYCLES: Final = 100
"""Erases at 100% of a rated life: the cheapest flash of four bits a cell is sold for several hundred."""
MOST_CYCLES: Final = 200_000
"""The same: flash of one bit a cell is sold for a hundred thousand."""
MOST_AMPLIFICATION: Final = 100.0
"""Bytes to flash for a byte of the host, over a life: the worst that is published is about 30."""
LEAST_AMPLIFICATION: Final = 0.2
"""The same: controllers that compress halve what is written, and hardly more."""
_POINTS: Final = 10
"""Points by which two percentages of the same life may differ."""
_TIMES: Final = 3.0
"""Factor by which two counters of the same bytes may differ: one may leave out a cache of one bit a cell."""
_UNCOUNTED_BYTES: Final = 100e9
"""Bytes to flash that a counter may not have yet: it counts whole units, and a cache of one bit a cell apart."""
_UNITS: Final = {"MiB": 2**20, "32 MiB": 2**25, "GiB": 2**30}
"""Units in which drives count bytes under names that say sectors."""


@dataclass(frozen=True, slots=True)
class Held:
    """The values of a log that are held against each other; `None` where it has none."""

    capacity_bytes: int | None
    used: float | None
    used_from: str
    host_bytes: int | None
    host_from: str
    nand_bytes: float | None
    erases: tuple[int, str] | None

    def of_flash(self) -> list[tuple[float, str]]:
        """Bytes to flash at least, by each value that tells them, and its name."""
        found: list[tuple[float, str]] = []
        if self.capacity_bytes and self.erases is not None:
            found.append((float(self.erases[0] * self.capacity_bytes), f"{self.erases[0]:,} erases of a block"))
        if self.capacity_bytes and self.used is not None and self.used > 1:
            # A point less: how the percentage is rounded is not known.
            least = (self.used - 1) / 100 * LEAST_CYCLES * self.capacity_bytes
            found.append((least, f"{self.used:g}% of the rated life"))
        return found


def host_bytes_refused(held: Held) -> str | None:
    """Why the bytes of the host cannot be what their counter says; `None` where they can."""
    written, most = held.host_bytes, _most_from_host(held)
    if written is None:
        return None
    would = f"{held.host_from} would be {terabytes(written)}"
    for least, what in held.of_flash():
        if written * MOST_AMPLIFICATION < least:
            return f"{would}, and {what} contradict that{_other_units(written, least, most)}"
    if most is not None and written > most[0]:
        return f"{would}, and {most[1]} contradict that"
    return None


def _most_from_host(held: Held) -> tuple[float, str] | None:
    """Bytes of the host at most, and the value that says so."""
    if held.nand_bytes is not None:
        most = (held.nand_bytes + _UNCOUNTED_BYTES) / LEAST_AMPLIFICATION
        return most, f"{terabytes(held.nand_bytes)} written to flash"
    if not held.capacity_bytes:
        return None
    if held.erases is not None:
        # One more: it may be rounded down.
        erased = (held.erases[0] + 1) * held.capacity_bytes
        return erased / LEAST_AMPLIFICATION, f"{held.erases[0]:,} erases of a block"
    if held.used is None:
        return None
    most = (held.used + 1) / 100 * MOST_CYCLES * held.capacity_bytes
    return most / LEAST_AMPLIFICATION, f"{held.used:g}% of the rated life"


def _other_units(written: int, least: float, most: tuple[float, str] | None) -> str:
    """The units under which the count contradicts nothing."""
    fitting = [
        f"{terabytes(written // SECTOR_BYTES * unit)} if it counts {name}"
        for name, unit in _UNITS.items()
        if least / MOST_AMPLIFICATION <= written // SECTOR_BYTES * unit <= (math.inf if most is None else most[0])
    ]
    return f": its unit is another ({', '.join(fitting)})" if fitting else ""


def falling_value_refused(held: Held) -> str | None:
    """Why a normalised value that is taken to fall from 100 cannot do so, while one that counts up could.

    `None` where it can, or where counting up is contradicted as well.
    """
    if held.used is None:
        return None
    evidence = _cycles_told(held)
    if evidence is None:
        return None
    cycles, what = evidence
    falls, rises = (100 * cycles / max(used, 1) for used in (held.used, 100 - held.used))
    if falls < LEAST_CYCLES <= rises <= MOST_CYCLES:
        return (
            f"{held.used_from} would be {held.used:g}% used if it fell from 100, and {100 - held.used:g}% if it counts "
            f"up; {what} contradict the former. Its direction depends on the firmware: smartctl -x shows the device "
            "statistics, which say it"
        )
    return None


def _cycles_told(held: Held) -> tuple[float, str] | None:
    """Cycles of the flash so far, by the value nearest to it, and its name."""
    if held.erases is not None:
        return float(held.erases[0]), f"{held.erases[0]:,} erases of a block"
    if not held.capacity_bytes:
        return None
    if held.nand_bytes is not None:
        return held.nand_bytes / held.capacity_bytes, f"{terabytes(held.nand_bytes)} written to flash"
    if held.host_bytes is not None:
        return held.host_bytes / held.capacity_bytes, f"{terabytes(held.host_bytes)} from the host"
    return None


def doubts(held: Held) -> list[str]:
    """What of a log contradicts something else, as sentences without a full stop."""
    found = []
    capacity, nand, host = held.capacity_bytes, held.nand_bytes, held.host_bytes
    if held.erases is not None and held.used is not None and held.used > 1:
        cycles = 100 * held.erases[0] / held.used
        if not cycles * 2 >= LEAST_CYCLES or not cycles / 2 <= MOST_CYCLES:
            found.append(
                f"{held.used_from} says {held.used:g}% used, and {held.erases[1]} {held.erases[0]:,} erases: 100% "
                f"would be {format_number(cycles)} erases"
            )
    if capacity and nand is not None and held.erases is not None:
        by_erases = float(held.erases[0] * capacity)
        if nand and not 1 / _TIMES <= by_erases / nand <= _TIMES and max(by_erases, nand) > 2 * capacity:
            found.append(
                f"{held.erases[1]} says {terabytes(by_erases)} erased, and {terabytes(nand)} were written to flash by "
                "its counter"
            )
    if nand and host and max(nand, host) > _UNCOUNTED_BYTES and not _is_amplification(nand / host):
        found.append(
            f"{terabytes(nand)} to flash for {terabytes(host)} from the host are {format_number(nand / host)} bytes "
            "for a byte"
        )
    return found


def too_little(nand: tuple[float | None, str], host_bytes: int | None) -> str | None:
    """Why a counter of bytes to flash tells no amplification yet; `None` where it does."""
    if nand[0] is None or not host_bytes or max(nand[0], host_bytes) > _UNCOUNTED_BYTES:
        return None
    if _is_amplification(nand[0] / host_bytes):
        return None
    return (
        f"{terabytes(nand[0])} by {nand[1]} for {terabytes(host_bytes)} from the host are too little: such counters "
        "lag and round"
    )


def _is_amplification(value: float) -> bool:
    return LEAST_AMPLIFICATION <= value <= MOST_AMPLIFICATION


def percentages_differ(first: tuple[float, str], second: tuple[float, str]) -> str | None:
    """Why neither of two percentages is taken; `None` where they are alike."""
    if abs(first[0] - second[0]) <= _POINTS:
        return None
    return (
        f"{first[1]} says {first[0]:g}% used and {second[1]} {second[0]:g}%: one of them is wrong, and the log does "
        "not say which"
    )


def bytes_differ(first: tuple[int, str], second: tuple[int, str]) -> str | None:
    """Why neither of two counters of the host's bytes is taken; `None` where they are alike."""
    least, most = sorted((first[0], second[0]))
    if most <= max(least, 1) * _TIMES or most < 10**10:
        return None
    return f"{first[1]} says {terabytes(first[0])} and {second[1]} {terabytes(second[0])}"
