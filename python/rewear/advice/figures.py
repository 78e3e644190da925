"""The figures by which drives are ranked, read from reports."""

from collections.abc import Callable, Sequence

from rewear import uncertainty
from rewear.report import Report
from rewear.uncertainty import Interval

__all__ = [
    "FIGURES",
    "LIFE",
    "bytes_per_cycle",
    "flash_erased_per_byte",
    "interval_of",
    "tbw_bytes",
]


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


def bytes_per_cycle(report: Report, flash_bytes: int, later: Report | None) -> float | None:
    """Bytes that the host may write for each cycle that blocks endure, until the drive dies.

    That is the life of the report over its cycles: blocks wear unevenly, and a drive dies when so many are worn out
    that its capacity cannot be kept. Where nothing says what blocks endure, they are taken to wear evenly.

    `later` is the report of the drive once blocks no longer take second writes, of which the life holds
    `reuse.life_fraction` with them: cycles are spent in both parts.
    """
    now = _per_cycle(report, flash_bytes)
    if now is None or later is None:
        return now
    share = float(report["drive"]["configuration"]["reuse"].get("life_fraction", 1.0))
    return share * now + (1 - share) * (_per_cycle(later, flash_bytes) or 0.0)


def _per_cycle(report: Report, flash_bytes: int) -> float | None:
    if report.life is not None:
        scale = flash_bytes / float(report.derived["physical_bytes"])
        return scale * float(report.life["tbw_bytes"]) / float(report.life["cycles"])
    erased = flash_erased_per_byte(report)
    return flash_bytes / erased if erased else None


def tbw_bytes(report: Report, flash_bytes: int, later: Report | None) -> float | None:
    """Bytes that the host may write until the drive dies; `None` where nothing says what its blocks endure."""
    written = bytes_per_cycle(report, flash_bytes, later)
    return None if report.life is None or written is None else float(report.life["cycles"]) * written


def _latency(kind: str, field: str) -> Callable[[Report], float | None]:
    def value(report: Report) -> float | None:
        figures = report["latency_ns"][kind]
        return None if figures is None else float(figures[field])

    return value


def _energy_per_byte(report: Report) -> float | None:
    written = report["host_bytes_written"]
    return report.energy_j["total"] / written if report.energy_j is not None and written else None


LIFE: dict[str, Callable[[Report, int, Report | None], float | None]] = {
    "tbw_bytes": tbw_bytes,
    "bytes_per_cycle": bytes_per_cycle,
}
"""Figures of the drive that is asked about: name in `--json` -> how it follows from what `bytes_per_cycle` takes."""

FIGURES: dict[str, Callable[[Report], float | None]] = {
    "flash_erased_per_byte": flash_erased_per_byte,
    "mean_response_ns": lambda report: report.mean_response_ns,
    "write_p99_ns": _latency("write", "p99"),
    "read_p99_ns": _latency("read", "p99"),
    "energy_j_per_byte": _energy_per_byte,
    "write_amplification": lambda report: report.write_amplification,
    "controller_bytes": lambda report: float(report.derived["controller_bytes"]),
}
"""Name in `--json` -> how it is read."""
