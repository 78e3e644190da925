"""The figures of an analysis: space, rewrites and requests; those over time stand in `analysis_time`."""

from collections.abc import Sequence
from itertools import accumulate

from matplotlib.ticker import FuncFormatter

from rewear.analysis import Analysis
from rewear.page.analysis_axes import (
    BOTH,
    HEIGHT,
    READ,
    ROLES,
    WRITE,
    count_axis,
    decades,
    finish,
    logarithmic,
    share_axis,
    short_bytes,
)
from rewear.page.analysis_content import content_plots
from rewear.page.analysis_time import (
    data_over_time,
    dispersion,
    gaps,
    meetings,
    overlap_in_time,
    requests_over_time,
)
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure
from rewear.units import byte_unit

__all__ = ["sections"]

Classes = Sequence[dict[str, int]]


def sections(analysis: Analysis) -> list[tuple[str, list[Plot]]]:
    """Every figure for which there is anything to show, under headings."""
    drawn = [
        ("Space", [_footprint(analysis), _accesses(analysis), _popularity(analysis)]),
        ("Rewrites", [_rewrite_distance(analysis), _write_counts(analysis)]),
        ("Requests", [_sizes(analysis), _streams(analysis)]),
        ("Time", [requests_over_time(analysis), data_over_time(analysis), gaps(analysis), dispersion(analysis)]),
        ("Reads and writes in space and time", [overlap_in_time(analysis), meetings(analysis)]),
        ("Invalid pages and their content", content_plots(analysis)),
    ]
    shown = [(title, [plot for plot in plots if plot is not None]) for title, plots in drawn]
    return [(title, plots) for title, plots in shown if plots]


def _extent(analysis: Analysis) -> tuple[float, str, list[float]]:
    """Scale and unit of addresses, and the edges of the regions."""
    footprint = analysis["footprint"]
    width, regions = footprint["region_bytes"], len(footprint["regions"])
    scale, unit = byte_unit(width * regions)
    return scale, unit, [width * index / scale for index in range(regions + 1)]


def _footprint(analysis: Analysis) -> Plot | None:
    footprint = analysis["footprint"]
    if not footprint["regions"]:
        return None
    _, unit, edges = _extent(analysis)
    pages = footprint["region_bytes"] // analysis["page_bytes"]
    with figure(HEIGHT, "footprint") as (drawing, axes):
        base = [0.0] * len(footprint["regions"])
        for key, label, colour in ROLES:
            tops = [low + region[key] / pages for low, region in zip(base, footprint["regions"], strict=True)]
            axes.stairs(tops, edges, baseline=base, fill=True, color=colour, linewidth=0, label=label)
            base = tops
        share_axis(axes)
        axes.set_xlim(0, edges[-1])
        axes.set_xlabel(f"address ({unit})")
        svg = finish(drawing, axes, "Share of the pages that are read, written or both, over the addresses", 3)
    volumes = len(footprint["volumes"])
    beside = f" The {volumes} volumes lie one behind the other." if volumes > 1 else ""
    return Plot("Footprint", f"Share of each region's pages that are touched at least once.{beside}", svg)


def _accesses(analysis: Analysis) -> Plot | None:
    regions = analysis["footprint"]["regions"]
    if not regions:
        return None
    _, unit, edges = _extent(analysis)
    with figure(HEIGHT, "accesses") as (drawing, axes):
        for key, label, colour in (("page_writes", "page writes", WRITE), ("page_reads", "page reads", READ)):
            axes.stairs([region[key] for region in regions], edges, color=colour, linewidth=1.4, label=label)
        axes.set_xlim(0, edges[-1])
        axes.set_ylim(bottom=0)
        count_axis(axes.yaxis)
        axes.set_xlabel(f"address ({unit})")
        svg = finish(drawing, axes, "Page reads and writes over the addresses", 2)
    return Plot("Accesses over the addresses", "Page reads and page writes of each region, each time counted.", svg)


def _popularity(analysis: Analysis) -> Plot | None:
    curves = [("write", "writes", WRITE), ("read", "reads", READ)]
    shown = [curve for curve in curves if analysis[f"{curve[0]}_popularity"]["pages"]]
    if not shown:
        return None
    with figure(HEIGHT, "popularity") as (drawing, axes):
        for kind, label, colour in shown:
            popular = analysis[f"{kind}_popularity"]
            ranks = [share["pages"] / popular["pages"] for share in popular["by_rank"]]
            axes.plot(ranks, [share["accesses"] for share in popular["by_rank"]], color=colour, label=label)
        share_axis(axes)
        fewest = 1 / max(analysis[f"{kind}_popularity"]["pages"] for kind, _, _ in shown)
        logarithmic(axes.xaxis, decades(fewest / 2, 1), lambda share: f"{share * 100:g}%")
        axes.set_xlim(fewest / 2, 1)
        axes.set_xlabel("most accessed pages, as a share of those read or written (logarithmic)")
        svg = finish(drawing, axes, "Share of the accesses that the most accessed pages receive", len(shown))
    return Plot("Popularity", "Share of the page accesses that go to the most accessed pages.", svg)


