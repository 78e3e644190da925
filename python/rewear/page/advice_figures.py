"""The figures of an advice."""

from matplotlib.ticker import FuncFormatter, MaxNLocator

from rewear.advise.advice import Advice, life_of
from rewear.page.plot import Plot
from rewear.page.svg import GRID, INK, MUTED, drive_colour, figure, to_svg
from rewear.units import byte_unit, format_bytes, format_time

__all__ = ["advice_plots"]


def advice_plots(advice: Advice) -> list[Plot]:
    """Every figure for which there is anything to show."""
    return [_life_and_response(advice)]


def _life_and_response(advice: Advice) -> Plot:
    rows, front = advice.contenders, advice.front
    scale, unit = byte_unit(max(life_of(row) for row in rows))
    with figure(1.1 + 0.34 * len(rows), "life and response") as (drawing, axes):
        axes.set_xscale("log")
        for position, row in enumerate(rows):
            response, life = row.mean("mean_response_ns") or 0.0, life_of(row) / scale
            colour = drive_colour(0 if row is advice.reference else 1 if row in front else 3)
            axes.plot(
                response, life, "D" if row is advice.best else "o", color=colour, markersize=8, gid=f"tip-{position}"
            )
            axes.annotate(
                row.label, (response, life), (8, 4), textcoords="offset points", fontsize=8.5,
                color=INK if row in front else MUTED,
            )  # fmt: skip
        steps = sorted((row.mean("mean_response_ns") or 0.0, life_of(row) / scale) for row in front)
        axes.plot(*zip(*steps, strict=True), color=GRID, linewidth=1.2, zorder=0)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.margins(x=0.35, y=0.15)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("mean response time (logarithmic)")
        axes.set_ylabel(f"{unit} written per P/E cycle")
        tips = {
            f"tip-{position}": f"{row.label}: {format_bytes(life_of(row))} per P/E cycle, mean response "
            f"{format_time(row.mean('mean_response_ns') or 0.0)}"
            for position, row in enumerate(rows)
        }
        svg = to_svg(drawing, "Life against mean response time, a point a drive", tips)
    return Plot("Life against response", "Up and left is better. The line joins the drives that nobody beats.", svg)
