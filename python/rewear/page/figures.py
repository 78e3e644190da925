"""The figures of a comparison."""

import textwrap
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from rewear.comparison import Comparison, Run
from rewear.page.over_time import over_time
from rewear.page.plot import Plot
from rewear.page.svg import INK, MUTED, SURFACE, cause_colour, drive_colour, figure, to_svg
from rewear.report import Latency, Report
from rewear.units import byte_unit, format_bytes, format_change, format_count, format_share

__all__ = ["all_plots"]

_CAUSES = {
    "host": "host",
    "moved": "moved by cleaning",
    "rewritten": "rewritten",
    "metadata": "metadata",
    "read_modify_write": "read-modify-write",
    "before_write": "before a write",
    "verification": "to verify a match",
}
_PERCENTILES = (("p50", "o"), ("p95", "o"), ("p99", "o"), ("p999", "o"))


def all_plots(comparison: Comparison) -> list[Plot]:
    """Every figure for which there is anything to show."""
    plots = [
        _flash_erased(comparison),
        _life(comparison),
        _pages_programmed(comparison),
        _cycles_of_blocks(comparison),
        _latency(comparison, "write", [run.report.write_latency for run in comparison.runs]),
        _latency(comparison, "read", [run.report.read_latency for run in comparison.runs]),
        _pages_read(comparison),
        _time_busy(comparison),
        *over_time(comparison),
    ]
    return [plot for plot in plots if plot is not None]


def _height(runs: Sequence[Run], row_inches: float = 0.42) -> float:
    lines = sum(_label(run).count("\n") * 0.14 for run in runs)
    return 0.75 + row_inches * len(runs) + lines


def _label(run: Run) -> str:
    return "\n".join(textwrap.wrap(run.label, 22, break_on_hyphens=False)) or run.label


def _rows(axes: Axes, runs: Sequence[Run]) -> None:
    """One row a drive, the reference on top."""
    axes.set_yticks(range(len(runs)), [_label(run) for run in runs])
    axes.set_ylim(len(runs) - 0.45, -0.55)


def _bars(axes: Axes, comparison: Comparison, values: Sequence[float | None], texts: Sequence[str]) -> None:
    """Horizontal bars from zero, each labelled with its value and its change to the reference."""
    largest = max((value for value in values if value is not None), default=0) or 1
    for row, (value, text) in enumerate(zip(values, texts, strict=True)):
        change = format_change(value, values[0]) if row else ""
        axes.barh(row, value or 0, height=0.58, color=drive_colour(row), linewidth=0, gid=f"bar-{row}")
        axes.annotate(
            f"{text} ({change})" if change else text,
            (value or 0, row),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    # Room for the labels behind the longest bar.
    axes.set_xlim(0, largest * 1.4)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=largest >= 5))
    _rows(axes, comparison.runs)


def _flash_erased(comparison: Comparison) -> Plot:
    """A pair of bars a drive: the whole run, and below it the long run."""
    with figure(_height(comparison.runs, 0.62), "flash erased") as (drawing, axes):
        largest, tips = 0.0, dict[str, str]()
        for row, run in enumerate(comparison.runs):
            for offset, alpha, of, name in ((-0.19, 0.45, _whole_run, "whole run"), (0.19, 1.0, _long_run, "long run")):
                found = comparison.interval(run, of)
                if found is None:
                    continue
                largest = max(largest, found.high)
                tip = f"flash-erased-{row}-{name.split()[0]}"
                axes.barh(
                    row + offset, found.mean, height=0.32, color=drive_colour(row), alpha=alpha, linewidth=0, gid=tip
                )
                tips[tip] = f"{run.label}, {name}: {found.mean:.4f} bytes of flash erased for each byte written"
                if comparison.repeats > 1:
                    axes.plot([found.low, found.high], [row + offset] * 2, color=INK, linewidth=1.2)
                change = _change_of(comparison, run, of) if row else ""
                text = f"{found.mean:.3f}{f' ({change})' if change else ''}, {name}"
                position = (found.high, row + offset)
                axes.annotate(text, position, (5, 0), textcoords="offset points", va="center", fontsize=8.5)
        # Room for the labels behind the longest bar.
        axes.set_xlim(0, (largest or 1) * 1.5)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlabel("bytes of flash erased for each byte written")
        _rows(axes, comparison.runs)
        svg = to_svg(drawing, "Bar chart of the flash each drive erased for a byte that the host wrote", tips)
    caption = "Less is better. Pale: the whole run, begun cycles by the part used. Full: its second half."
    return Plot("Flash erased", f"{caption}{_lines_are_intervals(comparison)}", svg)


def _whole_run(report: Report) -> float | None:
    return report.figure("flash_erased_per_byte")


