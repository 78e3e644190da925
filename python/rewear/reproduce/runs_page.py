"""All runs behind a reproduction in absolute values, as a page of the documentation."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from rewear.figures.units import format_time
from rewear.reproduce.conditions import Condition, condition_of
from rewear.reproduce.markdown import table
from rewear.reproduce.result import Done, Reproduction
from rewear.sweep.figures import Group, groups_of

_HEAD = """# The runs behind the claims

Generated with [the page of claims](index.md); do not edit. Means over the seeds. A mean response is of
reads and writes; *busy* is the mean share of time that planes work; *cycles* are erases of a block,
begun ones in part."""

_COLUMNS = ("run", "seeds", "mean response", "p99 of writes", "write amplification", "busy", "cycles", "")


def runs_page(reproduction: Reproduction) -> str:
    """The page."""
    return "\n\n".join(_page(reproduction)) + "\n"


def _page(reproduction: Reproduction) -> Iterator[str]:
    yield _HEAD
    for paper in reproduction.papers:
        yield f"## {paper.about.paper}"
        for done in paper.done:
            if rows := _runs(done):
                yield from (f"### {done.experiment.name}", table(_COLUMNS, rows))


def _runs(done: Done) -> list[tuple[str, ...]]:
    if done.results is None:
        return []
    return [_run(group) for group in groups_of(done.results) if group.reports]


def _run(group: Group) -> tuple[str, ...]:
    each = [condition_of(report) for report in group.reports]
    remark = "flooded" if any(one.flooded for one in each) else ""
    remark = "never cleaned" if all(one.never_cleaned for one in each) else remark
    keys = {row.key for row in group.rows if row.report is not None}
    return (", ".join(group.coordinates.values()), str(len(keys)), *_figures(each), remark)


def _figures(each: Sequence[Condition]) -> tuple[str, ...]:
    def mean(values: list[float | None]) -> float | None:
        there = [value for value in values if value is not None]
        return fmean(there) if there else None

    times = [mean([one.mean_response_ns for one in each]), mean([one.write_p99_ns for one in each])]
    amplification = mean([one.write_amplification for one in each])
    busy = mean([one.planes_busy for one in each])
    return (
        *("-" if time is None else format_time(time) for time in times),
        "-" if amplification is None else f"{amplification:.2f}",
        "-" if busy is None else f"{busy:.1%}",
        f"{fmean(one.cycles_per_block for one in each):.3g}",
    )
