"""In what condition a drive was: what a ratio of two runs does not say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from rewear.core.report import Report
from rewear.sweep import Row

NOT_RUN = "not run"
"""Why a run has no report on a page that is made of finished runs only."""

FLOODED_FROM = 10
"""Slowest programs of a page that a mean response lasts on a drive that is called flooded: requests wait, not work."""

_NAMED = 4


@dataclass(frozen=True, slots=True)
class Condition:
    """Absolute values of a run."""

    mean_response_ns: float | None
    """`None` where no time was kept, as the next two."""
    write_p99_ns: float | None
    planes_busy: float | None
    write_amplification: float | None
    cycles_per_block: float
    flooded: bool
    """Whether requests at the times of the trace mostly waited."""
    never_cleaned: bool


def condition_of(report: Report) -> Condition:
    """The condition of the drive in a run."""
    mean_ns = report.mean_response_ns
    utilisation = report["utilisation"]
    program_ns = max(report["drive"]["configuration"]["flash"]["timing"]["program_ns"])
    return Condition(
        mean_response_ns=None if mean_ns is None else float(mean_ns),
        write_p99_ns=report.figure("latency_ns.write.p99"),
        write_amplification=report.write_amplification,
        planes_busy=None if utilisation is None else float(utilisation["planes"]),
        cycles_per_block=report.erase_equivalents / report.derived["blocks"],
        flooded=report["replay"]["arrival"] == "trace" and (mean_ns or 0.0) > FLOODED_FROM * program_ns,
        never_cleaned=report["garbage_collections"] == 0,
    )


def remarks(rows: Iterable[Row]) -> tuple[str, ...]:
    """Which of some runs were flooded or never cleaned."""
    found = [(row.job.label, condition_of(row.report)) for row in rows if row.report is not None]
    flooded = [label for label, condition in found if condition.flooded]
    clean = [label for label, condition in found if condition.never_cleaned]
    said = []
    if flooded:
        mean_ms = fmean(condition.mean_response_ns or 0.0 for _, condition in found if condition.flooded) / 1e6
        said.append(f"Flooded, {mean_ms:.3g} ms a request on average: {_names(flooded, len(found))}.")
    if clean:
        said.append(f"Never cleaned: {_names(clean, len(found))}.")
    return tuple(said)


def _names(labels: Sequence[str], of: int) -> str:
    if len(labels) == of:
        return f"all {of} runs"
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"{len(labels)} of {of} runs ({'; '.join(labels[:_NAMED])}{more})"
