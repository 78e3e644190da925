"""The answer in words and as rows of a table, and both as the Markdown of a comment."""

import math
from collections.abc import Sequence

from rewear.ci.budget import Spending
from rewear.ci.judgement import FIGURES, Judged, Judgement
from rewear.ci.measurement import Cell, Measurement
from rewear.ci.replays import DRIVE_WRITES, MOST_PAGES, QUEUE_DEPTH
from rewear.figures.uncertainty import Interval, interval_of
from rewear.figures.units import format_bytes, format_change, format_number, format_time

HEADINGS = ("drive", "full", "bytes to flash", "life, in runs", "write amplification", "p99 of writes")
_MARK = "<!-- rewear ci -->"
"""By which a script finds the comment that it wrote before."""


def sentences(measurement: Measurement, judgement: Judgement | None) -> list[str]:
    """The verdict first, then what the benchmark writes."""
    if judgement is None:
        return [f"{_writes(measurement)}. There is no base to compare with."]
    limit = f"{judgement.worse:.0%}"
    found = []
    if worse := judgement.judged("worse"):
        found.append(f"Worse by more than {limit}: {_places(worse)}.")
    else:
        found.append(f"Nothing is worse by more than {limit}.")
    if better := judgement.judged("better"):
        found.append(f"Better: {_places(better)}.")
    if doubts := judgement.judged("perhaps worse"):
        found.append(f"Cannot be told with so few runs: {_places(doubts)}. Give more --runs.")
    here, there = _written(measurement), _written(judgement.base)
    change = format_change(here, there)
    found.append(f"{_writes(measurement)}; the base writes {format_bytes(round(there))} ({change}).")
    return found


def table(measurement: Measurement, judgement: Judgement | None) -> list[tuple[str, ...]]:
    """A row for each drive at each fill, under `HEADINGS`."""
    return [
        (cell.drive, f"{cell.fill:.0%}", *(_text(cell, name, judgement) for name in FIGURES))
        for cell in measurement.cells
    ]


def notes(measurement: Measurement, judgement: Judgement | None) -> list[str]:
    """How the figures came about, and what they do not know."""
    sides = [measurement, *([judgement.base] if judgement else [])]
    found = [
        f"Replayed by Rewear {measurement.rewear} on models of these drives, {QUEUE_DEPTH} requests in flight. *Full* "
        "is the part of the drive that the pages of the larger side take "
        f"({format_bytes(measurement.footprint_bytes)}); the rest is free. *Bytes to flash* are those programmed for "
        "what a run writes. *Life* is how often a whole drive takes the writes of the benchmark."
    ]
    fewest = min(len(side.runs) for side in sides)
    if fewest > 1:
        found.append(f"Means of {fewest} runs and 95% intervals. They hold what differs from run to run.")
    else:
        found.append("One run has no interval: how much runs differ is not known. Give --runs 3.")
    if any(not all(cell.fits) for cell in measurement.cells):
        found.append("A dash: the benchmark takes more pages than the drive has, or the drive wore out.")
    pages = max(run.written_bytes for side in sides for run in side.runs) / 4096
    if pages > MOST_PAGES:
        found.append(f"Only the first {MOST_PAGES / pages:.0%} of the longest run were replayed.")
    least = min(cell.fill for cell in measurement.cells)
    if 2 * DRIVE_WRITES * measurement.footprint_bytes / least / 4096 > MOST_PAGES:
        found.append(f"Too many pages: drives were not written over {2 * DRIVE_WRITES} times, and are not yet steady.")
    if judgement and judgement.base.rewear != measurement.rewear:
        found.append(f"The base was measured by Rewear {judgement.base.rewear}.")
    return found


