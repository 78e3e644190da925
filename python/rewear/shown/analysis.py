"""The answer of an analysis: a trace in sentences, its requests, and charts."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from rewear.core.analysis import Analysis
from rewear.figures.units import byte_unit, format_bytes, format_count, format_number, format_share, format_time
from rewear.page.blocks import Answer, Table
from rewear.page.chart import Axis, Chart, Layer, Row, cause_colour, drive_colour
from rewear.shown.writers import writers_parts

_READ, _WRITE, _BOTH = drive_colour(1), cause_colour("moved"), drive_colour(2)
_ROLES = {"only read": _READ, "only written": _WRITE, "both": _BOTH}
"""Fates of a page, and their colours."""
_ROLE_KEYS = ("only_read", "only_written", "shared")
_SHARE = Axis(unit="share", most=1)


def analysis_answer(analysis: Analysis) -> Answer:
    """Results of the trace in sentences, its requests, and charts of space, rewrites and overlap."""
    return Answer(
        "analysis of a trace",
        headline(analysis),
        [summary(analysis)],
        [
            *(f"- {each}" for each in findings(analysis)),
            "",
            Table(*operation_rows(analysis), "Requests"),
            *([] if analysis.who_writes is None else ["", *writers_parts(analysis.who_writes, analysis["clock_jump"])]),
        ],
        [*_space(analysis), *_rewrite_distance(analysis), *_overlap_in_time(analysis)],
        first=summary(analysis),
        data=analysis.to_dict(),
        ending=". Pages of 4 KiB unless another size is named; a page touched in part counts",
    )


def _stacked(edges: Sequence[float], shares: Sequence[Sequence[float]]) -> list[Layer]:
    """Shares of each interval by role, one on the other."""
    rows: list[Row] = []
    for left, right, parts in zip(edges, edges[1:], shares, strict=False):
        tops = list(accumulate(parts))
        ends = zip(_ROLES, [0.0, *tops], tops, strict=False)
        rows += [
            {"x": left, "x2": right, "y": low, "y2": high, "series": role} for role, low, high in ends if high > low
        ]
    return [Layer("rect", rows)]


def _powers(rows: Sequence[Row]) -> list[float]:
    """At most eight powers of two as ticks."""
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    found = [2.0**power for power in range(64) if low <= 2**power <= high]
    return found[:: max(1, -(-len(found) // 8))]


def _space(analysis: Analysis) -> list[Chart]:
    footprint = analysis["footprint"]
    regions = footprint["regions"]
    if not regions:
        return []
    width = footprint["region_bytes"]
    scale, unit = byte_unit(width * len(regions))
    edges = [width * index / scale for index in range(len(regions) + 1)]
    pages = width // analysis["page_bytes"]
    volumes = len(footprint["volumes"])
    beside = f" The {volumes} volumes lie one behind the other." if volumes > 1 else ""
    address = Axis(f"address ({unit})", most=edges[-1])
    touched = _stacked(edges, [[region[key] / pages for key in _ROLE_KEYS] for region in regions])
    caption = f"Share of each region's pages that are touched at least once.{beside}"
    return [Chart("Footprint", caption, touched, x=address, y=_SHARE, colours=_ROLES)]


def _rewrite_distance(analysis: Analysis) -> list[Chart]:
    """Share of the rewrites by the data written since the page's last write."""
    classes, page_bytes = analysis["rewrites"]["pages_written"], analysis["page_bytes"]
    if not classes:
        return []
    whole = sum(each["count"] for each in classes)
    sums = accumulate(each["count"] for each in classes)
    rows: list[Row] = [
        {"x": each["up_to"] * page_bytes, "y": reached / whole, "series": "rewrites"}
        for each, reached in zip(classes, sums, strict=True)
    ]
    title = "data written between two writes of the same page (logarithmic)"
    axis = Axis(title, "bytes", log=True, ticks=_powers(rows))
    caption = "Share of the rewrites within this number of bytes written."
    colours = {"rewrites": _WRITE}
    return [Chart("Rewrite distance", caption, [Layer("line", rows)], x=axis, y=_SHARE, colours=colours)]


def _time(interval_ns: int, count: int) -> tuple[list[float], Axis]:
    """The edges of the intervals in a unit fit for the duration, and the axis."""
    end_ns = interval_ns * count
    units = ((3600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"))
    size, name = next(((size, name) for size, name in units if end_ns >= 3 * size), (1e3, "µs"))
    edges = [interval_ns * index / size for index in range(count + 1)]
    return edges, Axis(f"time ({name})", most=edges[-1])


def _overlap_in_time(analysis: Analysis) -> list[Chart]:
    """Pages read, written or both within each interval."""
    overlap = analysis["overlap"]
    if overlap["shared_share"] is None:
        return []
    edges, time = _time(overlap["interval_ns"], len(overlap["intervals"]))
    shares = []
    for roles in overlap["intervals"]:
        total = sum(roles[key] for key in _ROLE_KEYS) or 1
        shares.append([roles[key] / total for key in _ROLE_KEYS])
    caption = (
        f"Logical pages of 8 KiB of each interval of {format_time(overlap['interval_ns'])}, by what happens to them in "
        f"it. Over the whole trace {overlap['shared_share']:.1%} are both read and written."
    )
    return [Chart("Overlap in time", caption, _stacked(edges, shares), x=time, y=_SHARE, colours=_ROLES)]


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