def _rewrite_distance(analysis: Analysis) -> Plot | None:
    rewrites, page_bytes = analysis["rewrites"], analysis["page_bytes"]
    if not rewrites["rewrites"]:
        return None
    with figure(HEIGHT, "rewrite distance") as (drawing, axes):
        ends: list[int] = []
        for key, label, colour, style in (
            ("distinct_pages", "distinct data", BOTH, "-"),
            ("pages_written", "all data", WRITE, "--"),
        ):
            distances = [each["up_to"] * page_bytes for each in rewrites[key]]
            shares = [count / rewrites["rewrites"] for count in accumulate(each["count"] for each in rewrites[key])]
            axes.plot(distances, shares, style, color=colour, label=label)
            ends += distances
        share_axis(axes)
        ticks = [2**power for power in range(64) if min(ends) <= 2**power <= max(ends)]
        logarithmic(axes.xaxis, ticks, short_bytes)
        axes.set_xlabel("data written between two writes of the same page (logarithmic)")
        svg = finish(drawing, axes, "Share of the rewrites over the data written in between", 2)
    caption = (
        "Share of the rewrites that come before so much has been written. "
        "Distinct data: what a write buffer of that size absorbs."
    )
    return Plot("Rewrite distance", caption, svg)


def _write_counts(analysis: Analysis) -> Plot | None:
    classes: Classes = analysis["write_popularity"]["pages_by_accesses"]
    if not classes:
        return None
    pages, writes = (sum(each[field] for each in classes) for field in ("count", "weight"))
    with figure(HEIGHT, "write counts") as (drawing, axes):
        for offset, field, whole, label, colour in (
            (-0.2, "count", pages, "pages", drive_colour(0)),
            (0.2, "weight", writes, "page writes", WRITE),
        ):
            positions = [index + offset for index in range(len(classes))]
            axes.bar(
                positions, [each[field] / whole for each in classes], width=0.38, color=colour, label=label, linewidth=0
            )
        step = -(-len(classes) // 8)
        names = [
            f"{each['up_to'] // 2 + 1}-{each['up_to']}" if each["up_to"] > 2 else str(each["up_to"]) for each in classes
        ]
        axes.set_xticks(range(0, len(classes), step), names[::step])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.set_xlabel("writes of a page")
        svg = finish(drawing, axes, "Written pages, and page writes, by how often the page is written", 2)
    return Plot(
        "Writes of a page", "Share of the written pages, and of the page writes, by how often the page is written.", svg
    )


def _sizes(analysis: Analysis) -> Plot | None:
    found = [(name, analysis.operation(name)) for name in ("read", "write", "overwrite")]
    colours = {"read": READ, "write": WRITE, "overwrite": BOTH}
    shown = [(name, each["sizes"]) for name, each in found if each is not None and each["sizes"]]
    if not shown:
        return None
    with figure(HEIGHT, "sizes") as (drawing, axes):
        ends = sorted({each["up_to"] for _, classes in shown for each in classes})
        for index, (name, classes) in enumerate(shown):
            whole = sum(each["count"] for each in classes)
            width = 0.8 / len(shown)
            positions = [ends.index(each["up_to"]) + (index - (len(shown) - 1) / 2) * width for each in classes]
            shares = [each["count"] / whole for each in classes]
            axes.bar(positions, shares, width=width * 0.92, color=colours[name], label=f"{name}s", linewidth=0)
        step = -(-len(ends) // 8)
        axes.set_xticks(range(0, len(ends), step), [short_bytes(end) for end in ends[::step]])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.set_xlabel("length of a request: up to this, above the one before")
        svg = finish(drawing, axes, "Requests by their length", len(shown))
    return Plot("Request sizes", "Share of the requests of each kind, by their length.", svg)


def _streams(analysis: Analysis) -> Plot | None:
    kinds = [("read", READ), ("write", WRITE)]
    shown = [(kind, colour, analysis[f"{kind}_sequentiality"]["streams"]) for kind, colour in kinds]
    shown = [entry for entry in shown if entry[2]]
    if not shown:
        return None
    with figure(HEIGHT, "streams") as (drawing, axes):
        ends: list[int] = []
        for kind, colour, classes in shown:
            whole = sum(each["weight"] for each in classes)
            lengths = [each["up_to"] for each in classes]
            shares = [weight / whole for weight in accumulate(each["weight"] for each in classes)]
            axes.plot(lengths, shares, color=colour, label=f"data of {kind}s")
            ends += lengths
        share_axis(axes)
        ticks = [2**power for power in range(64) if min(ends) <= 2**power <= max(ends)]
        logarithmic(axes.xaxis, ticks, short_bytes)
        axes.set_xlabel("length of the stream, at most (logarithmic)")
        svg = finish(drawing, axes, "Share of the data in sequential streams up to a length", len(shown))
    caption = (
        "A stream is a chain of requests of one kind that each begin where another ended; 32 are followed at a time."
    )
    return Plot("Sequential streams", caption, svg)
