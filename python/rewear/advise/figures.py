"""The figures by which drives are ranked, read from reports."""

from collections.abc import Callable, Sequence
from typing import Any

from rewear import uncertainty
from rewear.report import Report
from rewear.uncertainty import Interval

__all__ = [
    "FIGURES",
    "LIFE",
    "bytes_per_cycle",
    "controller_bytes",
    "flash_erased_per_byte",
    "interval_of",
    "tbw_bytes",
]

_MAP_ENTRY_BYTES = 4
_STORE_ENTRY_BYTES = 24
"""An entry of a fingerprint store: 3 MiB for 128K of them (Zhou et al.)."""


def interval_of(values: Sequence[float | None]) -> Interval | None:
    """Mean and interval of the figures of several seeds; `None` where one lacks it."""
    given = [value for value in values if value is not None]
    return uncertainty.interval_of(given) if given and len(given) == len(values) else None


def flash_erased_per_byte(report: Report) -> float | None:
    """Bytes of flash erased for each byte that the host wrote, the begun parts of cycles included.

    Blocks take second writes only in the first part of their life (`reuse.life_fraction`); that is not in this figure
    but in the life.
    """
    written = report["host_bytes_written"]
    return report.erase_equivalents * report.derived["block_bytes"] / written if written else None


def bytes_per_cycle(report: Report, flash_bytes: int, later: float | None) -> float | None:
    """Bytes that the host may write for each P/E cycle of the whole flash.

    `later` is the flash erased for each byte once blocks no longer take second writes, of which the life holds
    `reuse.life_fraction` with them: cycles are spent in both parts.
    """
    erased = flash_erased_per_byte(report)
    if not erased:
        return None
    if not later:
        return flash_bytes / erased
    share = float(report["drive"]["configuration"]["reuse"].get("life_fraction", 1.0))
    return flash_bytes * (share / erased + (1 - share) / later)


def tbw_bytes(report: Report, flash_bytes: int, later: float | None) -> float | None:
    """Bytes that may be written until all blocks have had their rated cycles; `None` where these are not known."""
    flash = report["drive"]["configuration"]["flash"]
    cycles = flash.get("endurance_cycles") or (flash.get("life") or {}).get("cycles")
    written = bytes_per_cycle(report, flash_bytes, later)
    return cycles * written if cycles and written else None


def controller_bytes(report: Report) -> int:
    """Memory that the controller needs: the map, four bytes a page, and the tables of the schemes."""
    drive = report["drive"]["configuration"]
    total = _MAP_ENTRY_BYTES * int(report.derived["exported_pages"])
    if report.effort is not None:
        total += int(report.effort["history_bytes"]) + int(report.effort["tag_bytes"])
    if report.recycling is not None:
        total += _STORE_ENTRY_BYTES * int(drive["recycle"]["entries"] or report.recycling["most_entries"])
    return total + _counters(drive["ftl"]["streams"]) + _counters(drive["reuse"].get("separation", {}))


def _counters(scheme: dict[str, Any]) -> int:
    return int(scheme.get("counters", 0))


def _latency(kind: str, field: str) -> Callable[[Report], float | None]:
    def value(report: Report) -> float | None:
        figures = report["latency_ns"][kind]
        return None if figures is None else float(figures[field])

    return value


def _energy_per_byte(report: Report) -> float | None:
    written = report["host_bytes_written"]
    return report.energy_j["total"] / written if report.energy_j is not None and written else None


LIFE: dict[str, Callable[[Report, int, float | None], float | None]] = {
    "tbw_bytes": tbw_bytes,
    "bytes_per_cycle": bytes_per_cycle,
}
"""Figures of the drive that is asked about: name in `--json` -> how it follows from report, flash and `later`."""

FIGURES: dict[str, Callable[[Report], float | None]] = {
    "flash_erased_per_byte": flash_erased_per_byte,
    "mean_response_ns": lambda report: report.mean_response_ns,
    "write_p99_ns": _latency("write", "p99"),
    "read_p99_ns": _latency("read", "p99"),
    "energy_j_per_byte": _energy_per_byte,
    "write_amplification": lambda report: report.write_amplification,
    "controller_bytes": lambda report: float(controller_bytes(report)),
}
"""Name in `--json` -> how it is read."""
