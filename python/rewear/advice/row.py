"""A drive of the answer: what it is, and its figures at the size that is asked about."""

from dataclasses import dataclass
from typing import Any

from rewear.advice.rivals import Rival
from rewear.advice.sizing import Sized
from rewear.core.report import Report
from rewear.figures.uncertainty import Interval

YEAR_S = 365.25 * 86400.0
MOST_RESPONSE_NS = 100_000_000
"""Mean response above which a drive does not follow the recording: its requests queue, and times tell the queue."""


@dataclass(frozen=True, slots=True)
class Row:
    """A drive of the answer and what came of it."""

    rival: Rival
    sized: Sized
    report: Report
    flash_bytes: float
    """Flash of the drive that is asked about."""
    bytes_per_second: float | None
    """What the host writes a second, as recorded; `None` where years cannot be said."""
    error: float = 0.0
    """Part by which the bytes that the drive takes may be off, since the replayed drive is smaller or is not steady."""
    rated_bytes: float | None = None
    """What named drives of the class are rated for, at the capacity that is asked about."""
    response: Report | None = None
    """A replay at the recorded times, where response times are of another than `report`."""
    later: Report | None = None
    """The drive once blocks no longer take second writes; `None` on drives without them."""

    @property
    def label(self) -> str:
        """What the drive is called."""
        return self.rival.label

    @property
    def life_fraction(self) -> float:
        """Part of a block's life after which its scheme of reuse ends; 1 for one that never does."""
        return float(self.report["drive"]["configuration"]["reuse"].get("life_fraction", 1.0))

    @property
    def tbw(self) -> Interval | None:
        """Bytes that the host may write until the drive dies: with the least and the most cycles that are published.

        `None` where the replay erased nothing, or nothing says what blocks endure.
        """
        life = self.report.life
        if life is None:
            return None
        mean = self._taken(self.report)
        if self.later is not None:
            mean = self.life_fraction * mean + (1 - self.life_fraction) * self._taken(self.later)
        least, most = life.get("tbw_bytes_between") or (life["tbw_bytes"],) * 2
        low, high = (mean * (each / life["tbw_bytes"]) for each in (least, most))
        return Interval(mean, low * (1 - self.error), high * (1 + self.error))

    def _taken(self, report: Report) -> float:
        if report.life is None:
            return 0.0
        return float(report.life["tbw_bytes"]) * self._times(report)

    def _times(self, report: Report) -> float:
        """Cells of the drive that is asked about over those of the replayed one."""
        return self.flash_bytes / (float(report.derived["physical_bytes"]) * self.sized.bits)

    @property
    def years(self) -> Interval | None:
        """How long `tbw` lasts at the rate of the recording."""
        tbw, rate = self.tbw, self.bytes_per_second
        if tbw is None or not rate:
            return None
        a_year = rate * YEAR_S
        return Interval(tbw.mean / a_year, tbw.low / a_year, tbw.high / a_year)

    @property
    def cycles_between(self) -> tuple[int, int] | None:
        """Fewest and most P/E cycles of its blocks; `None` where nothing says what they endure."""
        life = self.report["drive"]["configuration"]["flash"].get("life") or {}
        cycles = (self.report.life or {}).get("cycles")
        least, most = life.get("cycles_between") or (cycles, cycles)
        return None if least is None or most is None else (int(least), int(most))

    @property
    def timed(self) -> Report | None:
        """The replay that tells response times; none of a drive on sale without recorded times."""
        return self.response if self.rival.axis == "sold" else self.report

    @property
    def mean_response_ns(self) -> float | None:
        """Mean response of reads and writes; `None` where nothing was answered."""
        return None if self.timed is None else self.timed.mean_response_ns

    @property
    def follows(self) -> bool:
        """Whether the drive answers at the recorded rate; a closed loop always does."""
        at_times = self.timed is not None and self.timed["replay"]["arrival_used"] == "trace"
        return not at_times or (self.mean_response_ns or 0.0) <= MOST_RESPONSE_NS

    @property
    def energy_j_per_byte(self) -> float | None:
        """Energy of flash and channels for each byte that the host wrote."""
        written = self.report["host_bytes_written"]
        return self.report.energy_j["total"] / written if self.report.energy_j is not None and written else None

    @property
    def write_amplification(self) -> float | None:
        """Bytes programmed for each byte that the host wrote, in the long run where it is known."""
        report = self.report
        return report.figure("long_run.write_amplification") or report.figure("write_amplification")

    @property
    def erased_per_byte(self) -> float:
        """Flash that it erases for each byte that the host writes, in the long run where that is known."""
        report = self.report
        return report.figure("long_run.flash_erased_per_byte") or report.flash_erased_per_byte or 0.0

    @property
    def cells_per_byte(self) -> float:
        """Cells for each byte that is exported, eight bits stored one a cell being 8: what a drive costs to make."""
        bits = int(self.report["drive"]["configuration"]["flash"].get("bits_per_cell", 1))
        return 8 / bits * float(self.report.derived["physical_bytes"]) / self.sized.drive.exported_bytes

    @property
    def controller_bytes(self) -> float:
        """Memory of the controller for the map and the tables of the schemes, at the size that is asked about."""
        return float(self.report.derived["controller_bytes"]) * self._times(self.report)

    @property
    def steady(self) -> bool:
        """Whether the figures had settled when the replay ended."""
        return bool(self.report.complete and self.report.long_run and self.report.long_run["steady"])

    def to_dict(self) -> dict[str, Any]:
        """Figures, settings and the drive, as plain data."""
        write = None if self.timed is None else self.timed["latency_ns"]["write"]
        return {
            "drive": self.label,
            "technique": self.rival.technique,
            "source": self.rival.source,
            "flash_bytes": round(self.flash_bytes),
            "cells_per_byte": self.cells_per_byte,
            "life_years": _plain(self.years),
            "tbw_bytes": _plain(self.tbw),
            "rated_tbw_bytes": self.rated_bytes,
            "cycles": (self.report.life or {}).get("cycles"),
            "cycles_between": self.cycles_between,
            "replay_error": self.error,
            "mean_response_ns": self.mean_response_ns,
            "write_p99_ns": write and write["p99"],
            "write_amplification": self.write_amplification,
            "energy_j_per_byte": self.energy_j_per_byte,
            "controller_bytes": self.controller_bytes,
            "steady": self.steady,
            "complete": self.report.complete,
            "drive_toml": self.sized.toml,
        }


def _plain(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"mean": interval.mean, "low": interval.low, "high": interval.high}
