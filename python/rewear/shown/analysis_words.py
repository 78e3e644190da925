"""Results of an analysis, in sentences and in tables; the command line shows the same."""

from collections.abc import Sequence
from typing import Any

from rewear.core.analysis import Analysis
from rewear.figures.facts import Facts
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time

_STREAMS = 32
_MEASURES = (("by_page_reads", "reads of the page"), ("by_value_accesses", "accesses of the content"))


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
        _popularity(analysis),
        _overlap(analysis),
        _arrivals(analysis),
        _sequentiality(analysis),
        _trims(analysis),
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


def figures(analysis: Analysis) -> list[tuple[str, Facts]]:
    """Every single figure, by analysis."""
    return [
        ("Footprint", _footprint_facts(analysis)),
        ("Writes of the same page", _rewrite_facts(analysis)),
        ("Arrivals", _arrival_facts(analysis)),
        ("Burstiness", _burst_facts(analysis)),
        ("Sequentiality", _stream_facts(analysis)),
        ("Trims and valid pages", _trim_facts(analysis)),
        ("Invalid pages and their content", _content_facts(analysis)),
    ]


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
    half = _quantile(classes, 0.5)
    buffer = _quantile(analysis["rewrites"]["distinct_pages"], 0.5)
    return (
        f"Half of the rewrites come before {_size(half)} have been written since the page's last write; "
        f"a write buffer of about {_size(buffer)} would absorb as many."
    )


def _popularity(analysis: Analysis) -> str:
    writes = analysis["write_popularity"]
    if not writes["pages"]:
        return ""
    pages = writes["pages_of_share"][1]["pages"]
    return f"80% of the page writes go to {_share(pages, writes['pages'])} of the written pages."


def _overlap(analysis: Analysis) -> str:
    overlap = analysis["overlap"]
    if overlap["shared_share"] is None:
        return ""
    shared = f"{format_share(overlap['shared_share'])} of the pages of 8 KiB are both read and written"
    if len(overlap["intervals"]) < 2:
        return f"{shared}."
    within = format_share(overlap["shared_share_within_intervals"])
    return f"{shared}; within intervals of {format_time(overlap['interval_ns'])} it is {within}."


def _arrivals(analysis: Analysis) -> str:
    seconds = [each for each in analysis["arrivals"]["burstiness"] if each["window_ns"] == 10**9]
    if not seconds:
        return ""
    second = seconds[0]
    times = format_number(second["most_requests"] / second["mean_requests"], 2)
    return (
        f"The busiest second brings {format_count(second['most_requests'])} requests, {times} times the mean; "
        f"in {format_share(second['empty'])} of the seconds none arrives."
    )


def _sequentiality(analysis: Analysis) -> str:
    parts = []
    for kind in ("read", "write"):
        figures = analysis[f"{kind}_sequentiality"]
        if figures["requests"]:
            parts.append(f"{_share(figures['in_a_stream'], figures['requests'])} of the {kind}s")
    return f"{' and '.join(parts)} go on where one of the latest {_STREAMS} streams ended." if parts else ""


def _trims(analysis: Analysis) -> str:
    trims = analysis["trims"]
    if not trims["requests"]:
        return ""
    return f"Of {format_count(trims['pages'])} pages trimmed, {format_count(trims['valid_pages'])} held data."


def _footprint_facts(analysis: Analysis) -> Facts:
    pages, overlap = analysis["footprint"], analysis["overlap"]
    facts = [
        ("read, never written", _pages(pages["only_read"])),
        ("written, never read", _pages(pages["only_written"])),
        ("read and written", _pages(pages["shared"])),
        ("touched", _pages(_total(pages))),
        *(
            (f"volume {volume['name']}" if volume["name"] else "extent", format_bytes(volume["bytes"]))
            for volume in pages["volumes"]
        ),
    ]
    if overlap["shared_share"] is not None:
        facts += [
            ("read and written, in pages of 8 KiB", format_share(overlap["shared_share"])),
            (
                f"the same within intervals of {format_time(overlap['interval_ns'])}",
                format_share(overlap["shared_share_within_intervals"]),
            ),
        ]
    return facts


def _rewrite_facts(analysis: Analysis) -> Facts:
    rewrites = analysis["rewrites"]
    facts = [
        ("page writes", format_count(rewrites["page_writes"])),
        ("first writes of a page", format_count(rewrites["first_writes"])),
        ("rewrites", format_count(rewrites["rewrites"])),
    ]
    for name, title in (("pages_written", "data written"), ("distinct_pages", "distinct data written")):
        for part in (0.25, 0.5, 0.75, 0.9):
            if rewrites[name]:
                value = f"at most {_size(_quantile(rewrites[name], part))}"
                facts.append((f"{title} between two writes, {part:.0%} of the rewrites", value))
    for kind in ("read", "write"):
        popular = analysis[f"{kind}_popularity"]
        for fewest, share in zip(popular["pages_of_share"], ("50%", "80%", "90%"), strict=True):
            if popular["pages"]:
                value = f"{_pages(fewest['pages'])}, {_share(fewest['pages'], popular['pages'])} of those {kind}"
                facts.append(
                    (f"pages that receive {share} of the page {kind}s", value.replace("those write", "those written"))
                )
    return facts


