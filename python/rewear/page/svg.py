"""Figures as inline SVG whose colours are CSS variables, so that one page is legible on light and dark backgrounds."""

import html
import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rewear.page.tips import mark_values

__all__ = [
    "GRID",
    "INK",
    "MUTED",
    "SURFACE",
    "Palette",
    "cause_colour",
    "drive_colour",
    "figure",
    "light_palette",
    "page_palette",
    "series_gid",
    "standalone_svg",
    "style",
    "to_svg",
    "variable_of",
]

Palette = Callable[[str], str]
"""From a stand-in to the colour to draw with."""

# Stand-ins that matplotlib draws with; `to_svg` puts the variable of the page's stylesheet in their place.
INK, MUTED, GRID, SURFACE = "#010101", "#010102", "#010103", "#010104"
_DRIVES = 8
_CAUSES = ("host", "moved", "rewritten", "metadata", "read_modify_write", "before_write", "verification")
_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    SURFACE: "--surface",
    **{f"#0102{number:02x}": f"--drive-{number}" for number in range(_DRIVES)},
    **{f"#0103{number:02x}": f"--cause-{name.replace('_', '-')}" for number, name in enumerate(_CAUSES)},
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.facecolor": "none",
    "axes.labelcolor": MUTED,
    "axes.labelsize": 9,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": GRID,
    "xtick.labelcolor": MUTED,
    "xtick.labelsize": 8.5,
    "ytick.color": GRID,
    "ytick.labelcolor": INK,
    "ytick.major.size": 0,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.labelcolor": INK,
}
_WIDTH_INCHES = 5.7


def drive_colour(position: int) -> str:
    """Colour of the drive at `position` in the comparison; the reference is grey."""
    if position < _DRIVES:
        return f"#0102{position:02x}"
    return f"#0102{1 + (position - 1) % (_DRIVES - 1):02x}"


def cause_colour(cause: str) -> str:
    """Colour of a cause of page programs and reads."""
    return f"#0103{_CAUSES.index(cause):02x}"


def variable_of(stand_in: str) -> str:
    """The variable of the stylesheet for which a stand-in stands."""
    return _VARIABLES[stand_in]


def page_palette(stand_in: str) -> str:
    """Draws with the stand-ins themselves, for `to_svg`."""
    return stand_in


def light_palette() -> Palette:
    """The colours of the stylesheet's light scheme, for pictures outside a page."""
    light, _ = _schemes()
    colours = dict(re.findall(r"(--[\w-]+):\s*(#[0-9a-f]{6})", light))
    return lambda stand_in: str(colours[_VARIABLES[stand_in]])


def standalone_svg(element: str) -> str:
    """An `<svg>` element of a page as a file of its own, with the colours of both schemes and a background."""
    light, dark = _schemes()
    rules = f":root {{ {light} --font: system-ui, sans-serif; }} text {{ font-family: var(--font) !important; }}"
    sheet = f"{rules} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    head, rest = element.split(">", 1)
    head = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"', 1)
    ground = '<rect x="-8" y="-8" width="110%" height="110%" fill="var(--surface)"/>'
    rest = rest.replace("href=", "xlink:href=")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}><style>{sheet}</style>{ground}{rest}\n'


def _schemes() -> tuple[str, str]:
    """The variables of the light and of the dark scheme, as declarations."""
    from importlib.resources import files

    sheet = files("rewear.page").joinpath("style.css").read_text(encoding="utf-8")
    light, dark = (sheet.split(":root {")[position].split("}")[0] for position in (1, 2))
    return tuple(" ".join(re.findall(r"--[\w-]+:\s*#[0-9a-f]{6};", part)) for part in (light, dark))  # type: ignore[return-value]


def style(palette: Palette) -> Any:
    """Settings of matplotlib in these colours."""
    return {key: palette(value) if value in _VARIABLES else value for key, value in _STYLE.items()}


@contextmanager
def figure(height_inches: float, name: str, width_inches: float = _WIDTH_INCHES) -> Iterator[tuple[Figure, Axes]]:
    """An empty figure in the style of the page; `name` makes the identifiers inside its SVG unique on the page."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": f"rewear {name}"}):
        drawing = Figure(figsize=(width_inches, height_inches), layout="constrained")
        yield drawing, drawing.add_subplot()


def series_gid(colour: int) -> str:
    """Name for what belongs to a series, which the legend of the page shows and hides by the number of its colour."""
    return f"series-{colour}"


def to_svg(drawing: Figure, description: str, tips: Mapping[str, str] | None = None) -> str:
    """The figure as an `<svg>` element to stand in HTML. Call it inside `figure`.

    `tips` are texts that stand beside the pointer, by the `gid` of what is pointed at; bars and lines without a `gid`
    say their values.
    """
    tips = {**mark_values(drawing), **(tips or {})}
    buffer = io.StringIO()
    drawing.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # Inside HTML the namespaces are known, and the size is the column's.
    text = re.sub(r'\s(?:xmlns(?::\w+)?|version|width|height)="[^"]*"', "", text, count=5)
    text = text.replace("xlink:href=", "href=")
    text = re.sub(r"#01010[1-4]|#0102\d\d|#0103\d\d", lambda match: f"var({_VARIABLES[match[0]]})", text)
    text = re.sub(r'<g id="series-(\d+)">', r'<g data-series="\1">', text)
    for gid, tip in tips.items():
        text = text.replace(f'<g id="{gid}">', f'<g data-tip="{html.escape(tip)}">', 1)
    return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(description)}"', 1).strip()
