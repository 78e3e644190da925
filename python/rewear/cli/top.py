"""`rewear top`: a live drive in the terminal."""

import sys
import time
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live

from rewear.cli.live_tables import live_tables, rate
from rewear.cli.options import whole
from rewear.cli.output import print_text
from rewear.cli.serve import LiveName, find_control
from rewear.core.errors import ConfigurationError, ServeError
from rewear.core.report import Report
from rewear.figures.units import format_bytes, format_count, format_time
from rewear.live.serve import stats
from rewear.page.blocks import Part, Table
from rewear.page.terminal import rich_of


def top_command(
    name: LiveName = None,
    interval: Annotated[float, typer.Option(metavar="SECONDS", help="Time between two looks.")] = 1.0,
    count: Annotated[int | None, whole(help="End after so many looks.")] = None,
) -> None:
    """Shows a live drive until Ctrl-C: rates, response times, erases, space by state, a map of wear."""
    if not 0.05 <= interval <= 3600:
        raise ConfigurationError(f"--interval {interval} is no time between looks. Give 0.05 to 3600 seconds.")
    control = find_control(name)
    before = stats(control)
    if not sys.stdout.isatty():
        for _ in range(count or 1):
            time.sleep(interval)
            now = stats(control)
            print_text(*view(before, now))
            before = now
        return
    with Live(_screen(before, before), screen=True, auto_refresh=False) as screen:
        looks = 0
        while count is None or looks < count:
            try:
                time.sleep(interval)
                now = stats(control)
            except (KeyboardInterrupt, ServeError):
                return
            screen.update(_screen(before, now), refresh=True)
            before, looks = now, looks + 1


def _screen(before: Report, now: Report) -> Group:
    return Group(*map(rich_of, view(before, now)))


def view(before: Report, now: Report) -> list[Part]:
    """The screen for two looks at a drive."""
    live = now["live"]
    seconds = (live["uptime_ns"] - before["live"]["uptime_ns"]) / 1e9
    pace = "paced by its clock" if live["paced"] else "as fast as it can"
    title = f"{now.drive_name}: up {format_time(live['uptime_ns'])}, {pace}"
    if live["requests_recorded"] is not None:
        title += f", {format_count(live['requests_recorded'])} requests recorded"
    return [title, "", _requests(before, now, seconds), "", _flash(before, now, seconds), "", *live_tables(now)]


def _requests(before: Report, now: Report, seconds: float) -> Table:
    rows = []
    for kind in ("read", "write", "trim", "flush"):
        count = now["requests"][kind]
        data = ""
        if kind in ("read", "write"):
            key = "host_bytes_read" if kind == "read" else "host_bytes_written"
            data = format_bytes(round(rate(now[key], before[key], seconds)))
        per_second = format_count(round(rate(count, before["requests"][kind], seconds)))
        rows.append((kind, per_second, data, format_count(count), *_times(now.latency_ns.get(kind))))
    return Table(("Requests", "a second", "data a second", "in all", "mean", "p99", "longest"), rows)


def _times(latency: dict[str, Any] | None) -> tuple[str, str, str]:
    if latency is None:
        return "", "", ""
    return format_time(round(latency["mean"])), format_time(latency["p99"]), format_time(latency["max"])


def _flash(before: Report, now: Report, seconds: float) -> Table:
    counts = {
        "blocks erased": (now.erases, before.erases),
        "pages programmed": (now.pages_programmed["total"], before.pages_programmed["total"]),
        "pages moved": (now.pages_moved, before.pages_moved),
        "programs over data": (now.reprograms, before.reprograms),
        "bits corrected": (now["live"]["bits_corrected"], before["live"]["bits_corrected"]),
        "pages beyond correction": (now["live"]["pages_uncorrectable"], before["live"]["pages_uncorrectable"]),
    }
    rows = [
        (title, format_count(round(rate(after, earlier, seconds))), format_count(after))
        for title, (after, earlier) in counts.items()
    ]
    amplification = now.write_amplification
    rows.append(("write amplification", "", "-" if amplification is None else f"{amplification:.3f}"))
    return Table(("Flash", "a second", "in all"), rows)