def _long_run(report: Report) -> float | None:
    return None if report.long_run is None else report.long_run["flash_erased_per_byte"]


def _life(comparison: Comparison) -> Plot | None:
    lives = [_written_until_death(run.report) for run in comparison.runs]
    if not any(lives):
        return None
    scale, unit = byte_unit(max(life for life in lives if life is not None))
    texts = ["not known" if life is None else format_bytes(life) for life in lives]
    with figure(_height(comparison.runs), "life") as (drawing, axes):
        _bars(axes, comparison, [None if life is None else life / scale for life in lives], texts)
        axes.set_xlabel(f"{unit} that the host can write until the drive dies")
        tips = {
            f"bar-{row}": f"{run.label}: {text}"
            for row, (run, text) in enumerate(zip(comparison.runs, texts, strict=True))
        }
        svg = to_svg(drawing, "Bar chart of the data that the host can write until the drive dies, by drive", tips)
    return Plot("Life under this workload", "More is better. Extrapolated, unless the drive died in the run.", svg)


def _written_until_death(report: Report) -> float | None:
    return None if report.life is None else report.life["tbw_bytes"]


def _change_of(comparison: Comparison, run: Run, of: Callable[[Report], float | None]) -> str:
    found = comparison.ratio(run, comparison.reference, of)
    if found is None:
        return ""
    if comparison.repeats > 1 and found.holds(1.0):
        return "no difference"
    return format_change(found.mean, 1.0)


def _lines_are_intervals(comparison: Comparison) -> str:
    return " Lines: 95% intervals over the seeds." if comparison.repeats > 1 else ""


def _pages_programmed(comparison: Comparison) -> Plot:
    texts = []
    for run in comparison.runs:
        amplification = run.report.write_amplification
        texts.append("" if amplification is None else f"WA {amplification:.2f}")
    svg = _stack(comparison, "pages_programmed", texts, "physical pages programmed")
    caption = "WA is write amplification: bytes programmed into cells for each byte the host wrote."
    return Plot("Pages programmed, by cause", caption, svg)


def _pages_read(comparison: Comparison) -> Plot | None:
    totals = [run.report["pages_read"]["total"] for run in comparison.runs]
    if not any(totals):
        return None
    svg = _stack(comparison, "pages_read", [_short_count(total) for total in totals], "physical pages read")
    return Plot("Pages read, by cause", "What the host asked for, and what cleaning and writing had to read.", svg)


def _stack(comparison: Comparison, counter: str, texts: Sequence[str], unit: str) -> str:
    """Stacked bars of a counter by cause, with a text behind each."""
    counts = [run.report[counter] for run in comparison.runs]
    shown = [cause for cause in _CAUSES if any(count.get(cause) for count in counts)]
    with figure(_height(comparison.runs) + 0.3, counter) as (drawing, axes):
        lefts = [0] * len(counts)
        tips: dict[str, str] = {}
        for cause in shown:
            widths = [count[cause] for count in counts]
            bars = axes.barh(
                range(len(widths)), widths, left=lefts, height=0.58, label=_CAUSES[cause],
                color=cause_colour(cause), edgecolor=SURFACE, linewidth=0.8,
            )  # fmt: skip
            for row, (bar, width) in enumerate(zip(bars, widths, strict=True)):
                bar.set_gid(f"stack-{cause}-{row}")
                tips[f"stack-{cause}-{row}"] = f"{comparison.runs[row].label}, {_CAUSES[cause]}: {format_count(width)}"
            lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
        for row, text in enumerate(texts):
            axes.annotate(text, (lefts[row], row), (5, 0), textcoords="offset points", va="center", fontsize=9)
        axes.set_xlim(0, (max(lefts) or 1) * 1.2)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short_count(value)))
        axes.set_xlabel(unit)
        _rows(axes, comparison.runs)
        if shown:
            drawing.legend(loc="outside upper left", ncols=len(shown), fontsize=8.5, handlelength=1, handleheight=1)
        return to_svg(drawing, f"Stacked bars of the {unit}, by drive and cause", tips)


