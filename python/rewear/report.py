"""The result of one replay."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewear.errors import ReplayError
from rewear.frames import Frames, pairs_table
from rewear.series import Series

__all__ = ["ErasesPerBlock", "Latency", "PagesProgrammed", "Report"]


@dataclass(frozen=True, slots=True)
class Latency:
    """Response times of one kind of request, in nanoseconds, from arrival to completion."""

    count: int
    mean: float
    min: int
    p50: int
    p95: int
    p99: int
    p999: int
    max: int


@dataclass(frozen=True, slots=True)
class PagesProgrammed:
    """Physical pages programmed, by cause. `total` is the sum of the other four."""

    host: int
    moved: int
    rewritten: int
    metadata: int
    total: int


@dataclass(frozen=True, slots=True)
class ErasesPerBlock:
    """How the erases are spread over the blocks of the drive."""

    min: int
    mean: float
    max: int
    stddev: float

    @property
    def spread(self) -> float | None:
        """Standard deviation over mean (0 is perfectly even), or `None` if nothing was erased."""
        return self.stddev / self.mean if self.mean else None


class Report(Frames):
    """Statistics of one replay, in the one schema of Rewear.

    The main figures are attributes; `to_dict()` and `to_json()` give everything. They have the full configuration of
    the drive, its derived quantities and the seed, so a report can be repeated from itself. Pages are physical pages
    unless the name says `host`; times are integer nanoseconds of simulated time.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Wraps statistics that `Drive.replay` or `rewear run --json` produced."""
        self._data = dict(data)

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Reads what `to_json()` or `rewear run --json` wrote."""
        return cls(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain dictionaries, lists and numbers (a copy)."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON text. The same replay gives the same bytes."""
        return json.dumps(self._data, indent=indent, ensure_ascii=False)

    def records(self) -> list[dict[str, Any]]:
        """One row: `drive`, then every figure of a comparison by its key (`rewear.metrics.METRICS`)."""
        from rewear.metrics import METRICS

        return [{"drive": self.drive_name, **{metric.key: metric.value(self) for metric in METRICS}}]

    def _repr_html_(self) -> str:
        from rewear.metrics import metrics_for

        pairs = [(metric.title, metric.format(self)) for metric in metrics_for([self])]
        return pairs_table(f"{self['source']['name']} on {self.drive_name}", pairs, self.notes)

    def __getitem__(self, key: str) -> Any:
        """A top-level entry of the schema, for instance `report["busy_ns"]`."""
        return self._data[key]

    @property
    def drive_name(self) -> str:
        """Name of the drive."""
        return str(self._data["drive"]["name"])

    @property
    def derived(self) -> dict[str, Any]:
        """Derived quantities of the drive by key, for instance `exported_bytes`."""
        return {quantity["key"]: quantity["value"] for quantity in self._data["drive"]["derived"]}

    @property
    def complete(self) -> bool:
        """Whether the whole source was replayed; if not, `stopped_because` says why."""
        return bool(self._data["complete"])

    @property
    def stopped_because(self) -> str | None:
        """Why the replay ended early, or `None`."""
        reason: str | None = self._data["stopped_because"]
        return reason

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the figures must know, for instance that garbage collection never ran."""
        return tuple(self._data["notes"])

    @property
    def miniature(self) -> dict[str, Any] | None:
        """How large a sample the figures are of, on how small a drive; `None` where they are of the whole."""
        found: dict[str, Any] | None = self._data.get("miniature")
        return found

    @property
    def seed(self) -> int:
        """Seed of every random choice of the replay."""
        return int(self._data["seed"])

    @property
    def erases(self) -> int:
        """Blocks erased."""
        return int(self._data["erases"])

    @property
    def erases_in_second_half(self) -> int | None:
        """Blocks erased since the host had written half of its pages; `None` in reports of older versions."""
        value: int | None = self._data.get("erases_in_second_half")
        return value

    @property
    def victim_valid_share(self) -> float | None:
        """Mean share of valid pages in the victims of cleaning, or `None` if there was none."""
        value: float | None = self._data.get("victim_valid_share")
        return value

    @property
    def second_writes(self) -> dict[str, int] | None:
        """What a drive with `reuse.scheme = second-write` did; `None` on other drives.

        Keys: `written`, `read`, `moved`, `encoding_failures`, `fallbacks`, `pages_prefetched`, `recycled_blocks`,
        `reused_blocks`, `most_blocks`.
        """
        figures: dict[str, int] | None = self._data.get("second_writes")
        return figures

    def second_writes_figure(self, key: str) -> int | None:
        """One entry of `second_writes`, or `None` where there is none."""
        return None if self.second_writes is None else self.second_writes.get(key)

    @property
    def erase_equivalents(self) -> float:
        """Erases plus the part of its present cycle that each block has used up: what a short run will yet cost."""
        return float(self._data["erase_equivalents"])

    @property
    def flash_erased_bytes(self) -> int | None:
        """Bytes of flash erased, begun cycles included by the part used; `None` in reports of older versions."""
        value: int | None = self._data.get("flash_erased_bytes")
        return value

    @property
    def flash_erased_per_byte(self) -> float | None:
        """Bytes of flash erased for each byte the host wrote, or `None` if it wrote none. Lower is better."""
        value: float | None = self._data.get("flash_erased_per_byte")
        return value

    @property
    def pe_cycles(self) -> dict[str, Any] | None:
        """P/E cycles of the blocks: `mean` (begun cycles included), `most`, `least`, `stddev`, `distribution`.

        The distribution is a list of classes `{"from": .., "to": .., "blocks": ..}` of whole cycles. `None` in reports
        of older versions.
        """
        cycles: dict[str, Any] | None = self._data.get("pe_cycles")
        return cycles

    @property
    def write_amplification(self) -> float | None:
        """Bytes programmed into cells for each byte the host wrote, or `None` if it wrote none."""
        value: float | None = self._data["write_amplification"]
        return value

    @property
    def write_amplification_of_data(self) -> float | None:
        """The same in data capacity: bytes of data programmed for each byte the host wrote."""
        value: float | None = self._data.get("write_amplification_of_data")
        return value

    @property
    def code_expansion(self) -> float | None:
        """Bytes programmed into cells for each byte of data programmed: 1 on a plain drive."""
        value: float | None = self._data.get("code_expansion")
        return value

    @property
    def long_run(self) -> dict[str, Any] | None:
        """Figures of the second half of the run, or `None` if the run was too short to divide.

        Keys: `host_bytes_written`, `flash_erased_bytes`, `flash_erased_per_byte`, the three of write amplification,
        `pe_cycles`, `drift` (last quarter over the one before, less 1), `steady`.
        """
        figures: dict[str, Any] | None = self._data.get("long_run")
        return figures

    @property
    def too_short(self) -> dict[str, Any] | None:
        """Why the run says little about wear: `because`, `host_bytes_needed`, `loops_needed`; else `None`."""
        reasons: dict[str, Any] | None = self._data.get("too_short")
        return reasons

    @property
    def life(self) -> dict[str, Any] | None:
        """How long the drive lives under this workload, or `None` where nothing says what its blocks endure.

        Keys: `simulated`, `tbw_bytes`, `drive_writes`, `drive_writes_per_day` (over five years), `years` (at the rate
        of the run), `host_bytes_per_day`, `rate`, `ends`, `cycles`, `source`, `uncorrectable_cycles`, `evenness`,
        `reprogram_share`; `coarse_share` where coarse program steps wear.
        """
        figures: dict[str, Any] | None = self._data.get("life")
        return figures

    @property
    def host_pages_written(self) -> int:
        """Logical pages the host wrote."""
        return int(self._data["host_pages_written"])

    @property
    def host_pages_read(self) -> int:
        """Logical pages the host read."""
        return int(self._data["host_pages_read"])

    @property
    def pages_moved(self) -> int:
        """Logical pages that garbage collection moved."""
        return int(self._data["pages_moved"])

    @property
    def pages_rewritten(self) -> int:
        """Logical pages rewritten to be read more cheaply."""
        return int(self._data.get("pages_rewritten", 0))

    @property
    def effort(self) -> dict[str, Any] | None:
        """What was done in which programming mode, or `None` where the effort scheme has no choice."""
        effort: dict[str, Any] | None = self._data.get("effort")
        return effort

    @property
    def queues(self) -> dict[str, float] | None:
        """Operations that each die or plane had before it when requests arrived, or `None` unless asked for."""
        queues: dict[str, float] | None = self._data.get("queues")
        return queues

    @property
    def mean_response_ns(self) -> float | None:
        """Mean response time of reads and writes together, or `None` if none was served."""
        mean: float | None = self._data.get("mean_response_ns")
        return mean

    @property
    def writes_recycled(self) -> int:
        """Host page writes answered without a program, because the content still lay on the flash."""
        return int(self._data["writes_recycled"])

    @property
    def writes_deduplicated(self) -> int:
        """Host page writes answered without a program by sharing a valid page with the same content."""
        return int(self._data["writes_deduplicated"])

    @property
    def recycling(self) -> dict[str, Any] | None:
        """What the recycling scheme did: look-ups, hits, comparisons and the like; `None` without a scheme."""
        recycling: dict[str, Any] | None = self._data["recycling"]
        return recycling

    @property
    def streams(self) -> list[dict[str, Any]] | None:
        """Pages by stream, where `ftl.streams` counts them; `None` on other drives.

        A row for each placement identifier (`host`) or class (`sep-bit`). Keys: `stream`, `pages_written`,
        `bytes_written`, `pages_moved`, and `write_amplification`, `None` where pages change their stream when moved.
        """
        streams: dict[str, Any] | None = self._data.get("streams")
        return None if streams is None else list(streams["rows"])

    @property
    def slc_cache(self) -> dict[str, Any] | None:
        """What went to the cache of `ftl.slc_cache`; `None` on other drives.

        Keys: `bytes_cached` and `bytes_direct` (host writes into the cache and past it), `bytes_folded` (moved out of
        it), `folds`, `idle_folds`, and `erases` (blocks erased while their cells held one bit each).
        """
        cache: dict[str, Any] | None = self._data.get("slc_cache")
        return cache

    @property
    def writes_absorbed(self) -> int:
        """Host page writes never programmed, because the page was written again or trimmed in the write buffer."""
        return int(self._data.get("writes_absorbed", 0))

    @property
    def reads_from_buffer(self) -> int:
        """Host page reads answered from the write buffer."""
        return int(self._data.get("reads_from_buffer", 0))

    @property
    def seals(self) -> int:
        """Erase units whose high pages were opened for writing while their low pages kept their data."""
        return int(self._data.get("seals", 0))

    @property
    def overwrites(self) -> int:
        """Host writes by the overwrite command that came to the flash of a drive that makes use of it."""
        return int(self._data.get("overwrites", 0))

    @property
    def erase_suspensions(self) -> int:
        """Erases suspended for a host's read, counted each time."""
        return int(self._data.get("erase_suspensions", 0))

    @property
    def reprograms(self) -> int:
        """Programs of pages that had been programmed since their last erase."""
        return int(self._data["reprograms"])

    @property
    def garbage_collections(self) -> int:
        """Victim blocks that garbage collection cleaned."""
        return int(self._data["garbage_collections"])

    @property
    def simulated_ns(self) -> int:
        """Simulated time of the replay, in nanoseconds.

        Raises:
            ReplayError: The replay kept no time.
        """
        time = self._data["simulated_ns"]
        if time is None:
            raise ReplayError("This replay kept no time, so it has no simulated time. Replay without no_time.")
        return int(time)

    @property
    def energy_j(self) -> dict[str, float] | None:
        """Energy of the flash by cause and in `total`, in joules: an estimate. `None` without `flash.energy`."""
        energy: dict[str, float] | None = self._data.get("energy_j")
        return energy

    @property
    def series(self) -> Series | None:
        """What happened in each interval of simulated time, or `None` unless `interval_s` was given."""
        series = self._data.get("series")
        return None if series is None else Series(series)

    @property
    def host_pages_held(self) -> int | None:
        """Logical pages that hold data at the end; `None` on live drives and in reports of older versions."""
        pages: int | None = self._data.get("host_pages_held")
        return pages

    @property
    def pages_programmed(self) -> PagesProgrammed:
        """Physical pages programmed, by cause."""
        return PagesProgrammed(**self._data["pages_programmed"])

    @property
    def erases_per_block(self) -> ErasesPerBlock:
        """Spread of the erases over the blocks."""
        return ErasesPerBlock(**self._data["erases_per_block"])

    @property
    def read_latency(self) -> Latency | None:
        """Response times of reads, or `None` if none was served."""
        return _latency(self._data["latency_ns"]["read"])

    @property
    def write_latency(self) -> Latency | None:
        """Response times of writes, or `None` if none was served."""
        return _latency(self._data["latency_ns"]["write"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        figures = f"{self.host_pages_written} host pages written, {self.erases} erases"
        return f"<rewear.Report of {self.drive_name!r}: {figures}, {state}>"


def _latency(figures: Mapping[str, Any] | None) -> Latency | None:
    return None if figures is None else Latency(**figures)
