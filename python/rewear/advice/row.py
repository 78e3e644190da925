"""One row of the advice table at the requested capacity."""

from dataclasses import dataclass
from typing import Any

from rewear.advice.rivals import Rival
from rewear.advice.sizing import Sized
from rewear.core.report import Report
from rewear.figures.uncertainty import Interval

YEAR_S = 365.25 * 86400.0
LEAST_RESPONSE_NS = 8_000.0
"""Time below which no response of a drive on sale is told: what a request costs a host and a controller, which are not
modelled. It is the least median write of the measured drives in `experiments/twins/latency.csv`."""
_CHANGE = 0.05
"""Change of the flash erased for a byte, as the replay became twice as long, above which a drive is not steady."""
MOST_RESPONSE_NS = 100_000_000
"""Mean response above which a drive does not follow the recording: its requests queue, and times tell the queue."""


@dataclass(frozen=True, slots=True)
class Row:
    """A drive of the answer and what came of it."""

    rival: Rival
    sized: Sized
    report: Report
    flash_bytes: float
    """Flash of the requested drive in bytes."""
    bytes_per_second: float | None
    """What the host writes a second, as recorded; `None` where years cannot be said."""
    error: float = 0.0
    """Part by which the bytes that the drive takes may be off, since the replayed drive is smaller or is not steady."""
    rated_bytes: float | None = None
    """Ratings of named drives of the class, at the requested capacity."""
    response: Report | None = None
    """A replay at the recorded times, where response times are of another than `report`."""
    carried: float = 1.0
    """What the life of the whole drive is over that of the replayed one, which has fewer units."""

    @property
    def label(self) -> str:
        """What the drive is called."""
        return self.rival.label

    @property
    def tbw(self) -> Interval | None:
        """Bytes that the host may write until the drive dies: with the least and the most cycles that are published.

        `None` where the replay erased nothing, or nothing says what blocks endure.
        """
        life = self.report.life
        if life is None:
            return None
        mean = self.replayed_tbw * self.carried
        least, most = life.get("tbw_bytes_between") or (life["tbw_bytes"],) * 2
        low, high = (mean * (each / life["tbw_bytes"]) for each in (least, most))
        return Interval(mean, low * (1 - self.error), high * (1 + self.error))

    @property
    def replayed_tbw(self) -> float:
        """Bytes until the drive dies if it had as many units as the replayed one; 0 where nothing says so."""
        life = self.report.life
        return 0.0 if life is None else float(life["tbw_bytes"]) * self._times(self.report)

    def life_over(self, other: "Row") -> float | None:
        """The life over another drive's of as many units; `None` where one is not known, or one was not steady."""
        if not (self.steady and other.steady and self.replayed_tbw and other.replayed_tbw):
            return None
        return self.replayed_tbw / other.replayed_tbw

    def _times(self, report: Report) -> float:
        """Cells of the requested drive over those of the replayed one."""
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

    def _told(self, response_ns: float | None) -> float | None:
        """A response that is no less than a host's own cost, of drives on sale; others only compare."""
        if response_ns is None or self.rival.axis != "sold":
            return response_ns
        return max(response_ns, LEAST_RESPONSE_NS)

    @property
    def flushes(self) -> dict[str, Any] | None:
        """How long flushes waited, as `latency_ns.flush` of the report; `None` where there were none."""
        found: dict[str, Any] | None = None if self.timed is None else self.timed["latency_ns"].get("flush")
        return found

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
        """Controller memory in bytes for the map and the schemes' tables, at the requested capacity."""
        return float(self.report.derived["controller_bytes"]) * self._times(self.report)

    @property
    def steady(self) -> bool:
        """Whether the figures had settled when the replay ended."""
        long_run = self.report.long_run
        if not self.report.complete or not long_run or not long_run["steady"]:
            return False
        # What creeps over many passes drifts little at any time.
        return long_run["change"] is not None and abs(long_run["change"]) <= _CHANGE

    def to_dict(self) -> dict[str, Any]:
        """Figures, settings and the drive, as plain data."""
        write = None if self.timed is None else self.timed["latency_ns"]["write"]
        return {
            "drive": self.label,
            "technique": self.rival.technique,
            "source": self.rival.source,
            "flash_bytes": round(self.flash_bytes),
            "cells_per_byte": self.cells_per_byte,
            "life_years": self.years and self.years.bounds(),
            "tbw_bytes": self.tbw and self.tbw.bounds(),
            "rated_tbw_bytes": self.rated_bytes,
            "cycles": (self.report.life or {}).get("cycles"),
            "cycles_between": self.cycles_between,
            "replay_error": self.error,
            "mean_response_ns": self._told(self.mean_response_ns),
            "write_p99_ns": self._told(write and write["p99"]),
            "flush_wait_ns": None if self.flushes is None else self._told(self.flushes["mean"]),
            "write_amplification": self.write_amplification,
            "energy_j_per_byte": self.energy_j_per_byte,
            "controller_bytes": self.controller_bytes,
            "steady": self.steady,
            "complete": self.report.complete,
            "drive_toml": self.sized.toml,
        }
