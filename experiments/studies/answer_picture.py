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
WIDTH_PX, BAR_PX, ROW_PX, TOP_PX, AXIS_PX = 400, 200, 42, 50, 26
TITLE = ("Years until a drive of 1 TB is worn out at the", "recorded rate (logarithmic scale)")
TICKS = (1, 2, 5, 10, 20, 50)
"""Years on the axis, and the ends of the scale."""
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.tick{font-size:12px}.bar{fill:#2f6f9f}"
    "path{stroke:#9aa4af;opacity:.35}"
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
    low, high = (min(max(end, TICKS[0]), TICKS[-1]) for end in (ends[0], ends[-1]))
    return low, high


def picture(rows: list[tuple[str, str]]) -> str:
    """The drawing, as wide as a phone: labels stand above their bars, which are to a logarithmic scale."""

    def place(value: float) -> float:
        return 4 + BAR_PX * math.log(value / TICKS[0]) / math.log(TICKS[-1] / TICKS[0])

    bottom = TOP_PX + ROW_PX * len(rows)
    height = bottom + AXIS_PX
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{height}" '
        f'viewBox="0 0 {WIDTH_PX} {height}" role="img" aria-label="{" ".join(TITLE)}">',
        f"<style>{STYLE}</style>",
        *(f'<text x="0" y="{18 + 19 * number}">{line}</text>' for number, line in enumerate(TITLE)),
        *(f'<path d="M{place(tick):.1f} {TOP_PX + 6}V{bottom + 4}"/>' for tick in TICKS),
        *(f'<text class="tick" x="{place(tick) - 4:.1f}" y="{bottom + 18}">{tick}</text>' for tick in TICKS),
        f'<text class="tick" x="{BAR_PX + 28}" y="{bottom + 18}">years</text>',
    ]
    for number, (label, life) in enumerate(rows):
        low, high = (place(end) for end in years(life))
        y, length = TOP_PX + ROW_PX * number, max(high - low, 3)
        lines += [
            f'<text x="0" y="{y + 14}">{escape(label)}</text>',
            f'<rect class="bar" x="{min(low, BAR_PX + 1):.1f}" y="{y + 19}" width="{length:.1f}" height="14"/>',
            f'<text x="{BAR_PX + 14}" y="{y + 31}">{escape(life)}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    """Reads the README, writes the picture."""
    PICTURE.write_text(picture(lives((ROOT / "README.md").read_text(encoding="utf-8"))), encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
