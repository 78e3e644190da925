"""Results of a comparison, in sentences."""

from collections.abc import Callable

from rewear.comparison.comparison import Comparison, Run
from rewear.comparison.verdict import cost_of, spare_of, verdict_of, versus_rival
from rewear.core.report import Report
from rewear.figures.facts import STARTS, trace_times
from rewear.figures.metrics import BOOK
from rewear.figures.units import format_bytes, format_count, format_ratio, listed


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
