"""How little flash codes can erase, and how near to that drives come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewear.core.ask import ask
from rewear.core.drive import Drive, Source
from rewear.core.errors import ConfigurationError
from rewear.core.workload import Workload

_GENERATORS = {"uniform": {}, "hot-cold": {"hot": 0.2, "hits": 0.8}}
"""Workloads whose description tells the classes, with its defaults."""
_PLACES = ("pages", "page_bytes", "offset_bytes", "size")
"""Parameters by which a description leaves pages out, or writes several at a time."""


@dataclass(frozen=True, slots=True)
class CodedClass:
    """Pages with equal write rates, and their part in the placement of fewest erases."""

    data: float
    """Part of the data that the drive holds."""
    writes: float
    """Part of the bytes that the host writes."""
    flash: float
    """Bytes of flash for a byte of data."""
    erased: float
    """Bytes of flash erased for a byte written to the class."""


@dataclass(frozen=True, slots=True)
class CodedBound:
    """The least that codes can reach; `docs/notebook/bounds.md` has the proof and its assumptions."""

    bits_per_cell: int
    flash: float
    """Bytes of flash for a byte of data."""
    erased: float
    """Bytes of flash erased for a byte that the host writes."""
    classes: tuple[CodedClass, ...]


def coded_bound(bits_per_cell: int, flash: float, classes: Sequence[tuple[float, float]] = ((1.0, 1.0),)) -> CodedBound:
    """The least flash that codes erase, where each page of a class is as likely to be written next.

    Examples:
        >>> import rewear
        >>> round(rewear.coded_bound(4, 1.28).erased, 3)
        0.383

    Args:
        bits_per_cell: 1 to 4.
        flash: Bytes of flash for a byte of data, at least 1.
        classes: Of each class its part of the data and its part of the bytes written.

    Raises:
        ConfigurationError: A value is impossible, or the parts do not add up to 1.
    """
    if not isinstance(bits_per_cell, int) or not 0 < bits_per_cell < 256:
        raise ConfigurationError(f"bits_per_cell = {bits_per_cell}: give 1 to 4.")
    found: dict[str, Any] = ask("bounds.coded", bits=bits_per_cell, flash=flash, classes=list(classes))
    of = tuple(CodedClass(**each) for each in found["classes"])
    return CodedBound(bits_per_cell, flash, found["erased"], of)


def classes_of(source: Source) -> list[tuple[float, float]]:
    """The classes that the description of a workload tells: of `uniform` one, of `hot-cold` two.

    Raises:
        ConfigurationError: It tells none.
    """
    spec = source.spec if isinstance(source, Workload) else ""
    name, _, rest = spec.partition(":")
    given = {key.strip(): value for key, _, value in (pair.partition("=") for pair in rest.split(","))}
    known = _GENERATORS.get(name.strip())
    if known is None or ";" in spec or any(key in given for key in _PLACES):
        raise ConfigurationError(
            f"{spec or 'A trace'}: which pages are equally likely to be written is not known. Give them by --classes, "
            "or a workload uniform or hot-cold on all pages."
        )
    if not known:
        return [(1.0, 1.0)]
    hot, hits = (float(given.get(key, default)) for key, default in known.items())
    return [(hot, hits), (1 - hot, 1 - hits)]


def flash_of(drives: Sequence[tuple[str, Drive]]) -> tuple[int, float]:
    """Bits of a cell, and the most flash for an exported byte that one of these drives has.

    Raises:
        ConfigurationError: They differ in their cells.
    """
    shapes = [(label, *_shape(drive)) for label, drive in drives]
    label, bits, _ = shapes[0]
    for other, found, _ in shapes[1:]:
        if found != bits:
            raise ConfigurationError(f"{label} has cells of {bits} bits, {other} of {found}: ask for each by itself.")
    return bits, max(flash for _, _, flash in shapes)


def _shape(drive: Drive) -> tuple[int, float]:
    derived = drive.quantities
    bits = int(drive.configuration["flash"].get("bits_per_cell", 1))
    return bits, derived["physical_bytes"] / derived["exported_bytes"]
