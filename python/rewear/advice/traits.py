"""What of a workload decides which technique helps."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewear.core.drive import Source
from rewear.core.progress import ProgressCallback
from rewear.core.trace import Trace
from rewear.core.trace_proposals import PAGE_BYTES, SAMPLE, likely_shift
from rewear.figures.units import format_bytes, format_count, format_share, format_time

_STREAMS = 32


@dataclass(frozen=True, slots=True)
class Traits:
    """What one pass over a workload found, for one replay of it."""

    name: str
    requests: int
    writes: int
    """Requests that write, overwrites included."""
    reads: int
    bytes_written: int
    pages_written: int
    """Pages of 4 KiB written, every time counted."""
    distinct_written: int
    touched_bytes: int
    """Pages of 4 KiB touched at least once, in bytes."""
    end_bytes: int
    """The first byte behind all requests."""
    duration_ns: int | None
    """From the first to the last request; `None` where there are no times."""
    unaligned: int
    shift_bytes: int | None
    """Shift of all offsets after which far fewer requests are unaligned, if there is one."""
    unaligned_when_shifted: int
    sequential_share: float | None
    """Share of the writes that begin where one of the streams before them ended; `None` if not counted."""
    with_content: int
    overwrites: int
    trims: int
    streams: int
    """Streams that the host names with its writes, in the sample; 0 or 1: it tells nothing apart."""
    made_up: bool
    """Whether further passes draw other requests, which may lie behind `end_bytes`."""
    volumes: tuple[str, ...]
    """The volumes (disks of their own) whose requests are taken, in the order in which they come."""
    clock_jump: Mapping[str, Any] | None = None
    """Why no rate can be taken from the times (`problem`), and what takes it out (`cut_gaps_s`)."""
    busiest_volume: tuple[str, float] | None = None
    """Of several volumes the one that writes most, and its share of the bytes written in the sample."""

    def has(self, need: str) -> bool:
        """Whether the workload has what a technique needs: `content` or `overwrites`."""
        return bool({"content": self.with_content, "overwrites": self.overwrites}[need])

    @property
    def bytes_per_second(self) -> float | None:
        """Bytes written a second, or `None` where there are no times."""
        return self.bytes_written / (self.duration_ns / 1e9) if self.duration_ns else None

    def lines(self) -> list[tuple[str, str]]:
        """The five lines that matter: a heading and a sentence each."""
        operations = self.writes + self.reads
        mean = format_bytes(self.bytes_written / self.writes) if self.writes else "nothing"
        times = self.pages_written / self.distinct_written if self.distinct_written else 0
        took = f" in {format_time(self.duration_ns)}" if self.duration_ns else ""
        sequential = (
            "" if self.sequential_share is None else f"; {format_share(self.sequential_share)} continue a stream"
        )
        several = f" on {len(self.volumes)} volumes" if len(self.volumes) > 1 else ""
        write_share = format_share(self.writes / operations) if operations else "none"
        return [
            ("size", f"{format_count(self.requests)} requests{took}, {format_bytes(self.bytes_written)} written to "
                     f"{format_bytes(self.distinct_written * PAGE_BYTES)} of pages, {times:.1f} times each{several}"),
            ("writes", f"{write_share} of reads and writes are writes, of {mean} on average{sequential}"),
            ("alignment", self.alignment()),
            ("content", f"known of {format_share(self.with_content / self.requests)} of the requests"
                        if self.with_content else "not known"),
            ("overwrites", f"{format_count(self.overwrites)} only clear bits" if self.overwrites
                           else "none is marked as one that only clears bits"),
        ]  # fmt: skip

    def alignment(self) -> str:
        """How many requests are not aligned, and what would align them."""
        if not self.requests or self.unaligned <= self.requests // 1000:
            return "requests are aligned to 4 KiB"
        text = f"{format_share(self.unaligned / self.requests)} of the requests are not aligned to 4 KiB"
        if self.shift_bytes is None:
            return text
        left = format_share(self.unaligned_when_shifted / self.requests)
        return f"{text}; :shift_bytes={self.shift_bytes} behind the file's name leaves {left}"


def traits_of(source: Source, progress: ProgressCallback | None = None) -> Traits:
    """Reads the whole of `source` and finds what matters.

    Raises:
        TraceError: The trace cannot be read.
    """
    info = source.info(progress) if isinstance(source, Trace) else source.info()
    sample = source.head(SAMPLE) if isinstance(source, Trace) else []
    shift, left = _mending_shift(source, info, sample, progress)
    chosen = source.volume if isinstance(source, Trace) else None
    volumes = tuple(info["volumes"]) if chosen is None else (chosen,)
    write, overwrite = info["write"], info["overwrite"]
    timed = bool(info["description"]["timed"])
    return Traits(
        name=info["description"]["name"],
        requests=info["requests"],
        writes=write["requests"] + overwrite["requests"],
        reads=info["read"]["requests"],
        bytes_written=write["bytes"] + overwrite["bytes"],
        pages_written=write["pages"] + overwrite["pages"],
        distinct_written=info["distinct_pages_written"],
        touched_bytes=info["distinct_pages_touched"] * PAGE_BYTES,
        end_bytes=info["end_bytes"],
        # Times of a clock that jumped are none.
        duration_ns=(info["last_ns"] - info["first_ns"]) or None if timed and info["clock_jump"] is None else None,
        unaligned=info["unaligned_requests"],
        shift_bytes=shift,
        unaligned_when_shifted=left,
        sequential_share=_sequential(sample),
        with_content=info["requests_with_content"],
        overwrites=overwrite["requests"],
        trims=info["trim"]["requests"],
        streams=len({request["stream"] for request in sample if request["operation"] in ("write", "overwrite")}),
        made_up=not isinstance(source, Trace),
        volumes=volumes,
        clock_jump=info["clock_jump"],
        busiest_volume=_busiest(sample) if len(volumes) > 1 else None,
    )


def _mending_shift(
    source: Source, info: dict[str, Any], sample: Sequence[dict[str, Any]], progress: ProgressCallback | None
) -> tuple[int | None, int]:
    """The shift that aligns most of the requests that begin nowhere in particular, and how many stay unaligned.

    The sample proposes it; a pass over the whole trace says what it does.
    """
    unaligned = info["unaligned_requests"]
    shift = likely_shift(sample)
    if not isinstance(source, Trace) or unaligned <= info["requests"] // 100 or shift is None:
        return None, unaligned
    left = int(source.shifted(shift).info(progress)["unaligned_requests"])
    return (shift, left) if left < unaligned * 0.8 else (None, unaligned)


def _busiest(sample: Sequence[dict[str, Any]]) -> tuple[str, float] | None:
    """The volume that writes most in a sample, with its share of the bytes written."""
    written: Counter[str] = Counter()
    for request in sample:
        if request["operation"] in ("write", "overwrite"):
            written[request["volume"] or ""] += request["length_bytes"]
    if not written.total():
        return None
    (name, most), *_ = written.most_common(1)
    return name, most / written.total()


def _sequential(sample: Sequence[dict[str, Any]]) -> float | None:
    """Share of the writes of a sample that begin where one of the latest streams ended."""
    streams: dict[tuple[str | None, int], None] = {}
    writes = [request for request in sample if request["operation"] in ("write", "overwrite")]
    found = 0
    for request in writes:
        volume, offset = request["volume"], request["offset_bytes"]
        if (volume, offset) in streams:
            found += 1
            del streams[volume, offset]
        elif len(streams) >= _STREAMS:
            del streams[next(iter(streams))]
        streams[volume, offset + request["length_bytes"]] = None
    return found / len(writes) if writes else None