def _arrival_facts(analysis: Analysis) -> Facts:
    arrivals = analysis["arrivals"]
    rate, mean, variation = (arrivals[key] for key in ("requests_per_s", "mean_gap_ns", "gap_variation"))
    facts = [("duration", format_time(arrivals["duration_ns"]))]
    if rate is not None:
        facts.append(("requests a second", format_number(rate)))
    if mean is not None:
        facts.append(("mean time between arrivals", format_time(mean)))
    if variation is not None:
        facts.append(("its variation (standard deviation / mean; Poisson: 1)", format_number(variation)))
    idle = [(10**6, "1 ms"), (10**8, "0.1 s"), (10**9, "1 s")]
    for limit_ns, name in idle:
        longer = [each for each in arrivals["gaps"] if each["up_to"] // 2 >= limit_ns]
        share = _share(sum(each["weight"] for each in longer), arrivals["duration_ns"])
        facts.append((f"time in gaps longer than about {name}", share))
    return facts


def _burst_facts(analysis: Analysis) -> Facts:
    return [
        (
            f"windows of {format_time(each['window_ns'])}",
            f"mean {format_number(each['mean_requests'])} requests, most {format_count(each['most_requests'])}, "
            f"most data written {format_bytes(each['most_bytes_written'])}, empty {format_share(each['empty'])}, "
            f"variance / mean {format_number(each['dispersion'])}",
        )
        for each in analysis["arrivals"]["burstiness"]
    ]


def _stream_facts(analysis: Analysis) -> Facts:
    facts = []
    for kind in ("read", "write"):
        figures = analysis[f"{kind}_sequentiality"]
        if figures["requests"]:
            direct = _share(figures["after_the_last"], figures["requests"])
            stream = _share(figures["in_a_stream"], figures["requests"])
            facts += [
                (f"{kind}s that go on where the last {kind} ended", direct),
                (f"{kind}s that go on one of the latest {_STREAMS} streams", stream),
                (
                    f"half of the {kind} data in streams of at most",
                    format_bytes(_quantile(figures["streams"], 0.5, "weight")),
                ),
            ]
    return facts


def _trim_facts(analysis: Analysis) -> Facts:
    trims = analysis["trims"]
    return [
        ("trims", format_count(trims["requests"])),
        ("pages covered wholly by trims, each time counted", format_count(trims["pages"])),
        ("valid pages trimmed", format_count(trims["valid_pages"])),
        ("page writes that overwrite a valid page", format_count(trims["writes_to_valid_pages"])),
        ("page writes to a page trimmed before", format_count(trims["writes_to_trimmed_pages"])),
        ("most pages valid at one time", _pages(trims["most_valid_pages"])),
        ("pages valid at the end", _pages(trims["valid_pages_at_the_end"])),
    ]


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


def _content_facts(analysis: Analysis) -> Facts:
    """Every single figure."""
    content = analysis["content"]
    whole, second, recycling = content["whole"], content["second_half"], content["recycling"]
    facts = [
        ("pages that became invalid", f"{format_count(whole['invalidated'])} ({_size(whole['invalidated'])})"),
        (
            "page writes less distinct pages, as a share (the paper's overwrites)",
            format_share(content["overwrite_share"]),
        ),
    ]
    if recycling is None:
        return [*facts, ("content", "unknown")]
    forgotten = recycling["forgotten"]
    return [
        *facts,
        ("page writes with known content", _share(recycling["writes_with_content"], whole["page_writes"])),
        ("distinct contents", format_count(recycling["distinct_values"])),
        ("page writes that an invalid page answers", _of(whole["recycled"], whole["page_writes"])),
        ("the same in the second half of the page writes", _of(second["recycled"], second["page_writes"])),
        ("recycled pages / invalid pages", _share(whole["recycled"], whole["invalidated"])),
        ("recycled in the second half / invalid pages", _share(second["recycled"], whole["invalidated"])),
        ("page writes that repeat what the page holds", _of(recycling["writes_of_same_content"], whole["page_writes"])),
        ("page writes of what a valid page holds", _of(recycling["writes_of_valid_content"], whole["page_writes"])),
        *(
            (f"of the recycled pages, those of popularity 8 and more by {label}", _share(*_popular(recycling[key])))
            for key, label in _MEASURES
        ),
        ("recycled pages of version 12 to 15", _share(sum(recycling["recycled_by_version"][12:]), whole["recycled"])),
        (f"invalid pages beyond a drive of {_size(content['drive_pages'])}", format_count(forgotten)),
    ]


def _popular(classes: list[dict[str, int]]) -> tuple[int, int]:
    """Recycled pages of popularity 8 and more, and all recycled ones."""
    return sum(each["recycled"] for each in classes[8:]), sum(each["recycled"] for each in classes)


def _of(part: int, whole: int) -> str:
    return f"{format_count(part)} ({_share(part, whole)})"


def _bytes(analysis: Analysis, operation: str) -> int:
    figures = analysis.operation(operation)
    return 0 if figures is None else int(figures["bytes"])


def _written_bytes(analysis: Analysis) -> int:
    return _bytes(analysis, "write") + _bytes(analysis, "overwrite")


def _quantile(classes: Sequence[dict[str, int]], share: float, field: str = "count") -> int:
    """The end of the class in which `share` of a histogram is reached."""
    whole, reached = sum(each[field] for each in classes), 0
    for each in classes:
        reached += each[field]
        if reached >= share * whole:
            return each["up_to"]
    return 0


def _total(roles: dict[str, Any]) -> int:
    return int(roles["only_read"] + roles["only_written"] + roles["shared"])


def _size(pages: int) -> str:
    return format_bytes(pages * 4096)


def _pages(count: int) -> str:
    return f"{format_count(count)} pages ({_size(count)})"


def _share(part: float, whole: float) -> str:
    return format_share(part / whole) if whole else "-"
