"""What a comparison comes to, in sentences."""

from rewear.compare import Comparison, Run
from rewear.facts import trace_times
from rewear.report import Latency
from rewear.units import format_bytes, format_count, format_number, format_ratio

__all__ = ["findings", "headline", "summary"]


def headline(comparison: Comparison) -> str:
    """The one sentence to remember: how many erases the best drive spares."""
    reference, others = comparison.reference, comparison.runs[1:]
    # Cycles that have begun count: a short run of a drive that writes a block several times ends with many of them.
    erases = reference.report.erase_equivalents
    if not any(run.report.erases for run in comparison.runs):
        return "No drive had to erase a block"
    if not others:
        return f"{reference.label} erased {format_count(reference.report.erases)} blocks"
    best = min(others, key=lambda run: run.report.erase_equivalents)
    if best.report.erase_equivalents == erases:
        return f"{best.label} erases as often as {reference.label}"
    if best.report.erase_equivalents > erases:
        return f"No drive erases less than {reference.label}"
    share = 1 - best.report.erase_equivalents / erases
    return f"{best.label} erases {format_number(share * 100, 2)}% less than {reference.label}"


def summary(comparison: Comparison) -> str:
    """What was compared on what workload."""
    report = comparison.reference.report
    drives = len(comparison.runs)
    source, replay, requests = report["source"], report["replay"], report["requests"]
    kind = "the recorded trace" if source["kind"] == "trace" else "the synthetic workload"
    counted = [f"{format_count(count)} {kind}s" for kind, count in requests.items() if count]
    amount = format_bytes(report["host_bytes_written"])
    loops = f" in {replay['loops']} passes" if replay["loops"] > 1 else ""
    arrival = {"trace": trace_times(replay), "closed": f"with {replay['queue_depth']} requests in flight"}
    start = {"none": "erased", "fill": "filled once", "steady": "in steady state"}[replay["precondition"]]
    return (
        f"{drives} {'drive' if drives == 1 else 'drives'} replayed {kind} {source['name']}{loops}: {_listed(counted)}, "
        f"{amount} written, {arrival[replay['arrival_used']]}. The drives started {start}."
    )


def findings(comparison: Comparison) -> list[str]:
    """One sentence for each drive beside the reference: what it gains and what it costs."""
    return [_finding(run, comparison.reference) for run in comparison.runs[1:]]


def _finding(run: Run, reference: Run) -> str:
    better: list[str] = []
    worse: list[str] = []
    for value, base, less, more, lower_is_better in _judged(run, reference):
        if not base or value is None or abs(value / base - 1) < 0.005:
            continue
        phrase = _amount(value / base, less, more)
        (better if (value < base) == lower_is_better else worse).append(phrase)
    if not better and not worse:
        return f"{run.label} does as {reference.label} does."
    if not worse:
        return f"{run.label}: {_listed(better)}."
    return f"{run.label}: {_listed(better) or 'no gain'}, for {_listed(worse)}."


_Judged = tuple[float | None, float | None, str, str, bool]


def _judged(run: Run, reference: Run) -> list[_Judged]:
    """The figures a finding speaks of: value, reference, words for less and for more, whether lower is better."""
    report, base = run.report, reference.report
    flash, base_flash = report.derived["physical_bytes"], base.derived["physical_bytes"]
    capacity, base_capacity = report.derived["exported_bytes"], base.derived["exported_bytes"]
    return [
        (report.erase_equivalents, base.erase_equivalents, "fewer erases", "more erases", True),
        (_mean(report.write_latency), _mean(base.write_latency), "shorter writes", "longer writes", True),
        (_mean(report.read_latency), _mean(base.read_latency), "shorter reads", "longer reads", True),
        (flash, base_flash, "less flash", "more flash", True),
        (capacity, base_capacity, "less capacity", "more capacity", False),
    ]


def _mean(latency: Latency | None) -> float | None:
    return None if latency is None else latency.mean


_NOUNS = {
    "more erases": "erases",
    "longer writes": "response time of writes",
    "longer reads": "response time of reads",
    "more flash": "flash",
    "more capacity": "capacity",
}


def _amount(ratio: float, less: str, more: str) -> str:
    """`35% fewer erases`, `80% longer reads`; from twice as much on, `3.5× the erases`, as in the table."""
    if ratio >= 2:
        return f"{format_ratio(ratio, 1)} the {_NOUNS[more]}"
    return f"{abs(ratio - 1) * 100:.{0 if abs(ratio - 1) >= 0.095 else 1}f}% {more if ratio > 1 else less}"


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
