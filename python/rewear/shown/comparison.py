"""Several drives beside each other: tables, and a page with charts and full configurations."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from rewear.compare.comparison import Comparison, Run
from rewear.compare.verdict import spare_of, too_short, verdict_of
from rewear.core.report import Report, SeriesInterval
from rewear.core.trace import Trace
from rewear.figures.facts import Facts, omitted, region_facts, replay_facts, trace_facts
from rewear.figures.metrics import Metric, metrics_for
from rewear.figures.units import (
    byte_unit,
    format_bytes,
    format_change,
    format_count,
    format_number,
    format_quantity,
    format_share,
    format_time,
)
from rewear.page.blocks import Block, Cell, Charts, Details, Heading, Notes, Page, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, Row, bars_of, cause_colour, colours_of
from rewear.page.glossary import glossary
from rewear.page.terminal import fitting
from rewear.shown.comparison_words import findings, headline, summary
from rewear.shown.drive import flatten


def comparison_tables(comparison: Comparison) -> list[Part]:
    """The table (or several, if the drives are many), then the notes of each drive."""
    reference, others = comparison.reference, comparison.runs[1:]
    parts: list[Part] = [
        f"{verdict_of(comparison).sentence}.\n",
        f"{_replayed(comparison)}; changes are relative to {reference.label}\n",
    ]
    beside = fitting(others, lambda some: _table(comparison, [reference, *some]))
    parts += beside if others else [_table(comparison, [reference]), ""]
    parts += [f"Trace: {sentence}" for sentence in omitted(reference.report)]
    parts += [f"{run.label}: {spare}" for run in others if (spare := spare_of(run, comparison))]
    parts += [f"Too short to tell: {reason}" for reason in _too_short(comparison)]
    parts += [f"{labels}: {note}" for labels, note in comparison.notes]
    return parts if parts[-1] != "" else parts[:-1]


def _too_short(comparison: Comparison) -> list[str]:
    return [reason for run in comparison.runs if (reason := too_short(run.label, run.report))]


def _replayed(comparison: Comparison) -> str:
    name = str(comparison.reference.report["source"]["name"])
    if comparison.repeats == 1:
        return name
    what = "samples" if comparison.is_miniature else "seeds"
    return f"{name}, {comparison.repeats} {what}, means and 95% intervals"


def _table(comparison: Comparison, runs: Sequence[Run], winner: Run | None = None, indent: str = "  ") -> Table:
    """A row a figure, under its group; the figures of others than the first with their change to it."""
    rows: list[list[str | Cell]] = []
    group, tips = None, dict[str, str]()
    for metric in metrics_for(comparison.reports):
        if metric.group != group:
            group = metric.group
            rows.append([group])
        title = f"{indent}{metric.title}"
        tips |= {title: metric.sentence} if metric.sentence else {}
        cells = [_cell(metric, run, comparison, run is winner) for run in runs]
        rows.append([title, cells[0].text, *cells[1:]])
    return Table(["", *(run.label for run in runs)], rows, tips=tips, keys=["", *colours_of(_labels(runs)).values()])


def _cell(metric: Metric, run: Run, comparison: Comparison, marked: bool) -> Cell:
    """A figure with its change to the reference; green for the better, red for the worse; none within its interval."""
    reference = comparison.reference
    found = comparison.interval(run, metric.value) if comparison.repeats > 1 else None
    text = metric.format(run.report) if found is None else metric.text(found.mean)
    if run is reference:
        return Cell(text, marked=marked)
    better = metric.is_better(run.report, reference.report)
    ratio = comparison.ratio(run, reference, metric.value) if comparison.repeats > 1 else None
    if ratio is None:
        change = format_change(metric.value(run.report), metric.value(reference.report))
    elif ratio.holds(1.0):
        change, better = "none", None
    else:
        change = f"{format_change(ratio.mean, 1.0)} ± {format_number(ratio.half_width * 100, 2)}"
    return Cell(text, change, better, marked)


def comparison_page(comparison: Comparison) -> Page:
    """The page. The same comparison gives the same bytes."""
    runs, words = comparison.runs, findings(comparison)
    notes = [*(("Too short to tell", reason) for reason in _too_short(comparison)), *comparison.notes]
    relative = (
        f"Relative to {runs[0].label}. Flash erased for a byte written, in the long run where the drive was steady; "
        "flash for a byte exported; reads and writes by the mean of their response time."
    )
    blocks: list[Block] = [Sentences(words, "findings"), Sentences([relative])] if words else []
    blocks += [Notes(notes)] if notes else []
    return Page(
        f"comparison of {len(runs)} drive{'' if len(runs) == 1 else 's'}",
        headline(comparison),
        [
            *blocks,
            Heading("Figures"),
            _table(comparison, runs, verdict_of(comparison).winner, ""),
            Heading("Charts"),
            Charts([chart for each in _CHARTS for chart in each(comparison)]),
            Heading("Workload"),
            Pairs(_workload(comparison)),
            Heading("Drives"),
            *map(_drive, runs),
        ],
        comparison.to_dict(),
        f", seed {comparison.reference.report.seed}",
        opening=[Sentences([summary(comparison)], "summary")],
        words=glossary("comparison"),
    )


def _workload(comparison: Comparison) -> Facts:
    """The replay and its options. A trace is counted once more for it; that takes a fraction of one replay."""
    source, report = comparison.source, comparison.reference.report
    if isinstance(source, Trace):
        return [*trace_facts(source.info()), *replay_facts(report)]
    return [("workload", source.spec), *region_facts(source.region), *replay_facts(report)]


def _drive(run: Run) -> Block:
    described = run.report["drive"]
    derived = [(item["label"], format_quantity(item)) for item in described["derived"]]
    configuration = list(flatten(described["configuration"]))
    return Details(run.label, [Pairs(derived, "Derived"), Pairs(configuration, "Configuration", mono=True)])


# Charts, with a row a drive and the reference on top.

_CAUSES = {
    "host": "host",
    "moved": "moved by cleaning",
    "rewritten": "rewritten",
    "metadata": "metadata",
    "read_modify_write": "read-modify-write",
    "before_write": "before a write",
    "verification": "to verify a match",
}
_PERCENTILES = {"p50": "50%", "p95": "95%", "p99": "99%", "p999": "99.9%"}
_STEPS = 60
"""Parts of the time in which intervals are taken together."""
_ACROSS = "simulated time (s)"
_SECOND_NS = 1_000_000_000


def _labels(runs: Sequence[Run]) -> list[str]:
    return [run.label for run in runs]


def _by_drive(comparison: Comparison, title: str, caption: str, layers: Sequence[Layer], x: Axis) -> Iterator[Chart]:
    """A chart with a row a drive, in the drive's colour."""
    names = _labels(comparison.runs)
    yield Chart(title, caption, layers, x, Axis(names=names), colours_of(names), legend=False)


