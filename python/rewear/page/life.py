"""The page of `rewear life`."""

from collections.abc import Sequence

from matplotlib.ticker import FuncFormatter

from rewear.advice.columns import life_text, terabytes, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.disk.life import DiskLife
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure, to_svg
from rewear.page.templates import render_template
from rewear.uncertainty import Interval

__all__ = ["life_page"]


def life_page(disks: Sequence[DiskLife], command: str | None = None) -> str:
    """The page as HTML text; the same logs give the same bytes. `command` is shown as what made it."""
    return render_template(
        "life.html.j2",
        data=[disk.to_dict() for disk in disks],
        headline=disks[0].headline if len(disks) == 1 else f"The lives of {len(disks)} disks",
        disks=disks,
        plots=[_lives(disk) for disk in disks],
        terabytes=terabytes,
        years_range=years_range,
        life_text=life_text,
        command=command,
    )


def _lives(disk: DiskLife) -> Plot | None:
    """A bar for this disk, from the least to the most years, and one for each other drive; `None` without a rate."""
    bars = [("this disk, left", disk.years.low, disk.years.high)] if disk.years is not None else []
    bars += [(other.name, 0.0, other.years) for other in disk.others if other.years is not None]
    if not bars:
        return None
    with figure(0.85 + 0.36 * len(bars), "lives") as (drawing, axes):
        tips = {}
        for position, (label, low, high) in enumerate(bars):
            ends = min(low, MOST_YEARS), min(high, MOST_YEARS)
            mine = label == bars[0][0] and disk.years is not None
            # A range of hardly any width must be seen.
            width = max(ends[1] - ends[0], MOST_YEARS / 200)
            axes.barh(position, width, left=ends[0], height=0.5, color=drive_colour(int(mine)), gid=f"bar-{position}")
            tips[f"bar-{position}"] = f"{label}: {years_range(Interval(high, low or high, high))}"
        axes.set_yticks(range(len(bars)), [label for label, *_ in bars])
        axes.set_ylim(len(bars) - 0.45, -0.55)
        axes.set_xlim(0, MOST_YEARS * 1.02)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlabel(f"years, up to {MOST_YEARS:g}")
        svg = to_svg(drawing, "Years left to this disk, and years that other drives last at this rate", tips)
    caption = "Blue: from the least to the most years left. Grey: new drives, until their rating is written."
    return Plot("Years by this use", caption, svg)
