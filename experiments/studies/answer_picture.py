"""Draws docs/pictures/answer.svg: the lives of the README's first table, from the least to the most years.

    python experiments/studies/answer_picture.py

The table is what `make demo` prints; readme_table.py writes it.
The picture is plain SVG, so that it needs no library and no font of its own.
"""

import math
import re
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "answer.svg"
TABLE = re.compile(r"^\| drive of 1 TB .*\n\|.*\n((?:\|.*\n)+)", re.MULTILINE)
NUMBER = re.compile(r"(more than )?([\d.]+)( days)?")
WIDTH_PX, BAR_PX, ROW_PX, TOP_PX = 400, 190, 42, 50
TITLE = ("Years that a drive of 1 TB lives, if the host goes", "on as recorded (logarithmic)")
LEAST, MOST = 0.1, 50.0
"""Years at the ends of the scale."""
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.bar{fill:#2f6f9f}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#6cb6ff}}"
)


def lives(text: str) -> list[tuple[str, str]]:
    """Drives and their lives, as the README's first table has them."""
    found = TABLE.search(text)
    rows = found[1].splitlines() if found else []
    return [(cells[1].strip(), cells[2].strip()) for cells in (row.split("|") for row in rows)]


def years(life: str) -> tuple[float, float]:
    """The ends of a life, cut off at those of the scale."""
    ends = [float(number) / (365.25 if days else 1) for _, number, days in NUMBER.findall(life)]
    return min(max(ends[0], LEAST), MOST), min(max(ends[-1], LEAST), MOST)


def picture(rows: list[tuple[str, str]]) -> str:
    """The drawing, as wide as a phone: labels stand above their bars, which are to a logarithmic scale."""

    def place(value: float) -> float:
        return BAR_PX * math.log(value / LEAST) / math.log(MOST / LEAST)

    height = TOP_PX + ROW_PX * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{height}" '
        f'viewBox="0 0 {WIDTH_PX} {height}" role="img" aria-label="{" ".join(TITLE)}">',
        f"<style>{STYLE}</style>",
        *(f'<text x="0" y="{18 + 19 * number}">{line}</text>' for number, line in enumerate(TITLE)),
    ]
    for number, (label, life) in enumerate(rows):
        low, high = (place(end) for end in years(life))
        y, length = TOP_PX + ROW_PX * number, max(high - low, 3)
        lines += [
            f'<text x="0" y="{y + 14}">{escape(label)}</text>',
            f'<rect class="bar" x="{min(low, BAR_PX - 3):.1f}" y="{y + 19}" width="{length:.1f}" height="14"/>',
            f'<text x="{BAR_PX + 10}" y="{y + 31}">{escape(life)}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    """Reads the README, writes the picture."""
    PICTURE.write_text(picture(lives((ROOT / "README.md").read_text(encoding="utf-8"))), encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
