"""What recycling by content could save: Figures 1 to 4 of the LX-SSD paper."""

from itertools import accumulate
from typing import Any

from matplotlib.ticker import FuncFormatter

from rewear.analysis import Analysis
from rewear.page.analysis_axes import BOTH, HEIGHT, READ, WRITE, count_axis, finish, share_axis
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure
from rewear.units import byte_unit

__all__ = ["content_plots"]

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
