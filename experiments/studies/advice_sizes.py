"""Lives of `rewear advise` beside those of drives with two, four and eight times the erase units.

    .venv/bin/python experiments/studies/advice_sizes.py [RECORDING...]

docs/notebook/answers.md has the table.
"""

import sys

import rewear
from rewear.advice.asked import Asked
from rewear.advice.plan import make_plan
from rewear.advice.row import Row
from rewear.advice.sizing import UNITS
from rewear.advice.sold import classes, row_of
from rewear.advice.traits import traits_of
from rewear.core.bundled import recordings

CLASSES = ("client QLC", "client TLC, 28% spare", "enterprise TLC")
TIMES = (2, 4, 8)


def main() -> None:
    """Prints a row for each recording and class; an exclamation mark where a life leaves the answer's error."""
    print("| recording | drive of 1 TB | carried on | error | twice | four times | eight times |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for name in sys.argv[1:] or ("day", "home", "mail", "web"):
        trace = rewear.Trace(recordings()[name])
        traits = traits_of(trace)
        asked = Asked(trace, traits, traits.bytes_per_second)
        for each in classes(10**12):
            if each.rival.label not in CLASSES:
                continue
            plan = make_plan(traits, 10**12, each.page_bytes)

            def row(units: int, half: rewear.Report | None = None, asked=asked, each=each, plan=plan) -> Row:
                sized = each.sized(plan, units=units)
                report = asked.until_steady([(each.rival.label, sized)], plan, **each.how)[each.rival.label]
                return row_of(each, sized, report, plan, asked.bytes_per_second, half)

            answer = row(UNITS, row(UNITS // 2).report)
            lives = [row(times * UNITS).replayed_tbw / answer.replayed_tbw for times in TIMES]
            cells = [
                f"{life - 1:+.1%}{'' if abs(life / answer.carried - 1) <= answer.error else ' !'}" for life in lives
            ]
            about = (name, each.rival.label, f"{answer.carried - 1:+.1%}", f"{answer.error:.1%}")
            print(f"| {' | '.join((*about, *cells))} |", flush=True)


if __name__ == "__main__":
    main()
