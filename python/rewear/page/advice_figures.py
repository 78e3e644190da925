"""The figures of an advice."""

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from rewear.advice.advice import Advice, life_of, response_of
from rewear.page.labels import label_points
from rewear.page.plot import Plot
from rewear.page.svg import GRID, INK, MUTED, drive_colour, figure, to_svg
from rewear.units import byte_unit, format_bytes, format_number, format_time

__all__ = ["advice_plots"]


def advice_plots(advice: Advice) -> list[Plot]:
    """Every figure for which there is anything to show."""
    return [_erased(advice)] if advice.is_too_short else [_life_and_response(advice), _erased(advice)]


def _life_and_response(advice: Advice) -> Plot:
    rows, front = advice.contenders, advice.front
    rated = all(row.mean("tbw_bytes") is not None for row in rows)
    lives = [(row.mean("tbw_bytes") or 0.0) if rated else life_of(row) for row in rows]
    scale, unit = byte_unit(max(lives))
    with figure(3.6, "life and response") as (drawing, axes):
        axes.set_xscale("log")
        points = [(response_of(row), life / scale) for row, life in zip(rows, lives, strict=True)]
        for position, (row, (response, life)) in enumerate(zip(rows, points, strict=True)):
            colour = drive_colour(0 if row is advice.reference else 1 if row in front else 3)
            above = 3 if row is advice.reference or row is advice.best else 2
            axes.plot(
                response,
                life,
                "D" if row is advice.best else "o",
                color=colour,
                markersize=8,
                zorder=above,
                gid=f"tip-{position}",
            )
        steps = sorted(point for row, point in zip(rows, points, strict=True) if row in front)
        axes.plot(*zip(*steps, strict=True), color=GRID, linewidth=1.2, zorder=0)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.margins(x=0.12)
        axes.set_ylim(0, max(life for _, life in points) * 1.15)
        axes.set_xlabel("mean response time (logarithmic)")
        axes.set_ylabel(f"TBW in {unit}" if rated else f"{unit} written per P/E cycle")
        label_points(
            drawing, axes, points, [str(advice.rows.index(row) + 1) for row in rows],
            [INK if row in front else MUTED for row in rows], GRID,
        )  # fmt: skip
        tips = {
            f"tip-{position}": f"{advice.rows.index(row) + 1}. {row.label}: {format_bytes(life)} "
            f"{'TBW' if rated else 'per P/E cycle'}, mean response {format_time(response_of(row))}"
            for position, (row, life) in enumerate(zip(rows, lives, strict=True))
        }
        svg = to_svg(drawing, "Life against mean response time, a point a drive", tips)
    caption = (
        "Up and left is better. Numbers are places in the table, several on one spot share a label; the line joins the "
        "drives that no other beats. "
        "Blue: of these; grey: the plain drive; a diamond: the one to take."
    )
    return Plot("Life against response", caption, svg)


def _erased(advice: Advice) -> Plot:
    rows = advice.rows
    with figure(0.75 + 0.3 * len(rows), "flash erased") as (drawing, axes):
        values = [row.mean("flash_erased_per_byte") or 0.0 for row in rows]
        for position, (row, value) in enumerate(zip(rows, values, strict=True)):
            colour = drive_colour(0 if row.rival.technique == "plain" else 1 if row in advice.front else 3)
            axes.barh(position, value, height=0.58, color=colour, linewidth=0, gid=f"bar-{position}")
            axes.annotate(format_number(value), (value, position), (5, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(rows)), [f"{place}. {row.label}" for place, row in enumerate(rows, 1)], fontsize=8)
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.set_xlim(0, max(values) * 1.15 or 1)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlabel("bytes of flash erased for each byte written")
        tips = {
            f"bar-{position}": f"{row.label}: {format_number(value)} bytes of flash erased for each byte written"
            for position, (row, value) in enumerate(zip(rows, values, strict=True))
        }
        svg = to_svg(drawing, "Bar chart of the flash erased for each byte written, by drive", tips)
    return Plot("Flash erased", "Fewer is better. Grey: plain drives; blue: drives that no other beats.", svg)
