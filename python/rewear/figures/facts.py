"""The replay and its options, as labels and values for people; the command line and the page both show them."""

from collections.abc import Mapping
from typing import Any

from rewear.core.report import Report
from rewear.core.workload import Region
from rewear.figures.units import format_bytes, format_count, format_share, format_time

Facts = list[tuple[str, str]]
STARTS = {
    "none": "erased", "fill": "filled once", "steady": "in steady state"
}  # fmt: skip
"""How a drive began, by the name of the precondition."""


def trace_facts(info: dict[str, Any]) -> Facts:
    """Of `Trace.info()`."""
    described = info["description"]
    facts = [
        ("name", described["name"]),
        ("format", described["format"]),
        ("unit of times", described["time_unit"]),
        ("note", described["note"]),
        ("requests", format_count(info["requests"])),
        *((kind, _operation(info[kind])) for kind in ("read", "write", "overwrite", "trim") if info[kind]["requests"]),
        ("flush", _some(info["flushes"], "requests")),
        ("updates of handles", _some(info["handle_updates"], "requests")),
        ("written at least once", _pages(info["distinct_pages_written"])),
        ("touched at least once", _pages(info["distinct_pages_touched"])),
        ("duration", format_time(info["last_ns"] - info["first_ns"])),
        ("smallest drive it fits on", _smallest_drive(info)),
        ("volumes", ", ".join(info["volumes"])),
        ("not aligned to 4 KiB", _some(info["unaligned_requests"], "requests", info["requests"])),
        ("earlier than the one before", _some(info["backwards_times"], "requests", info["requests"])),
        ("without length", _some(info["empty_requests"], "requests", info["requests"])),
        ("with known content", _some(info["requests_with_content"], "requests", info["requests"])),
        *_omissions(info["omissions"]),
    ]
    return [(label, value) for label, value in facts if value]


def _smallest_drive(info: Mapping[str, Any]) -> str:
    """Up to the last byte; of several volumes, whose addresses overlap, what they touch side by side."""
    end, touched = info["end_bytes"], 4096 * info["distinct_pages_touched"]
    if len(info["volumes"]) < 2:
        return f"{format_bytes(end)} ({end:,} bytes)"
    return (
        f"{format_bytes(touched)} ({touched:,} bytes) with the pages of its volumes side by side (fit: dense); "
        f"{format_bytes(end)} for the largest volume alone"
    )


def trace_times(replay: Mapping[str, Any]) -> str:
    """How a replay took the times of its trace."""
    scale = replay.get("time_scale")
    return "at the trace's times" if scale is None else f"at the trace's times, taken {scale:g} times as long"


def replay_facts(report: Report) -> Facts:
    """Of the options and the preconditioning of a replay."""
    replay = report["replay"]
    prepared = replay["preconditioned"]
    queue = f", {replay['queue_depth']} in flight" if replay["arrival_used"] == "closed" else ""
    start = STARTS[prepared["mode"]]
    if prepared["pages_written"]:
        start += f", after {format_count(prepared['pages_written'])} page writes"
    if prepared["write_amplification"] is not None:
        start += f", at a write amplification of {prepared['write_amplification']:.2f}"
    if prepared["steady"] is False:
        start += " (not steady)"
    facts = [
        ("arrival", {"trace": trace_times(replay), "closed": "closed loop"}[replay["arrival_used"]] + queue),
        ("drive at the start", start),
        ("passes", format_count(replay["passes"])),
        ("stopped after", _some(replay["max_requests"], "requests")),
        (
            "addresses beyond the drive",
            {"dense": "numbered densely", "modulo": "wrapped around", None: ""}[replay["fit"]],
        ),
        ("seed", str(report.seed)),
    ]
    return [(label, value) for label, value in facts if value]


def omitted(report: Report) -> list[str]:
    """Parts of the trace that a replay left out or changed, as sentences; none for a workload and a clean trace."""
    counts = report["source"]["omissions"]
    said = {
        "bad_lines": ("1 malformed line was skipped.", "{} malformed lines were skipped."),
        "ignored_lines": ("1 line that is no request was left out.", "{} lines that are no requests were left out."),
        "other_volumes": ("1 request of another volume was left out.", "{} requests of other volumes were left out."),
        "before_first": (
            "1 request is dated before the first of the trace, and was replayed at its time.",
            "{} requests are dated before the first of the trace, and were replayed at its time.",
        ),
        "backwards_times": (
            "Times go backwards once: that request was replayed at the latest time before it.",
            "Times go backwards {} times: those requests were replayed at the latest time before them.",
        ),
    }
    return [
        one if counts[key] == 1 else several.format(format_count(counts[key]))
        for key, (one, several) in said.items()
        if counts.get(key)
    ]


def region_facts(region: Region | None) -> Facts:
    """Of what a workload took from the drives."""
    if region is None:
        return []
    size = format_bytes(region.pages * region.page_bytes)
    return [("region, unless the workload names one", f"{_pages(region.pages, region.page_bytes)} ({size})")]


def _operation(counts: dict[str, int]) -> str:
    """Counts of one kind of request."""
    distinct = f"{_pages(counts['pages'])}, {format_count(counts['distinct_pages'])} distinct"
    return f"{format_count(counts['requests'])} requests, {format_bytes(counts['bytes'])}, {distinct}"


def _pages(count: int, page_bytes: int = 4096) -> str:
    return f"{format_count(count)} pages of {page_bytes / 1024:g} KiB"


def _some(count: int | None, noun: str, total: int | None = None) -> str:
    """A count, with its share of a total; nothing where it is zero."""
    if not count:
        return ""
    return f"{format_count(count)} {noun}" + (f" ({format_share(count / total)})" if total else "")


def _omissions(counts: dict[str, int]) -> Facts:
    return [
        ("left out: malformed lines", _some(counts["bad_lines"], "lines")),
        ("left out: other lines", _some(counts["ignored_lines"], "lines")),
        ("left out: other volumes", _some(counts["other_volumes"], "requests")),
        ("before the first", _some(counts["before_first"], "requests")),
    ]
