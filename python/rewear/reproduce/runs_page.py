"""All runs behind a reproduction in absolute values, as a page of the documentation."""

from collections.abc import Sequence
from statistics import fmean

from rewear.reproduce.conditions import Condition, condition_of
from rewear.reproduce.markdown import table
from rewear.reproduce.result import Done, PaperResult, Reproduction
from rewear.sweep import Row
from rewear.units import format_time

__all__ = ["runs_page"]

_HEAD = """# The runs behind the claims

Generated with [the page of claims](index.md); do not edit. Means over the seeds. A mean response is of
reads and writes; *busy* is the mean share of time that planes work; *cycles* are erases of a block,
begun ones in part.
"""

_COLUMNS = ("run", "seeds", "mean response", "p99 of writes", "write amplification", "busy", "cycles", "")


def runs_page(reproduction: Reproduction) -> str:
    """The page."""
    lines = [_HEAD]
    for paper in reproduction.papers:
        lines += _paper(paper)
    return "\n".join(lines).rstrip() + "\n"


def _paper(paper: PaperResult) -> list[str]:
    lines = [f"## {paper.about.paper}", ""]
    for done in paper.done:
        rows = _runs(done)
        if rows:
            lines += [f"### {done.experiment.name}", "", *table(_COLUMNS, rows)]
    return lines


def _runs(done: Done) -> list[tuple[str, ...]]:
    if done.results is None:
        return []
    repeats = {axis.name for axis in done.results.description.axes if axis.repeats}
    groups: dict[str, list[Row]] = {}
    for row in done.results.rows:
        kept = {axis: label for axis, label in row.job.coordinates.items() if axis not in repeats}
        groups.setdefault(", ".join(kept.values()), []).append(row)
    return [written for label, rows in groups.items() if (written := _run(label, rows)) is not None]


def _run(label: str, rows: Sequence[Row]) -> tuple[str, ...] | None:
    reports = [row.report for row in rows if row.report is not None]
    if not reports:
        return None
    each = [condition_of(report) for report in reports]
    remark = "flooded" if any(one.flooded for one in each) else ""
    remark = "never cleaned" if all(one.never_cleaned for one in each) else remark
    keys = {row.key for row in rows if row.report is not None}
    return (label, str(len(keys)), *_figures(each), remark)


def _figures(each: Sequence[Condition]) -> tuple[str, ...]:
    def mean(values: list[float | None]) -> float | None:
        there = [value for value in values if value is not None]
        return fmean(there) if there else None

    times = [mean([one.mean_response_ns for one in each]), mean([one.write_p99_ns for one in each])]
    amplification = mean([one.write_amplification for one in each])
    return (
        *("-" if time is None else format_time(time) for time in times),
        "-" if amplification is None else f"{amplification:.2f}",
        _mean_share([one.planes_busy for one in each]),
        f"{fmean(one.cycles_per_block for one in each):.3g}",
    )


def _mean_share(values: Sequence[float | None]) -> str:
    """The mean as a percentage; a dash where no time was kept."""
    known = [value for value in values if value is not None]
    return f"{fmean(known):.1%}" if known else "-"