def _flash_erased(comparison: Comparison) -> Iterator[Chart]:
    """A pair of bars a drive: the whole run, and below it the long run."""
    kinds: dict[str, tuple[float, Callable[[Report], float | None]]] = {
        "whole run": (0.45, lambda report: report.figure("flash_erased_per_byte")),
        "long run": (1.0, lambda report: None if report.long_run is None else report.long_run["flash_erased_per_byte"]),
    }
    rows = []
    for run in comparison.runs:
        for name, (opacity, of) in kinds.items():
            found = comparison.interval(run, of)
            if found is not None:
                change = _change_of(comparison, run, of)
                spread = {"low": found.low, "high": found.high} if comparison.repeats > 1 else {}
                text = f"{found.mean:.3f}{f' ({change})' if change else ''}, {name}"
                tip = f"{run.label}, {name}: {found.mean:.4f} bytes of flash erased for each byte written"
                rows.append(_row(run, found.mean, text, tip, beside=name, opacity=opacity, **spread))
    lines = " Lines: 95% intervals over the seeds." if comparison.repeats > 1 else ""
    caption = f"Less is better. Pale: the whole run, begun cycles by the part used. Full: its second half.{lines}"
    axis = Axis("bytes of flash erased for each byte written")
    yield from _by_drive(comparison, "Flash erased", caption, bars_of(rows), axis)


def _row(run: Run, value: float, text: str, tip: str = "", **more: Any) -> dict[str, Any]:
    return {"y": run.label, "series": run.label, "x": value, "text": text, "tip": tip or f"{run.label}: {text}", **more}


def _change_of(comparison: Comparison, run: Run, of: Callable[[Report], float | None]) -> str:
    found = None if run is comparison.reference else comparison.ratio(run, comparison.reference, of)
    if found is None:
        return ""
    return "no difference" if comparison.repeats > 1 and found.holds(1.0) else format_change(found.mean, 1.0)


