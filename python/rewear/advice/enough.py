"""Whether a recording tells enough for an answer: bounds set, with their reasons, before any answer was seen."""

import math
from typing import Final

from rewear.advice.traits import Traits
from rewear.core.trace_proposals import PAGE_BYTES
from rewear.figures.units import format_count, format_number, format_share, format_time

LEAST_REWRITES: Final = 1000
"""Pages written again: what of them is hot is then known to 3%, one over the square root."""
LEAST_REWRITTEN: Final = 0.2
"""Pages written again over distinct pages written. Below it the passes over the recording and not the host decide which
page is written again, and in which order."""
LEAST_WRITES: Final = 4.0
"""Writes for a page of the live data below which the answer is in doubt. A page that is written as often as the mean is
missed by the recording with probability e^-4, 2%: the drift at which a replay counts as steady."""
LEAST_NS: Final = 300 * 10**9
"""Length below which a rate is none: Linux writes dirty pages back after 30 s, and this is ten times that."""
MOST_YEARS: Final = 50.0
"""Longest life in a table: no field data reach beyond it."""
_DAY_NS: Final = 86_400 * 10**9
_HOUR_NS: Final = 3600 * 10**9


def refusal(traits: Traits) -> str | None:
    """Why nothing can be said, and how much to record; `None` where the recording tells enough."""
    if traits.made_up:
        # It is drawn for as long as it takes.
        return None
    rewritten = traits.pages_written - traits.distinct_written
    wanted = max(LEAST_REWRITES, math.ceil(LEAST_REWRITTEN * traits.distinct_written))
    if rewritten >= wanted:
        return None
    share = format_share(rewritten / traits.distinct_written) if traits.distinct_written else "none"
    return (
        f"Cannot say: {traits.name} writes {format_count(traits.pages_written)} pages of 4 KiB and writes "
        f"{format_count(rewritten)} of them again ({share} of the distinct ones). Wear is rewriting; an answer takes "
        f"{format_count(LEAST_REWRITES)} pages written again, and a fifth of the distinct ones. "
        f"{_record(traits, wanted / rewritten if rewritten else math.inf)}"
    )


def doubt(traits: Traits) -> str | None:
    """Why the lives may be too long though enough is written again; `None` where hot and cold are known."""
    if traits.made_up:
        return None
    times = _writes_per_page(traits)
    if times >= LEAST_WRITES:
        return None
    # Said once: years that cannot be said ask for as long a recording.
    record = "" if _too_short(traits) else f" {_record(traits, LEAST_WRITES / times if times else math.inf)}"
    return (
        f"In doubt: {traits.name} has {format_number(times, 2)} writes for a page of its data. Below "
        f"{LEAST_WRITES:g} it is not known which pages are cold and which had no turn yet; where they had none, more "
        f"is moved and drives live shorter.{record}"
    )


def years_refusal(traits: Traits) -> str | None:
    """Why years cannot be said though bytes can; `None` where they can."""
    if traits.duration_ns is None and traits.clock_jump is None:
        return "How many years cannot be said: the recording has no times."
    if traits.clock_jump is not None:
        problem, seconds = traits.clock_jump["problem"], traits.clock_jump["cut_gaps_s"]
        return (
            f"How many years cannot be said: {problem} So the recording has no rate; :cut_gaps_s={seconds} behind its "
            "name takes the jump out."
        )
    if _too_short(traits):
        assert traits.duration_ns is not None
        times = _writes_per_page(traits)
        factor = max(LEAST_NS / traits.duration_ns, LEAST_WRITES / times if times else math.inf)
        return (
            f"How many years cannot be said: the recording has {format_time(traits.duration_ns)}, and a rate takes "
            f"{format_time(LEAST_NS)} at least. {_record(traits, factor)}"
        )
    return None


def _too_short(traits: Traits) -> bool:
    return traits.clock_jump is None and traits.duration_ns is not None and 0 < traits.duration_ns < LEAST_NS


def _writes_per_page(traits: Traits) -> float:
    return traits.pages_written * PAGE_BYTES / max(traits.touched_bytes, PAGE_BYTES)


def _record(traits: Traits, factor: float) -> str:
    """How long to record, where the recording is to grow by a factor."""
    if traits.duration_ns is None or math.isinf(factor):
        return "Record a day (24 hours)."
    wanted = max(traits.duration_ns * factor, LEAST_NS)
    if wanted > 30 * _DAY_NS or traits.duration_ns < 10**9:
        return "Record a day (24 hours)."
    hours = max(1.0, math.ceil(wanted / _HOUR_NS))
    return f"Record {format_number(hours)} hour{'s' if hours > 1 else ''}."
