"""The figure of an advice."""

from matplotlib.ticker import FuncFormatter, LogLocator

from rewear.advice.advice import Advice
from rewear.advice.columns import range_text, terabytes, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.page.plot import Plot
from rewear.page.svg import INK, drive_colour, figure, to_svg
from rewear.uncertainty import Interval
from rewear.units import format_number

__all__ = ["lives"]


def lives(advice: Advice) -> Plot:
    """A bar a drive on sale, from the least to the most years it lives, or bytes where years are unknown."""
    best = advice.best
    in_years = best is not None
    rows = [row for row in advice.sold if (row.years if in_years else row.tbw) is not None]

    def bounds(interval: Interval | None) -> tuple[float, float]:
        low, high = (interval.low, interval.high) if interval is not None else (0.0, 0.0)
        return (min(low, MOST_YEARS), min(high, MOST_YEARS)) if in_years else (low / 1e12, high / 1e12)

    with figure(0.85 + 0.36 * len(rows), "lives") as (drawing, axes):
        axes.set_xscale("log")
        tips = {}
        for position, row in enumerate(rows):
            low, high = bounds(row.years if in_years else row.tbw)
            colour = drive_colour(1 if row is best else 0)
            # A range of hardly any width must be seen.
            axes.barh(position, max(high, low * 1.02) - low, left=low, height=0.5, color=colour, gid=f"bar-{position}")
            text = years_range(row.years) if in_years else range_text(row.tbw, terabytes)
            tips[f"bar-{position}"] = f"{row.label}: {text}"
            rated = row.rated_bytes
            if rated is not None and (row.bytes_per_second or not in_years):
                at = rated / 1e12 if not in_years else rated / (row.bytes_per_second or 1.0) / (365.25 * 86400)
                axes.plot([min(at, MOST_YEARS) if in_years else at], [position], "|", color=INK, markersize=14)
        axes.set_yticks(range(len(rows)), [row.label for row in rows])
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value, 2)))
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
        axes.set_xlabel(f"years, up to {MOST_YEARS:g} (logarithmic)" if in_years else "TB written (logarithmic)")
        svg = to_svg(drawing, "How long each drive on sale lives, from the least to the most", tips)
    caption = (
        "A bar reaches from the fewest to the most cycles that are published; the stroke is what named drives are "
        "rated for. Blue: the drive to buy."
    )
    return Plot("Lives of drives on sale", caption, svg)
