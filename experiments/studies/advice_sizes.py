"""Lives of `rewear advise` beside those of drives with two, four and eight times the erase units.

    .venv/bin/python experiments/studies/advice_sizes.py [RECORDING or WORKLOAD...]

docs/notebook/answers.md has the table. A life outside the answer's error has an exclamation mark; one more than 10%
off the life carried on has two.

More units of the same flash are smaller, and chance leaves units of few pages emptier than large ones, as no drive on
sale has them. So made-up workloads have `--pages` of 4 KiB, by default 131,072: 1,024 units then have 128 or more,
twice the fewest that advice takes for a unit.
"""

import argparse

import rewear
from rewear.advice.asked import Asked
from rewear.advice.plan import make_plan
from rewear.advice.row import Row
from rewear.advice.sizing import UNITS
from rewear.advice.sold import Class, classes, row_of
from rewear.advice.traits import traits_of
from rewear.core.bundled import recordings

CLASSES = ("client QLC", "client TLC, 28% spare", "enterprise TLC")
TIMES = (2, 4, 8)
WITHIN = 0.1
RECORDINGS = ("day", "home", "mail", "web")
WORKLOADS = {
    "Zipf(0.9) in 16 KiB": "zipf:theta=0.9,size=16KiB",
    "Zipf(0.9)": "zipf:theta=0.9",
    "Zipf(1.2)": "zipf:theta=1.2",
    "hot tenth": "hot-cold:hot=0.1,hits=0.9",
    "uniform": "uniform:",
    "JESD219": "jesd219:",
}


def main() -> None:
    """Prints a row for each recording or workload and class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join((*RECORDINGS, *WORKLOADS))}")
    parser.add_argument("--pages", type=int, default=131_072)
    given = parser.parse_args()
    print("| workload | drive of 1 TB | carried on | error | twice | four times | eight times |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for name in given.names or (*RECORDINGS, *WORKLOADS):
        for each in classes(10**12):
            if each.rival.label in CLASSES:
                print(row_about(name, each, given.pages), flush=True)


def row_about(name: str, each: Class, pages: int) -> str:
    """The row of a workload on a class of drives."""
    source = source_of(name, pages)
    answer = replayed(source, each, UNITS, replayed(source, each, UNITS // 2).report)
    cells = []
    for times in TIMES:
        life = replayed(source, each, times * UNITS).replayed_tbw / answer.replayed_tbw
        off = abs(life / answer.carried - 1)
        cells.append(f"{life - 1:+.1%}{' !!' if off > WITHIN else ' !' if off > answer.error else ''}")
    about = (name, each.rival.label, f"{answer.carried - 1:+.1%}", f"{answer.error:.1%}")
    return f"| {' | '.join((*about, *cells))} |"


def source_of(name: str, pages: int) -> rewear.Trace | rewear.Workload:
    """A recording, or a made-up workload on PAGES pages. A pass has a third more requests than pages."""
    if name in RECORDINGS:
        return rewear.Trace(recordings()[name])
    spec = WORKLOADS[name]
    return rewear.Workload(
        f"{spec}{',' * (not spec.endswith(':'))}requests={pages * 4 // 3},pages={pages},page_bytes=4096"
    )


def replayed(source: rewear.Trace | rewear.Workload, each: Class, units: int, half: rewear.Report | None = None) -> Row:
    """A class of drives with so many erase units, under a recording or workload."""
    traits = traits_of(source)
    asked = Asked(source, traits, traits.bytes_per_second)
    plan = make_plan(traits, 10**12, each.page_bytes)
    sized = each.sized(plan, units=units)
    report = asked.until_steady([(each.rival.label, sized)], plan, **each.how)[each.rival.label]
    return row_of(each, sized, report, plan, asked.bytes_per_second, half)


if __name__ == "__main__":
    main()
