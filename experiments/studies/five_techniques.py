"""The five techniques on the four recordings, on drives of the same flash and capacity.

    python experiments/studies/five_techniques.py [--chip mlc] [--write]

Prints the table of docs/notebook/five-techniques.md, or writes it there. It asks
`rewear.advise` about each recording, so every technique stands there with the best of its
settings; combinations are left to combinations.py.
"""

import argparse
import re
from pathlib import Path

import rewear
from rewear.advice import Advice
from rewear.advice.columns import cells, techniques

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebook" / "five-techniques.md"
RECORDINGS = ("day", "home", "mail", "web")
TABLE = re.compile(r"^\| recording \| .*\n(?:\|.*\n)+", re.MULTILINE)
SINGLE = ("plain", "streams", "recycle", "reuse", "effort")
"""Axes of one technique; a combination has several."""


def lines_of(name: str, advice: Advice) -> list[str]:
    """The rows of a recording: with the flash of a client drive, and with twice as much."""
    lines = []
    for table in advice.tables:
        shown, ratio = techniques(table), f"{table.flash_ratio}"
        rows = [row for row in table.rows if row.rival.axis in SINGLE]
        lines += [f"| {name} | {ratio} | " + " | ".join(cells(shown, row)) + " |" for row in rows]
        rest = " |" * (len(shown) - 1)
        lines += [
            f"| {name} | {ratio} | {left_out.technique} | cannot apply: {left_out.reason} |{rest}"
            for left_out in table.excluded
        ]
    return lines


def main() -> None:
    """Asks about each recording and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", default="mlc", help="one of `rewear.advice.chips()`")
    parser.add_argument("--write", action="store_true", help="put the table in the place of the notebook's")
    given = parser.parse_args()
    lines: list[str] = []
    for name in RECORDINGS:
        advice = rewear.advise(Path("recordings") / f"{name}.rwt", chip=given.chip)
        if not lines and advice.equal is not None:
            titles = [title for title, _ in techniques(advice.equal)]
            lines = [f"| recording | flash | drive | {' | '.join(titles)} |", "|---|--:|---|" + "--:|" * len(titles)]
        lines += lines_of(name, advice)
    made = "\n".join(lines) + "\n"
    print(made, end="")
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: made, page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
