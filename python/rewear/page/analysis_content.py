"""What recycling by content could save: Figures 1 to 4 of the LX-SSD paper, and the same in words."""

from itertools import accumulate
from typing import Any

from matplotlib.ticker import FuncFormatter

from rewear.analysis import Analysis
from rewear.facts import Facts
from rewear.page.analysis_axes import BOTH, HEIGHT, READ, WRITE, count_axis, finish, share_axis
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure
from rewear.units import byte_unit, format_bytes, format_count, format_share

__all__ = ["content_facts", "content_finding", "content_plots"]

_MEASURES = (
    ("by_page_reads", "reads of the page", READ, -0.2),
    ("by_value_accesses", "accesses of the content", BOTH, 0.2),
)


def content_plots(analysis: Analysis) -> list[Plot | None]:
    """Figures 1 to 4."""
    recycling = analysis["content"]["recycling"]
    if recycling is None or not analysis["content"]["whole"]["invalidated"]:
        return [_valid_and_invalid(analysis)]
    return [_valid_and_invalid(analysis), _popularity(recycling), _probability(recycling), _versions(recycling)]


def _valid_and_invalid(analysis: Analysis) -> Plot | None:
    content = analysis["content"]
    moments = content["moments"]
    if not content["whole"]["invalidated"]:
        return None
    page_bytes = analysis["page_bytes"]
    scale, unit = byte_unit(moments[-1]["page_writes"] * page_bytes)
    written = [moment["page_writes"] * page_bytes / scale for moment in moments]
    curves = [("invalid", "invalid", WRITE), ("valid", "valid", drive_colour(0))]
    if content["recycling"] is not None:
        curves.append(("recycled", "of these recyclable", BOTH))
    with figure(HEIGHT, "valid and invalid") as (drawing, axes):
        for key, label, colour in curves:
            axes.plot(written, [moment[key] for moment in moments], color=colour, label=label)
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, written[-1])
        count_axis(axes.yaxis)
        axes.set_xlabel(f"data written ({unit})")
        svg = finish(drawing, axes, "Valid and invalid pages over the data written", len(curves))
    caption = "Pages of a drive that never cleans. Recyclable: a later write asked for the content of an invalid page."
    return Plot("Valid and invalid pages", caption, svg)


def _popularity(recycling: dict[str, Any]) -> Plot:
    with figure(HEIGHT, "invalid by popularity") as (drawing, axes):
        for key, label, colour, offset in _MEASURES:
            counts = [each["invalid"] for each in recycling[key]]
            shares = [count / sum(counts) for count in counts]
            places = [popularity + offset for popularity in range(len(counts))]
            axes.bar(places, shares, width=0.38, color=colour, label=label, linewidth=0)
        _popularity_axis(axes)
        svg = finish(drawing, axes, "Share of the invalid pages by popularity", 2)
    return Plot(
        "Popularity of invalid pages", "Share of the pages that became invalid, by how popular they were then.", svg
    )


def _probability(recycling: dict[str, Any]) -> Plot:
    with figure(HEIGHT, "recyclable by popularity") as (drawing, axes):
        for key, label, colour, _ in _MEASURES:
            points = [
                (popularity, each["recycled"] / each["invalid"])
                for popularity, each in enumerate(recycling[key])
                if each["invalid"]
            ]
            axes.plot([x for x, _ in points], [y for _, y in points], "o-", markersize=3.5, color=colour, label=label)
        _popularity_axis(axes)
        axes.set_ylim(bottom=0)
        svg = finish(drawing, axes, "Share of the invalid pages that are recycled, by popularity", 2)
    return Plot(
        "Recyclable probability", "Share of the invalid pages of each popularity that a later write recycles.", svg
    )


def _popularity_axis(axes: Any) -> None:
    axes.set_xticks(range(0, 16, 3), ["0", "3", "6", "9", "12", "15+"])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g}%"))
    axes.set_xlabel("popularity when the page became invalid")


def _versions(recycling: dict[str, Any]) -> Plot | None:
    counts = recycling["recycled_by_version"][::-1]
    if not sum(counts):
        return None
    with figure(HEIGHT, "recycled by version") as (drawing, axes):
        shares = [count / sum(counts) for count in accumulate(counts)]
        axes.plot(range(len(shares)), shares, "o-", markersize=3.5, color=BOTH)
        share_axis(axes)
        axes.set_xticks(range(0, 16, 3), ["15", "12", "9", "6", "3", "0"])
        axes.set_xlabel("version, down to (15: the last content but one of its logical page)")
        svg = finish(drawing, axes, "Share of the recycled pages down to a version")
    return Plot("Versions of recycled pages", "Share of the recycled pages whose version is at least so high.", svg)


def content_finding(analysis: Analysis) -> str:
    """What recycling would remove, where the content is known."""
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


def content_facts(analysis: Analysis) -> Facts:
    """Every single figure."""
    content = analysis["content"]
    whole, second, recycling = content["whole"], content["second_half"], content["recycling"]
    facts = [
        ("pages that became invalid", _pages(whole["invalidated"])),
        (
            "page writes less distinct pages, as a share (the paper's overwrites)",
            "-" if content["overwrite_share"] is None else format_share(content["overwrite_share"]),
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
            for key, label, _, _ in _MEASURES
        ),
        ("recycled pages of version 12 to 15", _share(sum(recycling["recycled_by_version"][12:]), whole["recycled"])),
        (f"invalid pages beyond a drive of {format_bytes(content['drive_pages'] * 4096)}", format_count(forgotten)),
    ]


def _popular(classes: list[dict[str, int]]) -> tuple[int, int]:
    """Recycled pages of popularity 8 and more, and all recycled ones."""
    return sum(each["recycled"] for each in classes[8:]), sum(each["recycled"] for each in classes)


def _pages(count: int) -> str:
    return f"{format_count(count)} ({format_bytes(count * 4096)})"


def _of(part: int, whole: int) -> str:
    return f"{format_count(part)} ({_share(part, whole)})"


def _share(part: int, whole: int) -> str:
    return format_share(part / whole) if whole else "-"
