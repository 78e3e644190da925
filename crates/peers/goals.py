"""Prints each benchmark figure that has a goal beside it: `goals.py target/bench.json`.

The goals are those of `goals.toml`. A goal that no figure has is named, so that a renamed benchmark does not lose it.
"""

import argparse
import fnmatch
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

GOALS = Path(__file__).with_name("goals.toml")


def with_goals(
    figures: Sequence[Mapping[str, Any]], goals: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, float, float]]:
    """Name, what is compared, figure and goal of every figure with a goal, in the order of the figures."""
    for figure in figures:
        for goal in goals:
            if not fnmatch.fnmatchcase(figure["name"], goal["name"]):
                continue
            if not figure["compared_with"].startswith(goal.get("compared_with", "")):
                continue
            key = "ratio" if "ratio" in goal else "value"
            what = f"of {figure['compared_with']}" if key == "ratio" else figure["unit"]
            yield figure["name"], what, float(figure[key]), float(goal[key])


def main() -> None:
    """Reads the figures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, help="target/bench.json")
    figures = json.loads(parser.parse_args().figures.read_text())
    goals = tomllib.loads(GOALS.read_text())["goal"]
    rows = list(with_goals(figures, goals))
    width = max((len(name) for name, *_ in rows), default=0)
    for name, what, figure, goal in rows:
        verdict = "met" if figure >= goal else "missed"
        print(f"{name:{width}}  {figure:8.3g}  goal {goal:5.3g}  {verdict:6}  {what}")
    for goal in goals:
        if not any(fnmatch.fnmatchcase(name, goal["name"]) for name, *_ in rows):
            print(f"no figure for the goal of {goal['name']}")


if __name__ == "__main__":
    main()
