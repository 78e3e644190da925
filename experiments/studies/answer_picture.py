"""Draws docs/pictures/answer.svg: the lives of the README's table, a bar a drive.

    python experiments/studies/answer_picture.py

The table is what `make demo` prints; readme_table.py writes it.
The picture is plain SVG, so that it needs no library and no font of its own.
"""

import re
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "answer.svg"
ROW = re.compile(r"^\| ([^|]+?) \| ([\d.]+) days(?: ±[\d.]+%)? \|", re.MULTILINE)
LABEL_PX, BAR_PX, ROW_PX, TOP_PX = 370, 330, 26, 40
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.bar{fill:#2f6f9f}.plain{fill:#8c959f}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#6cb6ff}}"
)


def lives(text: str) -> list[tuple[str, float]]:
    """Drives and their lives in days, as the README's table has them."""
    return [(label, float(days)) for label, days in ROW.findall(text)]


def picture(rows: list[tuple[str, float]]) -> str:
    """The drawing; bars are to scale, the plain drive's is grey."""
    longest, height = max(days for _, days in rows), TOP_PX + ROW_PX * len(rows) + 6
    width = LABEL_PX + BAR_PX + 90
    title = "Days until the flash has had its rated cycles, if the host goes on as recorded"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">',
        f"<style>{STYLE}</style>",
        f'<text x="0" y="18">{title}</text>',
    ]
    for number, (label, days) in enumerate(rows):
        y, length = TOP_PX + ROW_PX * number, BAR_PX * days / longest
        kind = "plain" if label.startswith("plain") else "bar"
        lines += [
            f'<text x="{LABEL_PX - 10}" y="{y + 14}" text-anchor="end">{escape(label)}</text>',
            f'<rect class="{kind}" x="{LABEL_PX}" y="{y}" width="{length:.1f}" height="18" rx="2"/>',
            f'<text x="{LABEL_PX + length + 8:.1f}" y="{y + 14}">{days:g} days</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    """Reads the README, writes the picture."""
    PICTURE.write_text(picture(lives((ROOT / "README.md").read_text(encoding="utf-8"))), encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
