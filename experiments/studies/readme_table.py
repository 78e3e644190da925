"""Writes the README's first table: what `make demo` answers about the recorded home directory on an MLC chip.

    .venv/bin/python experiments/studies/readme_table.py

Drives with less flash are left out of the table, and so are columns that are the same for all. Afterwards
answer_picture.py draws the lives.
"""

import re
from pathlib import Path

import rewear
from rewear.advice import Advice
from rewear.advice.columns import cell
from rewear.units import format_bytes

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
TABLE = re.compile(r"^\| drive, all with .*\n(?:\|.*\n)+", re.MULTILINE)
COLUMNS = {
    "life_years": "life as recorded",
    "tbw_bytes": "TBW",
    "mean_response_ns": "mean response",
    "energy_j_per_byte": "energy per GiB",
    "flash_erased_per_byte": "flash erased per byte",
    "controller_bytes": "controller RAM",
}


def table(advice: Advice) -> str:
    """The rows of all drives with the whole flash, the longest life first."""
    plan = advice.plan
    corner = f"drive, all with {format_bytes(plan.flash_bytes)} of flash and 1 GiB exported"
    lines = [f"| {corner} | {' | '.join(COLUMNS.values())} |", f"|---|{'--:|' * len(COLUMNS)}"]
    for row in advice.rows:
        if row.rival.flash_share == 1.0:
            lines.append(f"| {row.label} | {' | '.join(cell(row, key) for key in COLUMNS)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Asks, and puts the table in the place of the README's."""
    advice = rewear.advise(ROOT / "recordings" / "home.rwt", "mlc")
    text = README.read_text(encoding="utf-8")
    made = table(advice)
    README.write_text(TABLE.sub(lambda _: made, text, count=1), encoding="utf-8")
    print(*advice.sentences, made, sep="\n")


if __name__ == "__main__":
    main()
