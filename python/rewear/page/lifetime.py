"""The page of `rewear lifetime`: life by workload, a table of drives, what kills first."""

from collections.abc import Callable, Iterable, Sequence

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from rewear.lifetime import PROGRAM_WEARS, Life
from rewear.page.plot import Plot
from rewear.page.svg import drive_colour, figure, to_svg
from rewear.page.templates import render_template
from rewear.units import format_bytes, format_number, format_share

__all__ = ["lifetime_page"]


def lifetime_page(lives: Sequence[Life], command: str | None = None) -> str:
    """The page as HTML text; the same lives give the same bytes. `command` is shown as what made it."""
    labels, workloads = _distinct(life.label for life in lives), _distinct(life.workload for life in lives)
    groups = [(workload, [life.as_text() for life in lives if life.workload == workload]) for workload in workloads]
    return render_template(
        "lifetime.html.j2",
        data=[life.to_dict() for life in lives],
        headline=_headline(lives, labels, workloads),
        groups=groups,
        plots=[
            _by_workload(lives, labels, workloads),
            *_by_wear(lives, "without an erase", "reprogram_wear", lambda life: life.report.reprograms),
            *_by_wear(lives, "with a coarse step", "coarse_wear", lambda life: life.coarse_programs),
        ],
        deaths=[_death(life) for life in lives],
        sources=_distinct(f"{life.figures['cycles']:,} cycles: {life.figures['source']}" for life in lives),
        command=command,
    )


def _headline(lives: Sequence[Life], labels: list[str], workloads: list[str]) -> str:
    if len(lives) == 1:
        return f"{lives[0].label} dies after {format_bytes(lives[0].tbw_bytes)}"
    if len(labels) == 1:
        low, high = min(lives, key=lambda life: life.tbw_bytes), max(lives, key=lambda life: life.tbw_bytes)
        return f"{labels[0]} dies after {format_bytes(low.tbw_bytes)} to {format_bytes(high.tbw_bytes)}"
    first = [life for life in lives if life.workload == workloads[0]]
    best = max(first, key=lambda life: life.tbw_bytes)
    flash = best.report.figure("flash_per_exported_byte") or 0.0
    return (
        f"{best.label} takes {format_bytes(best.tbw_bytes)} of {workloads[0]}, "
        f"on {format_number(flash)} bytes of flash for a byte exported"
    )


def _death(life: Life) -> str:
    """What kills a drive first."""
    figures = life.figures
    how = "died" if figures["simulated"] else "would die"
    said = f"{life.label} under {life.workload} {how} of "
    if figures["ends"] == "uncorrectable-pages":
        said += (
            f"pages that are not corrected any more: that begins at {figures['uncorrectable_cycles']:,.0f} cycles, "
            "before the rated ones"
        )
    elif figures["ends"] == "worn-cache":
        said += "its SLC cache, whose blocks used up their cycles before the others"
    else:
        said += f"blocks that used up their {figures['cycles']:,} cycles"
        if figures["uncorrectable_cycles"] is not None:
            said += f"; pages would be corrected up to {figures['uncorrectable_cycles']:,.0f}"
    said += f". The mean block used {format_share(figures['evenness'])} of its cycles by then"
    if figures["reprogram_share"]:
        said += f", {format_share(figures['reprogram_share'])} of them by programs without an erase"
    if figures.get("coarse_share"):
        said += f", {format_share(figures['coarse_share'])} of them by coarse program steps"
    return f"{said}."


def _by_workload(lives: Sequence[Life], labels: list[str], workloads: list[str]) -> Plot:
    with figure(2.9, "life by workload") as (drawing, axes):
        for position, label in enumerate(labels):
            found = {life.workload: life.figures["drive_writes"] for life in lives if life.label == label}
            points = [(place, found[name]) for place, name in enumerate(workloads) if name in found]
            axes.plot(*zip(*points, strict=True), "o-", color=drive_colour(position), linewidth=1.5, label=label)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(True, axis="both")
        axes.set_xticks(range(len(workloads)), [name if len(name) < 24 else f"{name[:22]}.." for name in workloads])
        axes.set_xlim(-0.4, len(workloads) - 0.6)
        axes.set_ylabel("drive writes until death")
        drawing.legend(loc="outside upper left", ncols=4, fontsize=8.5, handlelength=1.2)
        svg = to_svg(drawing, "Drive writes until death by workload, a line a drive (logarithmic)")
    return Plot("Life by workload", "Exported capacities that can be written. Higher is better; logarithmic.", svg)


def _by_wear(lives: Sequence[Life], kind: str, key: str, count: Callable[[Life], int]) -> list[Plot]:
    """Lives over what programs of a kind cost, or nothing where no drive makes any."""
    shown = [life for life in lives if count(life)]
    if not shown:
        return []
    with figure(2.9, f"wear of programs {kind}") as (drawing, axes):
        for position, life in enumerate(shown):
            exported = life.report.derived["exported_bytes"]
            points = [life.tbw_bytes_at(**{key: wear}) / exported for wear in PROGRAM_WEARS]
            label = f"{life.label}, {life.workload}"
            axes.plot(PROGRAM_WEARS, points, "o-", color=drive_colour(position), linewidth=1.5, label=label)
        axes.grid(True, axis="both")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(f"part of a P/E cycle that a program {kind} costs")
        axes.set_ylabel("drive writes until death")
        drawing.legend(loc="outside upper left", ncols=2, fontsize=8.5, handlelength=1.2)
        svg = to_svg(drawing, f"Drive writes until death over the wear of a program {kind}")
    caption = "0: it wears as any program does. 1: it wears its page by a P/E cycle more."
    return [Plot(f"What programs {kind} would cost", caption, svg)]


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
