"""Parts of a trace that are probably read otherwise than recorded, and the option that mends them.

`proposals` is for commands that show a trace. Each proposal is an option as it stands behind the file's name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewear.core.errors import RewearError
from rewear.core.trace import Trace
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time

PAGE_BYTES = 4096
SAMPLE = 20_000
"""Requests from the beginning of a trace that are looked at."""
_LEAST_UNALIGNED = 0.01
"""Share of requests that are not aligned, below which a shift is not worth a word."""
_MENDS = 0.8
"""A shift is proposed if it leaves less than this part of the unaligned requests."""
_MOST_BYTES_PER_S = 32e9
"""More than one drive moves: four lanes of PCIe 6.0 carry 30 GB in a second, before overhead."""
_UNITS = ("ns", "ticks", "us", "ms", "s")
"""Units of times that can be asked for."""
_USUAL_PER_S = (0.1, 200_000.0)
"""Requests a second that recordings of a volume have: from a desktop at rest to a loaded drive of many queues."""
_TYPICAL_PER_S = 20.0
"""Of several units with a usual rate the one nearest to this is named first: servers recorded for days have tens."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An option of the trace that would probably mend it."""

    option: str
    """As it stands behind the file's name: `shift_bytes=512`."""
    because: str
    """A sentence: what is seen, and what the option makes of it."""


def proposals(
    trace: Trace, info: Mapping[str, Any] | None = None, *, clock_jump: Mapping[str, Any] | None = None
) -> list[Proposal]:
    """Options that would probably mend `trace`, most harmful first.

    Args:
        trace: What is looked at, as it is read now.
        info: Its `Trace.info()`, where that is at hand. Without it the first 20,000 requests decide.
        clock_jump: The same of it, where only that is at hand.

    Raises:
        TraceError: The trace cannot be read.
    """
    sample = [each for each in trace.head(SAMPLE) if each["length_bytes"]]
    jump = clock_jump if info is None else info["clock_jump"]
    found = [_clock_jump(jump), _time_unit(trace, sample, info), _shift(sample)]
    return [each for each in found if each is not None]


def _clock_jump(jump: Mapping[str, Any] | None) -> Proposal | None:
    if jump is None:
        return None
    seconds = jump["cut_gaps_s"]
    return Proposal(
        f"cut_gaps_s={seconds}",
        f"{jump['problem']} No rate can be taken from these times, so no years are said. If the clock jumped, or the "
        f"host rested and is not to count so, :cut_gaps_s={seconds} behind the file's name takes it out.",
    )


def likely_shift(sample: Sequence[Mapping[str, Any]]) -> int | None:
    """Bytes to be added to every offset so that most requests of a sample begin at a page; `None` if most do now."""
    begins = Counter(-request["offset_bytes"] % PAGE_BYTES for request in sample if request["length_bytes"])
    return begins.most_common(1)[0][0] or None if begins else None


def _shift(sample: Sequence[Mapping[str, Any]]) -> Proposal | None:
    def unaligned(shift: int) -> int:
        return sum(
            bool((each["offset_bytes"] + shift) % PAGE_BYTES or each["length_bytes"] % PAGE_BYTES) for each in sample
        )

    shift, now = likely_shift(sample), unaligned(0)
    if shift is None or now <= len(sample) * _LEAST_UNALIGNED:
        return None
    left = unaligned(shift)
    if left >= now * _MENDS:
        return None
    begin = (PAGE_BYTES - shift) // 512
    return Proposal(
        f"shift_bytes={shift}",
        f"{format_share(now / len(sample))} of the first {format_count(len(sample))} requests are not aligned to "
        f"4 KiB, as of a partition that begins {begin} sectors behind a page (such as at sector 63). Each writes two "
        f"pages in part. :shift_bytes={shift} behind the file's name leaves {format_share(left / len(sample))}.",
    )


def _time_unit(trace: Trace, sample: Sequence[Mapping[str, Any]], info: Mapping[str, Any] | None) -> Proposal | None:
    if info is None:
        requests, took = len(sample), _took(sample)
        moved = sum(each["length_bytes"] for each in sample)
    else:
        requests, took = info["requests"], info["last_ns"] - info["first_ns"]
        moved = sum(info[kind]["bytes"] for kind in ("read", "write", "overwrite"))
    if took <= 0 or moved / took * 1e9 <= _MOST_BYTES_PER_S:
        return None
    rates = _rates(trace, requests / (took / 1e9), _took(sample))
    if not rates:
        return None
    best = min(rates, key=lambda unit: max(rates[unit] / _TYPICAL_PER_S, _TYPICAL_PER_S / rates[unit]))
    also = [f"{unit} ({format_number(rate)})" for unit, rate in rates.items() if unit != best]
    others = f" Other units that are possible: {', '.join(also)}." if also else ""
    return Proposal(
        f"time_unit={best}",
        f"{format_count(requests)} requests in {format_time(took)} move {format_bytes(moved / took * 1e9)} a second, "
        f"more than any drive: the times are probably in another unit. :time_unit={best} behind the file's name makes "
        f"them {format_number(rates[best])} requests a second.{others}",
    )


def _rates(trace: Trace, rate: float, took_ns: int) -> dict[str, float]:
    """Usual ones among the requests a second under each unit that the format lets one choose."""
    rates: dict[str, float] = {}
    for unit in _UNITS:
        try:
            took = _took(trace.read_as(time_unit=unit).head(SAMPLE))
        except RewearError:
            continue
        least, most = _USUAL_PER_S
        if took and least <= rate * took_ns / took <= most:
            rates[unit] = rate * took_ns / took
    return rates


def _took(sample: Sequence[Mapping[str, Any]]) -> int:
    """Nanoseconds from the first request of a sample to the last."""
    return int(sample[-1]["at_ns"] - sample[0]["at_ns"]) if sample else 0
