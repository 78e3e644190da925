"""Results of an analysis, in sentences and in tables; the command line shows the same."""

from collections.abc import Sequence
from typing import Any

from rewear.core.analysis import Analysis
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time


def headline(analysis: Analysis) -> str:
    """The one sentence to remember: how much of what is written is written again."""
    rewrites = analysis["rewrites"]
    if not rewrites["page_writes"]:
        return "Nothing is written"
    return f"{_share(rewrites['rewrites'], rewrites['page_writes'])} of the pages written had been written before"


def summary(analysis: Analysis) -> str:
    """The trace that was analysed."""
    described = analysis["description"]
    duration = format_time(analysis["arrivals"]["duration_ns"])
    return (
        f"{described['name']} ({described['format']}): {format_count(analysis.requests)} requests in {duration}, "
        f"{format_bytes(_bytes(analysis, 'read'))} read, {format_bytes(_written_bytes(analysis))} written."
    )


def findings(analysis: Analysis) -> list[str]:
    """A sentence an analysis, where there is something to say."""
    found = [
        _footprint(analysis),
        _rewrites(analysis),
        _overlap(analysis),
        _content(analysis),
    ]
    return [sentence for sentence in found if sentence]


def operation_rows(analysis: Analysis) -> tuple[Sequence[str], list[list[str]]]:
    """Headings and rows of the table of requests."""
    headings = ("", "requests", "share", "data", "share", "mean size", "smallest", "largest")
    rows = []
    for each in analysis["operations"]:
        sized = bool(each["bytes"])
        rows.append(
            [
                each["operation"],
                format_count(each["requests"]),
                format_share(each["share_of_requests"]),
                format_bytes(each["bytes"]) if sized else "-",
                format_share(each["share_of_bytes"]),
                *(format_bytes(each[key]) if sized else "-" for key in ("mean_bytes", "min_bytes", "max_bytes")),
            ]
        )
    return headings, rows


def _footprint(analysis: Analysis) -> str:
    pages, writes = analysis["footprint"], analysis["rewrites"]["page_writes"]
    total, written = _total(pages), pages["only_written"] + pages["shared"]
    if not total:
        return ""
    times = f", each page {format_number(writes / written)} times on average" if written else ""
    return f"{_size(total)} are touched; {_size(written)} are written{times}."


def _rewrites(analysis: Analysis) -> str:
    classes = analysis["rewrites"]["pages_written"]
    if not classes:
        return ""
    half = _size(_quantile(classes, 0.5))
    return f"Half of the rewrites come before {half} have been written since the page's last write."


def _overlap(analysis: Analysis) -> str:
    overlap = analysis["overlap"]
    if overlap["shared_share"] is None:
        return ""
    shared = f"{format_share(overlap['shared_share'])} of the pages of 8 KiB are both read and written"
    if len(overlap["intervals"]) < 2:
        return f"{shared}."
    within = format_share(overlap["shared_share_within_intervals"])
    return f"{shared}; within intervals of {format_time(overlap['interval_ns'])} it is {within}."


def _content(analysis: Analysis) -> str:
    """Writes that recycling would remove, where the content is known."""
    content = analysis["content"]
    recycling = content["recycling"]
    if recycling is None or recycling["removed_share"] is None:
        return ""
    removed = format_share(recycling["removed_share"])
    duplicates = _share(recycling["writes_of_valid_content"], content["whole"]["page_writes"])
    return (
        f"A store of all invalid pages' contents would answer {removed} of the page writes without programming; "
        f"{duplicates} repeat what a valid page holds."
    )


def _bytes(analysis: Analysis, operation: str) -> int:
    figures = analysis.operation(operation)
    return 0 if figures is None else int(figures["bytes"])


def _written_bytes(analysis: Analysis) -> int:
    return _bytes(analysis, "write") + _bytes(analysis, "overwrite")


def _quantile(classes: Sequence[dict[str, int]], share: float) -> int:
    """The end of the class in which `share` of a histogram is reached."""
    whole, reached = sum(each["count"] for each in classes), 0
    for each in classes:
        reached += each["count"]
        if reached >= share * whole:
            return each["up_to"]
    return 0


def _total(roles: dict[str, Any]) -> int:
    return int(roles["only_read"] + roles["only_written"] + roles["shared"])


def _size(pages: int) -> str:
    return format_bytes(pages * 4096)


def _share(part: float, whole: float) -> str:
    return format_share(part / whole) if whole else "-"