def _cycles_of_blocks(comparison: Comparison) -> Plot:
    with figure(_height(comparison.runs), "cycles of blocks") as (drawing, axes):
        for row, run in enumerate(comparison.runs):
            spread, colour = run.report.erases_per_block, drive_colour(row)
            axes.plot([spread.min, spread.max], [row, row], color=colour, linewidth=1.4, solid_capstyle="round")
            low, high = max(spread.min, spread.mean - spread.stddev), min(spread.max, spread.mean + spread.stddev)
            axes.plot([low, high], [row, row], color=colour, linewidth=8, solid_capstyle="butt", alpha=0.45)
            axes.plot(spread.mean, row, "o", color=colour, markersize=7, markeredgecolor=SURFACE)
            axes.annotate(
                f"mean {spread.mean:.2f}",
                (spread.max, row),
                (8, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        largest = max(run.report.erases_per_block.max for run in comparison.runs)
        axes.set_xlim(0, max(1, largest) * 1.25)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("P/E cycles of one block")
        _rows(axes, comparison.runs)
        svg = to_svg(drawing, "Least, mean and most P/E cycles of a block, by drive")
    return Plot("Wear of the blocks", "Line: least to most worn block. Band: one standard deviation. Dot: mean.", svg)


def _latency(comparison: Comparison, kind: str, latencies: Sequence[Latency | None]) -> Plot | None:
    if not any(latency and latency.max > 0 for latency in latencies):
        return None
    with figure(_height(comparison.runs) + 0.1, f"{kind} latency") as (drawing, axes):
        axes.set_xscale("log")
        for row, latency in enumerate(latencies):
            if latency is not None:
                _percentiles(axes, row, latency, with_names=row == 0)
        least, most = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0,) if most / least > 300 else (1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short_time(value)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(which="minor", length=0)
        axes.margins(x=0.06)
        axes.set_xlabel(f"response time of {kind}s (logarithmic)")
        _rows(axes, comparison.runs)
        axes.set_ylim(len(comparison.runs) - 0.45, -0.75)
        svg = to_svg(drawing, f"Percentiles of the response time of {kind}s, by drive")
    caption = "Dots: 50th, 95th, 99th, 99.9th percentile. Diamond: mean. End: slowest."
    return Plot(f"Response time of {kind}s", caption, svg)


def _percentiles(axes: Axes, row: int, latency: Latency, with_names: bool) -> None:
    colour = drive_colour(row)
    # What is answered from the map takes no time; a logarithmic axis has no place for it.
    shown = [value for value in (latency.p50, latency.p95, latency.p99, latency.p999, latency.max) if value > 0]
    if not shown:
        return
    axes.plot([shown[0], latency.max], [row, row], color=colour, linewidth=1.4, alpha=0.5)
    axes.plot(latency.max, row, "|", color=colour, markersize=9, markeredgewidth=1.6)
    drawn: list[int] = []
    for field, marker in _PERCENTILES:
        value = getattr(latency, field)
        if value <= 0:
            continue
        axes.plot(value, row, marker, color=colour, markersize=7, markeredgecolor=SURFACE)
        # Names only where they do not run into each other.
        if with_names and all(value > 1.5 * other for other in drawn):
            name = "99.9%" if field == "p999" else f"{field[1:]}%"
            axes.annotate(
                name, (value, row), (0, 8), textcoords="offset points", ha="center", fontsize=7.5, color=MUTED
            )
            drawn.append(value)
    axes.plot(latency.mean, row, "D", color=INK, markersize=4.5, markeredgecolor=SURFACE, gid=f"mean-{row}")


def _time_busy(comparison: Comparison) -> Plot | None:
    if any(run.report["utilisation"] is None for run in comparison.runs):
        return None
    with figure(_height(comparison.runs, 0.62) + 0.1, "time busy") as (drawing, axes):
        for row, run in enumerate(comparison.runs):
            duration_ns = run.report.simulated_ns or 1
            for offset, resource, alpha in ((-0.19, "planes", 1.0), (0.19, "channels", 0.45)):
                share = run.report["utilisation"][resource]
                axes.barh(row + offset, share, height=0.32, color=drive_colour(row), alpha=alpha, linewidth=0)
                shares = [busy_ns / duration_ns for busy_ns in run.report["busy_ns"][resource]]
                axes.plot([min(shares), max(shares)], [row + offset] * 2, color=INK, linewidth=1.2)
                text = f"{resource} {format_share(share)}"
                position = (max(share, max(shares)), row + offset)
                axes.annotate(text, position, (5, 0), textcoords="offset points", va="center", fontsize=8.5)
        axes.set_xlim(0, max(1.0, *axes.get_xlim()) * 1.22)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
        axes.set_xlabel("share of the simulated time")
        _rows(axes, comparison.runs)
        svg = to_svg(drawing, "Share of time in which planes and channels were busy, by drive")
    return Plot("Time busy", "Bars: mean. Thin line: from the idlest to the busiest.", svg)


def _short_count(value: float) -> str:
    for limit, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:g}"


def _short_time(value_ns: float) -> str:
    for limit_ns, suffix in ((1e9, " s"), (1e6, " ms"), (1e3, " µs")):
        if value_ns >= limit_ns:
            return f"{value_ns / limit_ns:g}{suffix}"
    return f"{value_ns:g} ns"