def _life(comparison: Comparison) -> Iterator[Chart]:
    lives = [None if run.report.life is None else run.report.life["tbw_bytes"] for run in comparison.runs]
    known = [life for life in lives if life]
    if not known:
        return
    scale, unit = byte_unit(max(known))
    rows = []
    for run, life in zip(comparison.runs, lives, strict=True):
        change = "" if run is comparison.reference else format_change(life, lives[0])
        text = "not known" if life is None else format_bytes(life)
        rows.append(_row(run, (life or 0) / scale, f"{text} ({change})" if change else text))
    caption = "More is better. Extrapolated, unless the drive died in the run."
    axis = Axis(f"{unit} that the host can write until the drive dies")
    yield from _by_drive(comparison, "Life under this workload", caption, bars_of(rows), axis)


def _pages(comparison: Comparison) -> Iterator[Chart]:
    amplifications = [run.report.write_amplification for run in comparison.runs]
    texts = ["" if each is None else f"WA {each:.2f}" for each in amplifications]
    caption = "WA is write amplification: bytes programmed into cells for each byte the host wrote."
    yield _stack(comparison, "pages_programmed", texts, "Pages programmed, by cause", caption)


def _pages_read(comparison: Comparison) -> Iterator[Chart]:
    totals = [run.report["pages_read"]["total"] for run in comparison.runs]
    if any(totals):
        texts = [format_count(total) for total in totals]
        caption = "What the host asked for, and what cleaning and writing had to read."
        yield _stack(comparison, "pages_read", texts, "Pages read, by cause", caption)


def _stack(comparison: Comparison, counter: str, texts: Sequence[str], title: str, caption: str) -> Chart:
    """Stacked bars of a counter by cause, with a text behind each."""
    counts = [run.report[counter] for run in comparison.runs]
    shown = [cause for cause in _CAUSES if any(count.get(cause) for count in counts)]
    rows: list[Row] = []
    ends: list[Row] = []
    for run, count, text in zip(comparison.runs, counts, texts, strict=True):
        sums = list(accumulate((count[cause] for cause in shown), initial=0))
        for cause, low, high in zip(shown, sums, sums[1:], strict=False):
            tip = f"{run.label}, {_CAUSES[cause]}: {format_count(high - low)}"
            rows.append({"y": run.label, "x": low, "x2": high, "series": _CAUSES[cause], "tip": tip})
        ends.append({"y": run.label, "x": sums[-1], "text": text})
    colours = {_CAUSES[cause]: cause_colour(cause) for cause in shown}
    layers = [Layer("bar", rows, {"height": {"band": 0.6}}), Layer("text", ends)]
    names = Axis(names=_labels(comparison.runs))
    return Chart(title, caption, layers, Axis(f"physical {counter.replace('_', ' ')}", "count"), names, colours)


def _wear(comparison: Comparison) -> Iterator[Chart]:
    lines, bands, means = [], [], []
    for run in comparison.runs:
        spread, own = run.report.erases_per_block, {"y": run.label, "series": run.label}
        mean, width = spread["mean"], spread["stddev"]
        lines.append({**own, "x": spread["min"], "x2": spread["max"]})
        bands.append({**own, "x": max(spread["min"], mean - width), "x2": min(spread["max"], mean + width)})
        means.append(_row(run, mean, f"mean {mean:.2f}"))
    texts = [{"y": row["y"], "x": line["x2"], "text": row["text"]} for row, line in zip(means, lines, strict=True)]
    layers = [
        Layer("rule", lines, {"strokeWidth": 1.5}),
        Layer("rule", bands, {"strokeWidth": 9, "opacity": 0.45}),
        Layer("point", [{key: row[key] for key in ("x", "y", "series", "tip")} for row in means], {"size": 60}),
        Layer("text", texts),
    ]
    caption = "Line: least to most worn block. Band: one standard deviation. Dot: mean."
    yield from _by_drive(comparison, "Wear of the blocks", caption, layers, Axis("P/E cycles of one block"))


def _latencies(comparison: Comparison) -> Iterator[Chart]:
    for kind in ("write", "read"):
        found = [(run, run.report.to_dict()["latency_ns"][kind]) for run in comparison.runs]
        lines, dots, means = [], [], []
        for run, latency in found:
            if not latency or latency["max"] <= 0:
                continue
            own = {"y": run.label, "series": run.label}
            # What is answered from the map takes no time; a logarithmic axis has no place for it.
            known = {name: latency[name] for name in (*_PERCENTILES, "max") if latency[name] > 0}
            lines.append({**own, "x": min(known.values()), "x2": latency["max"]})
            for name, text in {**_PERCENTILES, "max": "slowest"}.items():
                if name in known:
                    tip = f"{run.label}, {text}: {format_time(known[name])}"
                    dots.append({**own, "x": known[name], "tip": tip, "name": name})
            tip = f"{run.label}, mean: {format_time(latency['mean'])}"
            means.append({**own, "x": latency["mean"], "tip": tip})
        if dots:
            layers = [
                Layer("rule", lines, {"strokeWidth": 1.5, "opacity": 0.5}),
                Layer("point", [dot for dot in dots if dot["name"] != "max"], {"size": 45}),
                Layer("tick", [dot for dot in dots if dot["name"] == "max"], {"thickness": 2, "height": 10}),
                Layer("point", means, {"shape": "diamond", "size": 45, "color": "var(--ink)"}),
            ]
            caption = "Dots: 50th, 95th, 99th, 99.9th percentile. Diamond: mean. End: slowest."
            axis = Axis(f"response time of {kind}s (logarithmic)", "time", log=True)
            yield from _by_drive(comparison, f"Response time of {kind}s", caption, layers, axis)


