"""Answers of `rewear advise` about drives on sale, and changes by the size of the replayed drive.

    python experiments/studies/advice_answers.py [TRACE...]

Prints the table of docs/notebook/advice.md, for the recordings unless traces are given. Lives come from drives with
half and twice as many erase units, too, and mean responses from models of half and twice the size. A life that differs
by more than the replay's stated error has an exclamation mark; one outside the whole interval has two.
"""

import argparse
from pathlib import Path

from rewear import recordings
from rewear.advice.advise import advise
from rewear.advice.asked import Asked
from rewear.advice.enough import refusal
from rewear.advice.plan import Plan, make_plan
from rewear.advice.row import MOST_RESPONSE_NS, Row
from rewear.advice.sizing import UNITS
from rewear.advice.sold import Class, classes, row_of
from rewear.advice.traits import traits_of
from rewear.core.report import Report
from rewear.core.trace import Trace
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_number, format_time

CAPACITY = 10**12
_HEAD = (
    "workload", "drive of 1 TB", "life, years; written, TB", "half the units", "twice", "mean response",
    "half the model", "twice",
)  # fmt: skip


def main() -> None:
    """A row a drive, as they end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="*", metavar="TRACE")
    traces = parser.parse_args().traces or [str(path) for _, path in sorted(recordings().items())]
    print(f"| {' | '.join(_HEAD)} |\n|---|---|{'--:|' * 6}", flush=True)
    for name in traces:
        for line in rows(name):
            print(line, flush=True)


def rows(name: str) -> list[str]:
    """The lines of a trace: a drive each, or why there is no answer."""
    source, label = Trace(name), Path(name).name.split(".")[0]
    traits = traits_of(source)
    asked = Asked(source, traits)
    if (why := refusal(traits)) is not None:
        return [f"| {label} | {why}{' | -' * 6} |"]
    answer = advise(source, capacity=CAPACITY, techniques=False)
    lines = []
    for each in classes(CAPACITY):
        plan = make_plan(traits, CAPACITY, each.page_bytes)
        row = next(row for row in answer.sold if row.label == each.rival.label)

        def life(units: int, each: Class = each, plan: Plan = plan, row: Row = row) -> Interval | None:
            sized = each.sized(plan, units=units)
            report = asked.until_steady([("", sized)], plan, **each.how)[""]
            other = row_of(each, sized, report, plan, row.bytes_per_second)
            return other.years or other.tbw

        def response(size: float, each: Class = each, plan: Plan = plan) -> Report:
            drive = each.responding(2 * plan.exported_bytes, size)
            options = {"arrival": "trace", "fit": answer.plan.fit, "max_requests": answer.plan.max_requests}
            return asked.replayed([("", drive)], precondition="fill", **options)[""]

        whole = row.years or row.tbw
        others = [_within(life(units), whole, row.error) for units in (UNITS // 2, UNITS * 2)]
        means = ["-"] * 3 if row.response is None else [_mean(row.response), *(_mean(response(by)) for by in (0.5, 2))]
        lines.append(f"| {label} | {row.label} | {_range(whole)} | {' | '.join([*others, *means])} |")
        label = ""
    return lines


def _range(life: Interval | None) -> str:
    if life is None:
        return "-"
    return f"{_number(life.mean)} ({_number(life.low)} to {_number(life.high)})"


def _number(life: float) -> str:
    """Years, or the bytes of a life that no rate makes years of, in TB."""
    return f"{format_number(life / 1e12)} TB" if life > CAPACITY else format_number(life)


def _within(life: Interval | None, answer: Interval | None, error: float) -> str:
    if life is None or answer is None:
        return "-"
    # Most of the printed interval is the range of the cycles; the error is what the replay may be off.
    outside = (abs(life.mean / answer.mean - 1) > error) + (not answer.low <= life.mean <= answer.high)
    return _number(life.mean) + " " * bool(outside) + "!" * outside


def _mean(report: Report) -> str:
    mean = report.mean_response_ns
    return "cannot follow" if mean > MOST_RESPONSE_NS else format_time(mean)


if __name__ == "__main__":
    main()
