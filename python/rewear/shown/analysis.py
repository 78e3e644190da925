"""The analysis of a trace: tables, and a page with its charts."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from rewear.core.analysis import Analysis
from rewear.figures.units import byte_unit, format_bytes, format_time
from rewear.page.blocks import Block, Charts, Details, Heading, Page, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, Row, cause_colour, drive_colour
from rewear.shown.analysis_words import figures, findings, headline, operation_rows, summary

_READ, _WRITE, _BOTH = drive_colour(1), cause_colour("moved"), drive_colour(2)
_ROLES = {"only read": _READ, "only written": _WRITE, "both": _BOTH}
"""Fates of a page, and their colours."""
_ROLE_KEYS = ("only_read", "only_written", "shared")
_SHARE = Axis(unit="share", most=1)
_COUNT = Axis(unit="count")
_LEVELS = 4
Classes = Sequence[Mapping[str, int]]


def analysis_tables(analysis: Analysis) -> list[Part]:
    """Results of the trace in sentences, its requests, and every single figure."""
    parts: list[Part] = [f"{summary(analysis)}\n", *(f"- {each}" for each in findings(analysis))]
    tables = [Table(*operation_rows(analysis)), *(Pairs(facts, title) for title, facts in figures(analysis))]
    return parts + [part for table in tables for part in ("", table)]


def analysis_page(analysis: Analysis) -> Page:
    """The page. The same analysis gives the same bytes."""
    folded = [Details(title, [Pairs(facts)], not place) for place, (title, facts) in enumerate(figures(analysis))]
    drawn = {
        "Space": [*_space(analysis), *_popularity(analysis)],
        "Rewrites": [*_rewrite_distance(analysis), *_write_counts(analysis)],
        "Requests": [*_sizes(analysis), *_streams(analysis)],
        "Time": [*_over_time(analysis), *_gaps(analysis), *_dispersion(analysis)],
        "Reads and writes in space and time": [*_overlap(analysis), *_meetings(analysis)],
        "Invalid pages and their content": _content(analysis),
    }
    charts: list[Block] = [block for title, each in drawn.items() if each for block in (Heading(title), Charts(each))]
    return Page(
        "analysis of a trace",
        headline(analysis),
        [
            Sentences(findings(analysis), "list"),
            Heading("Requests"),
            Table(*operation_rows(analysis)),
            *charts,
            Heading("Figures"),
            *folded,
        ],
        analysis.to_dict(),
        opening=[Sentences([summary(analysis)], "summary")],
        ending=". Pages of 4 KiB unless another size is named; a page touched in part counts",
    )


def _steps(edges: Sequence[float], values: Sequence[float], series: str) -> list[Row]:
    """The values of intervals as the corners of a line."""
    ends = [*values, values[-1]]
    return [{"x": x, "y": y, "series": series} for x, y in zip(edges, ends, strict=True)]


def _lines(curves: Mapping[str, list[Row]]) -> list[Layer]:
    return [Layer("line", [row for rows in curves.values() for row in rows], {"interpolate": "step-after"})]


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


def _cumulative(classes: Classes, field: str, series: str) -> list[Row]:
    """Which share lies in the classes up to each."""
    whole = sum(each[field] for each in classes)
    sums = accumulate(each[field] for each in classes)
    return [
        {"x": each["up_to"], "y": reached / whole, "series": series}
        for each, reached in zip(classes, sums, strict=True)
    ]


def _powers(rows: Sequence[Row]) -> list[float]:
    """At most eight powers of two as ticks."""
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    found = [2.0**power for power in range(64) if low <= 2**power <= high]
    return found[:: max(1, -(-len(found) // 8))]


def _bars(title: str, caption: str, across: str, bars: Mapping[str, Sequence[float]], names: Sequence[str],
          colours: Mapping[str, str]) -> Chart:  # fmt: skip
    """Shares side by side."""
    rows = [
        {"x": name, "y": value, "series": series, "beside": series}
        for series, values in bars.items()
        for name, value in zip(names, values, strict=True)
    ]
    axis = Axis(across, names=names)
    return Chart(title, caption, [Layer("bar", rows)], x=axis, y=Axis(unit="share"), colours=colours)


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
    accesses = {
        "page writes": _steps(edges, [region["page_writes"] for region in regions], "page writes"),
        "page reads": _steps(edges, [region["page_reads"] for region in regions], "page reads"),
    }
    return [
        Chart("Footprint", f"Share of each region's pages that are touched at least once.{beside}", touched, x=address,
              y=_SHARE, colours=_ROLES),
        Chart("Accesses over the addresses", "Page reads and page writes of each region, each time counted.",
              _lines(accesses), x=address, y=_COUNT, colours={"page writes": _WRITE, "page reads": _READ}),
    ]  # fmt: skip


def _popularity(analysis: Analysis) -> list[Chart]:
    rows = [
        {"x": share["pages"] / popular["pages"], "y": share["accesses"], "series": f"{kind}s"}
        for kind in ("write", "read")
        if (popular := analysis[f"{kind}_popularity"])["pages"]
        for share in popular["by_rank"]
    ]
    axis = Axis("most accessed pages, as a share of those read or written (logarithmic)", "share", log=True)
    caption = "Share of the page accesses that go to the most accessed pages."
    return _shares("Popularity", caption, rows, axis, {"writes": _WRITE, "reads": _READ})


def _shares(title: str, caption: str, rows: Sequence[Row], x: Axis, colours: Mapping[str, str]) -> list[Chart]:
    """Lines of shares, or nothing where there are none."""
    shown = {name: colour for name, colour in colours.items() if any(row["series"] == name for row in rows)}
    # A logarithmic axis has no place for nothing.
    kept = [row for row in rows if row["x"] > 0 or not x.log]
    return [Chart(title, caption, [Layer("line", kept)], x=x, y=_SHARE, colours=shown)] if kept else []


def _rewrite_distance(analysis: Analysis) -> list[Chart]:
    rewrites, page_bytes = analysis["rewrites"], analysis["page_bytes"]
    if not rewrites["rewrites"]:
        return []
    names = {"distinct data": "distinct_pages", "all data": "pages_written"}
    rows = [
        {**row, "x": row["x"] * page_bytes}
        for name, key in names.items()
        for row in _cumulative(rewrites[key], "count", name)
    ]
    axis = Axis(
        "data written between two writes of the same page (logarithmic)", "bytes", log=True, ticks=_powers(rows)
    )
    caption = (
        "Share of the rewrites that come before so much has been written. "
        "Distinct data: what a write buffer of that size absorbs."
    )
    return _shares("Rewrite distance", caption, rows, axis, {"distinct data": _BOTH, "all data": _WRITE})


def _write_counts(analysis: Analysis) -> list[Chart]:
    classes: Classes = analysis["write_popularity"]["pages_by_accesses"]
    if not classes:
        return []
    names = [
        f"{each['up_to'] // 2 + 1}-{each['up_to']}" if each["up_to"] > 2 else str(each["up_to"]) for each in classes
    ]
    bars = {
        name: [each[field] / sum(other[field] for other in classes) for each in classes]
        for name, field in (("pages", "count"), ("page writes", "weight"))
    }
    caption = "Share of the written pages, and of the page writes, by how often the page is written."
    colours = {"pages": drive_colour(0), "page writes": _WRITE}
    return [_bars("Writes of a page", caption, "writes of a page", bars, names, colours)]


def _sizes(analysis: Analysis) -> list[Chart]:
    found = {name: analysis.operation(name) for name in ("read", "write", "overwrite")}
    shown = {f"{name}s": each["sizes"] for name, each in found.items() if each is not None and each["sizes"]}
    if not shown:
        return []
    ends = sorted({each["up_to"] for classes in shown.values() for each in classes})
    bars = {}
    for name, classes in shown.items():
        counts = {each["up_to"]: each["count"] for each in classes}
        bars[name] = [counts.get(end, 0) / sum(counts.values()) for end in ends]
    colours = {"reads": _READ, "writes": _WRITE, "overwrites": _BOTH}
    return [
        _bars("Request sizes", "Share of the requests of each kind, by their length.",
              "length of a request: up to this, above the one before", bars, [format_bytes(end) for end in ends],
              {name: colours[name] for name in shown})
    ]  # fmt: skip


def _streams(analysis: Analysis) -> list[Chart]:
    rows = [
        row
        for kind in ("read", "write")
        if (classes := analysis[f"{kind}_sequentiality"]["streams"])
        for row in _cumulative(classes, "weight", f"data of {kind}s")
    ]
    axis = Axis("length of the stream, at most (logarithmic)", "bytes", log=True, ticks=_powers(rows) if rows else ())
    caption = (
        "A stream is a chain of requests of one kind that each begin where another ended; 32 are followed at a time."
    )
    return _shares("Sequential streams", caption, rows, axis, {"data of reads": _READ, "data of writes": _WRITE})


def _time(interval_ns: int, count: int) -> tuple[list[float], Axis]:
    """The edges of the intervals in a unit fit for the duration, and the axis."""
    end_ns = interval_ns * count
    units = ((3600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"))
    size, name = next(((size, name) for size, name in units if end_ns >= 3 * size), (1e3, "µs"))
    edges = [interval_ns * index / size for index in range(count + 1)]
    return edges, Axis(f"time ({name})", most=edges[-1])


def _over_time(analysis: Analysis) -> list[Chart]:
    """Requests a second by kind, and data read and written a second."""
    arrivals = analysis["arrivals"]
    kinds = {"writes": _WRITE, "reads": _READ, "trims": drive_colour(3), "flushes": drive_colour(0)}
    data = {"written": _WRITE, "read": _READ}
    every = f"over intervals of {format_time(arrivals['interval_ns'])}."
    return [
        *_rates(arrivals, "Requests over time", f"Requests a second, {every}", {name: name for name in kinds}, kinds),
        *_rates(arrivals, "Data over time", f"Data a second, {every}", {f"bytes_{name}": name for name in data}, data),
    ]


def _rates(
    arrivals: Mapping[str, Any], title: str, caption: str, keys: Mapping[str, str], colours: Mapping[str, str]
) -> list[Chart]:
    intervals, seconds = arrivals["intervals"], arrivals["interval_ns"] / 1e9
    shown = {key: name for key, name in keys.items() if any(interval[key] for interval in intervals)}
    if not shown or not arrivals["duration_ns"]:
        return []
    in_bytes = title.startswith("Data")
    most = max(interval[key] / seconds for key in shown for interval in intervals)
    scale, unit = byte_unit(most) if in_bytes else (1, "requests")
    edges, time = _time(arrivals["interval_ns"], len(intervals))
    curves = {
        name: _steps(edges, [interval[key] / seconds / scale for interval in intervals], name)
        for key, name in shown.items()
    }
    axis = Axis(f"{unit} a second", "number" if in_bytes else "count")
    used = {name: colours[name] for name in shown.values()}
    return [Chart(title, caption, _lines(curves), x=time, y=axis, colours=used)]


def _gaps(analysis: Analysis) -> list[Chart]:
    """Idle time: how long nothing arrives."""
    classes: Classes = analysis["arrivals"]["gaps"]
    if not sum(each["weight"] for each in classes):
        return []
    rows = [*_cumulative(classes, "weight", "time"), *_cumulative(classes, "count", "gaps")]
    return _shares(
        "Gaps between arrivals",
        "How much of the time, and how many of the gaps, lie in gaps of up to this length.",
        rows,
        Axis("time between two arrivals, at most (logarithmic)", "time", log=True),
        {"time": drive_colour(0), "gaps": drive_colour(4)},
    )


def _dispersion(analysis: Analysis) -> list[Chart]:
    """Burstiness over windows of several lengths."""
    windows = analysis["arrivals"]["burstiness"]
    if len(windows) < 2 or not all(each["dispersion"] > 0 for each in windows):
        return []
    lengths = [each["window_ns"] for each in windows]
    here = [{"x": each["window_ns"], "y": each["dispersion"], "series": "this trace"} for each in windows]
    poisson = [{"x": length, "y": 1, "series": "Poisson arrivals"} for length in lengths]
    return [
        Chart(
            "Burstiness",
            "Variance over mean of the requests in a window. It grows with the window where bursts last.",
            [Layer("line", here, {"point": True}), Layer("line", poisson, {"strokeDash": [4, 3]})],
            x=Axis("length of a window (logarithmic)", "time", log=True, ticks=lengths),
            y=Axis(log=True),
            colours={"this trace": drive_colour(4), "Poisson arrivals": drive_colour(0)},
        )
    ]


def _overlap(analysis: Analysis) -> list[Chart]:
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


def _meetings(analysis: Analysis) -> list[Chart]:
    """Cells of time and address that are read, written or both."""
    overlap = analysis["overlap"]
    reads, writes = overlap["page_reads"], overlap["page_writes"]
    if not reads or not reads[0]:
        return []
    edges, time = _time(overlap["interval_ns"], len(reads))
    scale, unit = byte_unit(overlap["cell_bytes"] * len(reads[0]))
    height = overlap["cell_bytes"] / scale
    most = max(max(map(max, reads)), max(map(max, writes)))
    rows = [
        {
            "x": left,
            "x2": right,
            "y": place * height,
            "y2": (place + 1) * height,
            "series": "both" if reading and writing else "only read" if reading else "only written",
            "opacity": (_level(reading + writing, most) + 1) / _LEVELS,
        }
        for left, right, read, written in zip(edges, edges[1:], reads, writes, strict=False)
        for place, (reading, writing) in enumerate(zip(read, written, strict=True))
        if reading or writing
    ]
    cell = f"{format_bytes(overlap['cell_bytes'])} in {format_time(overlap['interval_ns'])}"
    caption = f"A cell is {cell}; the stronger its colour, the more accesses."
    address = Axis(f"address ({unit})", most=len(reads[0]) * height)
    return [
        Chart("Reads and writes in space and time", caption, [Layer("rect", rows)], x=time, y=address, colours=_ROLES,
              height=260)
    ]  # fmt: skip


def _level(accesses: int, most: int) -> int:
    """Strength of a cell's colour, by the logarithm of its accesses."""
    return min(_LEVELS - 1, (accesses.bit_length() - 1) * _LEVELS // max(1, most.bit_length()))


# What recycling by content could save: Figures 1 to 4 of the LX-SSD paper.

_MEASURES = {"reads of the page": "by_page_reads", "accesses of the content": "by_value_accesses"}
_MEASURED = {"reads of the page": _READ, "accesses of the content": _BOTH}
_POPULAR = [*(str(count) for count in range(15)), "15+"]


def _content(analysis: Analysis) -> list[Chart]:
    content = analysis["content"]
    recycling, page_bytes = content["recycling"], analysis["page_bytes"]
    if not content["whole"]["invalidated"]:
        return []
    moments = content["moments"]
    scale, unit = byte_unit(moments[-1]["page_writes"] * page_bytes)
    curves = {"invalid": _WRITE, "valid": drive_colour(0)} | ({} if recycling is None else {"recycled": _BOTH})
    rows = [
        {"x": moment["page_writes"] * page_bytes / scale, "y": moment[key], "series": key}
        for key in curves
        for moment in moments
    ]
    caption = "Pages of a drive that never cleans. Recycled: a later write asked for the content of an invalid page."
    valid = Chart("Valid and invalid pages", caption, [Layer("line", rows)], x=Axis(f"data written ({unit})"), y=_COUNT,
                  colours=curves)  # fmt: skip
    return [valid] if recycling is None else [valid, *_recycled(recycling)]


def _recycled(recycling: Mapping[str, Any]) -> list[Chart]:
    counts = {name: [each["invalid"] for each in recycling[key]] for name, key in _MEASURES.items()}
    bars = {name: [count / sum(found) for count in found] for name, found in counts.items()}
    across = "popularity when the page became invalid"
    caption = "Share of the pages that became invalid, by how popular they were then."
    popular = _bars("Popularity of invalid pages", caption, across, bars, _POPULAR, _MEASURED)
    rows = [
        {"x": _POPULAR[place], "y": each["recycled"] / each["invalid"], "series": name}
        for name, key in _MEASURES.items()
        for place, each in enumerate(recycling[key])
        if each["invalid"]
    ]
    probability = Chart(
        "Recyclable probability",
        "Share of the invalid pages of each popularity that a later write recycles.",
        [Layer("line", rows, {"point": True})],
        x=Axis(across, names=_POPULAR),
        y=Axis(unit="share"),
        colours=_MEASURED,
    )
    versions = recycling["recycled_by_version"][::-1]
    if not sum(versions):
        return [popular, probability]
    down = [str(len(versions) - 1 - place) for place in range(len(versions))]
    reached = [{"x": name, "y": part / sum(versions)} for name, part in zip(down, accumulate(versions), strict=True)]
    return [
        popular,
        probability,
        Chart(
            "Versions of recycled pages",
            "Share of the recycled pages whose version is at least so high.",
            [Layer("line", reached, {"point": True, "color": _BOTH})],
            x=Axis("version, down to (15: the last content but one of its logical page)", names=down),
            y=_SHARE,
        ),
    ]