def _time_busy(comparison: Comparison) -> Iterator[Chart]:
    if any(run.report["utilisation"] is None for run in comparison.runs):
        return
    rows = []
    for run in comparison.runs:
        duration_ns = run.report.simulated_ns or 1
        for resource, opacity in (("planes", 1.0), ("channels", 0.45)):
            share = run.report["utilisation"][resource]
            shares = [busy_ns / duration_ns for busy_ns in run.report["busy_ns"][resource]]
            text = f"{resource} {format_share(share)}"
            spread = {"low": min(shares), "high": max(shares)}
            rows.append(_row(run, share, text, f"{run.label}: {text}", beside=resource, opacity=opacity, **spread))
    axis = Axis("share of the simulated time", "share")
    caption = "Bars: mean. Thin line: from the idlest to the busiest."
    yield from _by_drive(comparison, "Time busy", caption, bars_of(rows), axis)


def _over_time(comparison: Comparison) -> Iterator[Chart]:
    """Flash erased and response times over time; none if there is no series."""
    series = [run.report.series for run in comparison.runs if run.report.series]
    if len(series) < len(comparison.runs):
        return
    colours = colours_of(_labels(comparison.runs))
    erased = []
    for run, intervals in zip(comparison.runs, series, strict=True):
        block_bytes = run.report.derived["block_bytes"]
        for interval, total in zip(
            intervals, accumulate(each["erases"] * block_bytes for each in intervals), strict=True
        ):
            erased.append({"series": run.label, "x": interval["start_ns"] / _SECOND_NS, "y": total})
    scale, unit = byte_unit(max(row["y"] for row in erased) or 2**20)
    yield Chart(
        "Flash erased over time",
        "Since the start, in whole blocks. A steeper line wears faster.",
        [Layer("line", [{**row, "y": row["y"] / scale} for row in erased])],
        Axis(_ACROSS),
        Axis(f"flash erased so far ({unit})"),
        colours,
    )
    width = max(each[-1]["start_ns"] for each in series) / _SECOND_NS / _STEPS
    steps = [row for run, each in zip(comparison.runs, series, strict=True) for row in _steps(run.label, each, width)]
    if steps:
        bands = [{**row, "y": row["low"], "y2": row["high"]} for row in steps]
        layers = [Layer("area", bands, {"opacity": 0.16}), Layer("line", steps)]
        yield Chart(
            "Response time of writes over time",
            "Line: mean of the writes of several intervals. Band: the quickest and the slowest interval among them.",
            layers,
            Axis(_ACROSS),
            Axis("response time of writes (logarithmic)", "time", log=True),
            colours,
        )


def _steps(label: str, intervals: Sequence[SeriesInterval], width_s: float) -> Iterator[dict[str, Any]]:
    """Response times of writes in at most `_STEPS` equal parts of the time, which are the same for all drives."""
    found: dict[int, list[SeriesInterval]] = {}
    for interval in intervals:
        if interval["write_mean_ns"]:
            step = int(interval["start_ns"] / _SECOND_NS / width_s) if width_s else 0
            found.setdefault(min(step, _STEPS - 1), []).append(interval)
    for step, inside in found.items():
        means = [interval["write_mean_ns"] or 0.0 for interval in inside]
        writes = sum(interval["writes"] for interval in inside)
        mean = sum(mean * interval["writes"] for mean, interval in zip(means, inside, strict=True)) / writes
        yield {"series": label, "x": step * width_s, "y": mean, "low": min(means), "high": max(means)}


_CHARTS: Sequence[Callable[[Comparison], Iterator[Chart]]] = (
    _flash_erased,
    _life,
    _pages,
    _wear,
    _latencies,
    _pages_read,
    _time_busy,
    _over_time,
)
