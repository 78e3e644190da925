"""The five techniques and their rivals on the four recordings, on drives of the same flash and capacity.

    python experiments/studies/five_techniques.py [--chip mlc] [--seeds 3] [--write]

Prints the table of docs/notebook/five-techniques.md, or writes it there. It asks
`rewear.advise` about each recording, so every technique stands there with the best of its
settings; combinations are left to combinations.py.
"""

import argparse
import re
from pathlib import Path

import rewear
from rewear.advice import Advice
from rewear.advice.columns import cell
from rewear.units import format_number

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebook" / "five-techniques.md"
RECORDINGS = ("day", "home", "mail", "web")
TABLE = re.compile(r"^\| recording \| drive .*\n(?:\|.*\n)+", re.MULTILINE)
COLUMNS = {
    "flash_erased_per_byte": "flash erased per byte",
    "tbw_bytes": "TBW",
    "life_years": "life as recorded",
    "mean_response_ns": "mean response",
    "write_p99_ns": "p99 of writes",
    "energy_j_per_byte": "energy per GiB",
    "controller_bytes": "controller RAM",
}


def table(name: str, advice: Advice) -> list[str]:
    """The rows of a recording: the plain drive first, then single techniques by life."""
    plain = advice.reference
    rows = [plain, *(row for row in advice.rows if row is not plain and row.rival.axis in SINGLE)]
    lines = []
    for row in rows:
        life = row.mean("tbw_bytes"), plain.mean("tbw_bytes")
        times = format_number(life[0] / life[1]) if life[0] and life[1] else "-"
        lines.append(f"| {name} | {row.label} | {times} | " + " | ".join(cell(row, key) for key in COLUMNS) + " |")
    for left_out in advice.excluded:
        lines.append(f"| {name} | {left_out.technique} | cannot apply: {left_out.reason} |" + " |" * len(COLUMNS))
    return lines


SINGLE = ("plain", "streams", "recycle", "reuse", "effort")
"""Axes of one technique; a combination has several."""


def main() -> None:
    """Asks about each recording and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", default="mlc", help="one of `rewear.advice.chips()`")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each drive")
    parser.add_argument("--write", action="store_true", help="put the table in the place of the notebook's")
    given = parser.parse_args()
    lines = ["| recording | drive | life over plain | " + " | ".join(COLUMNS.values()) + " |"]
    lines.append("|---|---|--:|" + "--:|" * len(COLUMNS))
    for name in RECORDINGS:
        lines += table(name, rewear.advise(Path("recordings") / f"{name}.rwt", given.chip, seeds=given.seeds))
    made = "\n".join(lines) + "\n"
    print(made, end="")
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: made, page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
