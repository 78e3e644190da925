"""Several drives beside each other."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from rewear.comparison.comparison import Comparison, Run
from rewear.comparison.verdict import cost_of, spare_of, too_short, verdict_of, versus_rival
from rewear.core.report import Report, SeriesInterval
from rewear.core.trace import Trace
from rewear.figures.facts import STARTS, Facts, omitted, region_facts, replay_facts, trace_facts, trace_times
from rewear.figures.metrics import BOOK, Metric, metrics_for
from rewear.figures.units import (
    byte_unit,
    format_bytes,
    format_change,
    format_count,
    format_number,
    format_quantity,
    format_ratio,
    listed,
)
from rewear.page.blocks import Answer, Block, Cell, Details, Heading, Pairs, Table
from rewear.page.chart import Axis, Chart, Layer, Row, bars, cause_colour, colours_of, lines
from rewear.page.glossary import glossary
from rewear.shown.drive import setting_pairs


def comparison_answer(comparison: Comparison) -> Answer:
    """The table of figures with their changes, charts, and everything that a note says of a drive."""
    reference, others, said = comparison.reference, comparison.runs[1:], findings(comparison)
    relative = (
        f"Relative to {reference.label}. Flash erased for a byte written, in the long run where the drive was steady; "
        "flash for a byte exported; reads and writes by the mean of their response time."
    )
    return Answer(
        f"comparison of {len(comparison.runs)} drive{'s' if others else ''}",
        headline(comparison),
        [summary(comparison), *([relative] if said else [])],
        [f"{_replayed(comparison)}; changes are relative to {reference.label}\n", _table(comparison)],
        [chart for each in _CHARTS for chart in each(comparison)],
        said,
        [
            *(("Trace", sentence) for sentence in omitted(reference.report)),
            *((run.label, spare) for run in others if (spare := spare_of(run, comparison))),
            *(("Too short to tell", reason) for run in comparison.runs if (reason := too_short(run.label, run.report))),
            *comparison.notes,
        ],
        [
            Heading("Workload"),
            Pairs(_workload(comparison)),
            Heading("Drives"),
            *map(_drive, comparison.runs),
        ],
        f"{verdict_of(comparison).sentence}.",
        comparison.to_dict(),
        f", seed {reference.report.seed}",
        glossary("comparison"),
    )


def _replayed(comparison: Comparison) -> str:
    name = str(comparison.reference.report["source"]["name"])
    if comparison.repeats == 1:
        return name
    return f"{name}, {comparison.repeats} seeds, means and 95% intervals"


def _table(comparison: Comparison) -> Table:
    """A row a figure, under its group; the figures of others than the first with their change to it."""
    rows: list[list[str | Cell]] = []
    group, tips, winner = None, dict[str, str](), verdict_of(comparison).winner
    for metric in metrics_for(comparison.reports):
        if metric.group != group:
            group = metric.group
            rows.append([group])
        title = f"  {metric.title}"
        tips |= {title: metric.sentence} if metric.sentence else {}
        cells = [_cell(metric, run, comparison, run is winner) for run in comparison.runs]
        rows.append([title, cells[0].text, *cells[1:]])
    labels = _labels(comparison)
    return Table(["", *labels], rows, tips=tips, keys=["", *colours_of(labels).values()], repeated=2)


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


def _workload(comparison: Comparison) -> Facts:
    """The replay and its options. A trace is counted once more for it; that takes a fraction of one replay."""
    source, report = comparison.source, comparison.reference.report
    if isinstance(source, Trace):
        return [*trace_facts(source.info()), *replay_facts(report)]
    return [("workload", source.spec), *region_facts(source.region), *replay_facts(report)]


def _drive(run: Run) -> Block:
    described = run.report["drive"]
    derived = [(item["label"], format_quantity(item)) for item in described["derived"]]
    return Details(
        run.label,
        [Pairs(derived, "Derived"), Pairs(setting_pairs(described["configuration"]), "Configuration", mono=True)],
    )


# Charts, with a row a drive and the reference on top.

_CAUSES = {
    "host": "host",
    "moved": "moved by cleaning",
    "rewritten": "rewritten",
    "metadata": "metadata",
    "read_modify_write": "read-modify-write",
}
_RESPONSES = {"mean": (1.0, "mean"), "p99": (0.45, "99%")}
_STEPS = 60
"""Points of a line over time at most."""


def _labels(comparison: Comparison) -> list[str]:
    return [run.label for run in comparison.runs]


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
    yield bars("Flash erased", caption, rows, axis, _labels(comparison))


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
    yield bars("Life under this workload", caption, rows, axis, _labels(comparison))


def _pages(comparison: Comparison) -> Iterator[Chart]:
    """Stacked bars of the pages programmed by cause, with the write amplification behind each."""
    counts = [run.report.pages_programmed for run in comparison.runs]
    shown = [cause for cause in _CAUSES if any(count.get(cause) for count in counts)]
    rows: list[Row] = []
    ends: list[Row] = []
    for run, count in zip(comparison.runs, counts, strict=True):
        sums = list(accumulate((count[cause] for cause in shown), initial=0))
        for cause, low, high in zip(shown, sums, sums[1:], strict=False):
            tip = f"{run.label}, {_CAUSES[cause]}: {high - low:,}"
            rows.append({"y": run.label, "x": low, "x2": high, "series": _CAUSES[cause], "tip": tip})
        amplification = run.report.write_amplification
        text = "" if amplification is None else f"WA {amplification:.2f}"
        ends.append({"y": run.label, "x": sums[-1], "text": text})
    colours = {_CAUSES[cause]: cause_colour(cause) for cause in shown}
    layers = [Layer("bar", rows, {"height": {"band": 0.6}}), Layer("text", ends)]
    caption = "WA is write amplification: bytes programmed into cells for each byte the host wrote."
    names = Axis(names=_labels(comparison))
    yield Chart(
        "Pages programmed, by cause", caption, layers, Axis("physical pages programmed", "count"), names, colours
    )


def _latencies(comparison: Comparison) -> Iterator[Chart]:
    for kind in ("write", "read"):
        axis = Axis(f"response time of {kind}s", "time")
        rows = [
            _row(run, latency[key], f"{axis.text(latency[key])}, {name}", beside=name, opacity=opacity)
            for run in comparison.runs
            if (latency := run.report.latency_ns.get(kind)) and latency["max"] > 0
            for key, (opacity, name) in _RESPONSES.items()
        ]
        if rows:
            caption = "Full: mean. Pale: 99th percentile."
            yield bars(f"Response time of {kind}s", caption, rows, axis, _labels(comparison))


def _over_time(comparison: Comparison) -> Iterator[Chart]:
    """Flash erased and response times of writes over time; none if there is no series."""
    series = [(run, run.report.series) for run in comparison.runs]
    if not all(intervals for _, intervals in series):
        return
    steps = [row for run, intervals in series for row in _steps(run, intervals or ())]
    scale, unit = byte_unit(max(row["erased"] for row in steps) or 2**20)
    across, labels = Axis("simulated time (s)"), _labels(comparison)
    erased = [{"series": row["series"], "x": row["x"], "y": row["erased"] / scale} for row in steps]
    caption = "Since the start, in whole blocks. A steeper line wears faster."
    yield lines("Flash erased over time", caption, erased, across, Axis(f"flash erased so far ({unit})"), labels)
    means = [{"series": row["series"], "x": row["x"], "y": row["mean"]} for row in steps if row["mean"]]
    if means:
        axis = Axis("response time of writes (logarithmic)", "time", log=True)
        yield lines("Response time of writes over time", "Mean of each step.", means, across, axis, labels)


def _steps(run: Run, intervals: Sequence[SeriesInterval]) -> Iterator[dict[str, Any]]:
    """Flash erased until the end of each step of several intervals, and the mean response time of its writes."""
    together, erased = -(-len(intervals) // _STEPS), 0
    for start in range(0, len(intervals), together):
        inside = intervals[start : start + together]
        writes = sum(each["writes"] for each in inside)
        erased += sum(each["erases"] for each in inside) * run.report.derived["block_bytes"]
        mean = sum((each["write_mean_ns"] or 0.0) * each["writes"] for each in inside) / writes if writes else None
        yield {"series": run.label, "x": inside[0]["start_ns"] / 1e9, "erased": erased, "mean": mean}


_CHARTS: Sequence[Callable[[Comparison], Iterator[Chart]]] = (_flash_erased, _life, _pages, _latencies, _over_time)


def headline(comparison: Comparison) -> str:
    """The one sentence to remember: how much less flash the best drive erases, or that this cannot be said."""
    verdict = verdict_of(comparison)
    # The note below says why.
    return verdict.sentence.partition(": ")[0] if verdict.kind == "too-short" else verdict.sentence


def summary(comparison: Comparison) -> str:
    """The drives and the workload of a comparison."""
    report = comparison.reference.report
    drives = len(comparison.runs)
    source, replay, requests = report["source"], report["replay"], report["requests"]
    kind = "the recorded trace" if source["kind"] == "trace" else "the synthetic workload"
    counted = [f"{format_count(count)} {kind}s" for kind, count in requests.items() if count]
    amount = format_bytes(report["host_bytes_written"])
    passes = {run.report["replay"]["passes"] for run in comparison.runs}
    loops = "" if passes == {1} else f" in {_span(passes)} passes"
    repeated = f" Each was replayed with {comparison.repeats} seeds." if comparison.repeats > 1 else ""
    arrival = {"trace": trace_times(replay), "closed": f"with {replay['queue_depth']} requests in flight"}
    start = STARTS[replay["precondition"]]
    return (
        f"{drives} {'drive' if drives == 1 else 'drives'} replayed {kind} {source['name']}{loops}: {listed(counted)}, "
        f"{amount} written, {arrival[replay['arrival_used']]}. The drives started {start}.{repeated}"
    )


def findings(comparison: Comparison) -> list[str]:
    """One sentence for each drive beside the reference: what it gains and what it costs."""
    return [_finding(run, comparison) for run in comparison.runs[1:]]


def _finding(run: Run, comparison: Comparison) -> str:
    better: list[str] = []
    worse: list[str] = []
    short = any(each.report.too_short is not None for each in (run, comparison.reference))
    for value, less, more, of, lower_is_better in _JUDGED[1:] if short else _JUDGED:
        ratio = comparison.ratio(run, comparison.reference, value)
        if ratio is None or abs(ratio.mean - 1) < 0.005 or (comparison.repeats > 1 and ratio.holds(1.0)):
            continue
        phrase = _amount(ratio.mean, less, more, of)
        (better if (ratio.mean < 1) == lower_is_better else worse).append(phrase)
    beside = "".join(f" ({said})" for said in (versus_rival(run, comparison), spare_of(run, comparison)) if said)
    if not better and not worse:
        return f"{run.label} does as {comparison.reference.label} does."
    if not worse:
        return f"{run.label}: {listed(better)}{beside}."
    return f"{run.label}: {listed(better) or 'no gain'}, for {listed(worse)}{beside}."


_JUDGED: tuple[tuple[Callable[[Report], float | None], str, str, str, bool], ...] = (
    (cost_of, "less flash erased", "more flash erased", "flash erased", True),
    (BOOK["write_mean_ns"].value, "shorter writes", "longer writes", "response time of writes", True),
    (BOOK["read_mean_ns"].value, "shorter reads", "longer reads", "response time of reads", True),
    (BOOK["flash_per_exported_byte"].value, "less flash", "more flash", "flash", True),
    (BOOK["exported_bytes"].value, "less capacity", "more capacity", "capacity", False),
)
"""Figures of a finding: how each is read, words for less, for more and for a multiple, whether lower is better."""


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return format_count(low) if low == high else f"{format_count(low)} to {format_count(high)}"


def _amount(ratio: float, less: str, more: str, of: str) -> str:
    """`35% less flash`, `80% longer reads`; from twice as much on, `3.5× the flash`, as in the table."""
    if ratio >= 2:
        return f"{format_ratio(ratio, 1)} the {of}"
    return f"{abs(ratio - 1) * 100:.{0 if abs(ratio - 1) >= 0.095 else 1}f}% {more if ratio > 1 else less}"
