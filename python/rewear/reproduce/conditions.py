"""In what condition a drive was: what a ratio of two runs does not say."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from rewear.core.report import Report
from rewear.sweep import Row

NOT_RUN = "not run"
"""Why a run has no report on a page that is made of finished runs only."""

FLOODED_FROM = 10
"""Slowest programs of a page that a mean response lasts on a drive that is called flooded: requests wait, not work."""

_NAMED = 4
_REPEATS = ("trace", "seed")
"""Axes over which a range is given."""
_KINDS = 8
"""Kinds of runs with a sentence of their own."""
_MOVED = 1.005
"""Write amplification from which on anything was moved, as it is written."""


def is_flooded(report: Report) -> bool:
    """Whether requests at the times of the trace mostly waited."""
    program_ns = max(report["drive"]["configuration"]["flash"]["timing"]["program_ns"])
    return bool(
        report["replay"]["arrival_used"] == "trace" and (report.mean_response_ns or 0) > FLOODED_FROM * program_ns
    )


def remarks(rows: Iterable[Row]) -> tuple[str, ...]:
    """Which of some runs were flooded or never cleaned, and how much their cleaning moved."""
    ran = [row for row in rows if row.report is not None]
    found = [(row.job.label, row.report) for row in ran if row.report is not None]
    flooded = {label: report for label, report in found if is_flooded(report)}
    clean = [label for label, report in found if report["garbage_collections"] == 0]
    said = []
    if flooded:
        mean_ms = fmean(report.mean_response_ns or 0.0 for report in flooded.values()) / 1e6
        said.append(f"Flooded, {mean_ms:.3g} ms a request on average: {_names(list(flooded), len(found))}.")
    if clean:
        said.append(f"Never cleaned: {_names(clean, len(found))}.")
    if moved := amplified(ran):
        said.append(f"Write amplification: {moved}.")
    return tuple(said)


def amplified(rows: Iterable[Row]) -> str:
    """The range over traces and seeds of each kind of run; empty where there are many kinds, or nothing was moved."""
    found: dict[str, list[float]] = {}
    for row in rows:
        value = None if row.report is None else row.report.figure("write_amplification_of_data")
        kind = ", ".join(label for axis, label in row.job.coordinates.items() if axis not in _REPEATS)
        if value is not None:
            found.setdefault(kind, []).append(float(value))
    moved = any(value >= _MOVED for values in found.values() for value in values)
    if not moved or not 1 < len(found) <= _KINDS:
        return ""
    return "; ".join(f"{kind} {_range(values)}" for kind, values in found.items())


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def _names(labels: Sequence[str], of: int) -> str:
    if len(labels) == of:
        return f"all {of} runs"
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"{len(labels)} of {of} runs ({'; '.join(labels[:_NAMED])}{more})"