def comment(
    measurement: Measurement | None,
    judgement: Judgement | None,
    title: str | None = None,
    spending: Spending | None = None,
) -> str:
    """The answer as Markdown: a budget and who spends it, and the figures of the replays, where there are any."""
    states = [] if judgement is None else ["no worse" if judgement.passes else "worse"]
    states += [] if spending is None else [f"budget {spending.state}"]
    title = title or ("Write amplification" if spending is None else "Bytes written")
    lines = [_MARK, f"### {title}{': ' if states else ''}{', '.join(states)}", ""]
    if spending is not None:
        first, *others = spending.sentences()
        lines += [f"**{first}**", *others, ""]
        lines += _rows(spending.headings(), spending.rows()) if spending.writers else []
    if measurement is not None:
        first, *others = sentences(measurement, judgement)
        lines += [f"**{first}**" if judgement else first, *others, "", *_rows(HEADINGS, table(measurement, judgement))]
        lines += ["<details><summary>How this was measured</summary>", ""]
        lines += [*(f"- {note}" for note in notes(measurement, judgement)), "", "</details>", ""]
    return "\n".join(lines)


def _rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    aligned = "|".join(["---", *["--:"] * (len(headings) - 1)])
    cells = [f"| {' | '.join(_escaped(part) for part in row)} |" for row in rows]
    return [f"| {' | '.join(headings)} |", f"|{aligned}|", *cells, ""]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _writes(measurement: Measurement) -> str:
    runs = len(measurement.runs)
    return f"A run of the benchmark writes {format_bytes(round(_written(measurement)))}" + (
        f" (mean of {runs})" if runs > 1 else ""
    )


def _written(measurement: Measurement) -> float:
    return sum(run.written_bytes for run in measurement.runs) / len(measurement.runs)


def _places(rows: Sequence[Judged]) -> str:
    """Each figure with the number of places, and the one that changes most."""
    parts = []
    for name, figure in FIGURES.items():
        found = [row for row in rows if row.figure == name]
        if not found:
            continue
        most = max(found, key=lambda row: math.inf if row.ratio is None else abs(math.log(row.ratio.mean)))
        change = "more pages than the drive has" if most.ratio is None else _change(most.ratio)
        place = f"{change} on {most.cell.drive} at {most.cell.fill:.0%} full"
        parts.append(f"{figure.title} {'' if len(found) == 1 else f'in {len(found)} places, most '}{place}")
    return "; ".join(parts)


def _text(cell: Cell, name: str, judgement: Judgement | None) -> str:
    here = _mean(FIGURES[name].values(cell))
    if judgement is None:
        return _with_interval(name, here)
    row = judgement.of(cell, name)
    there = _mean(FIGURES[name].values(row.base))
    figures = f"{_figure(name, there)} → {_figure(name, here)}"
    if row.ratio is None:
        return figures
    verdict = {"worse": " **worse**", "perhaps worse": " ?", "better": " better"}.get(row.state, "")
    return f"{figures}, {_change(row.ratio)}{verdict if name in judgement.figures else ''}"


def _mean(values: Sequence[float | None]) -> Interval | None:
    known = [value for value in values if value is not None]
    return interval_of(known) if known and len(known) == len(values) else None


def _with_interval(name: str, found: Interval | None) -> str:
    if found is None or found.seeds == 1:
        return _figure(name, found)
    return f"{_figure(name, found)} ± {format_number(found.half_width / found.mean * 100, 2) if found.mean else 0}%"


def _figure(name: str, found: Interval | None) -> str:
    if found is None:
        return "–"
    if name == "waf":
        return f"{found.mean:.2f}"
    if name == "flash":
        return format_bytes(found.mean)
    return format_time(found.mean) if name == "p99" else _count(found.mean)


def _count(value: float) -> str:
    """A large number in words: `2.34 million`."""
    for least, word in ((1e9, " billion"), (1e6, " million"), (1e4, " thousand")):
        if value >= least:
            return format_number(value / (1e3 if word == " thousand" else least)) + word
    return format_number(value)


def _change(ratio: Interval) -> str:
    change = format_change(ratio.mean, 1.0)
    if ratio.seeds == 1:
        return change
    # As `format_change` writes it: a factor from twice on, a percentage below.
    return f"{change} ± {format_number(ratio.half_width * (1 if ratio.mean >= 2 else 100), 2)}"
