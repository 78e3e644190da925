"""The answer of `life`: the lives of disks, by their SMART logs."""

import math
from collections.abc import Sequence

from rewear.advice.columns import life_text, terabytes, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.disk.life import DiskLife
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_number
from rewear.page.blocks import Answer, Heading, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, ranges

MOST_WHOLE = 3
"""Number of disks that are answered in full; more are a table."""


def life_answer(disks: Sequence[DiskLife]) -> Answer:
    """Years left, what the logs say, what would change it, and other drives, for each disk."""
    about = "From SMART logs: the time until the vendor's rated life is used up, if the disk is used as until now."
    rated = [f"{other.name}: rated as {other.drive} ({other.rated})" for disk in disks for other in disk.others]
    ratings = Sentences(list(dict.fromkeys(rated)), "list")
    figures: list[Part] = [by_disk(disks), ""] if len(disks) > 1 else []
    if len(disks) <= MOST_WHOLE:
        figures += [part for disk in disks for part in _figures(disk)]
    else:
        figures += ["Ask of a disk alone for what its logs say, and what would change its life.", ""]
    return Answer(
        "life of the disk you have",
        disks[0].headline if len(disks) == 1 else f"The lives of {len(disks)} disks",
        [about],
        figures,
        [chart for disk in disks[:MOST_WHOLE] for chart in _lives(disk)],
        details=[Heading("Ratings of the other drives", 3), ratings] if rated else [],
        data=[disk.to_dict() for disk in disks],
    )


def by_disk(disks: Sequence[DiskLife]) -> Table:
    """One row per disk: the shortest life first, disks without an answer last."""

    def order(disk: DiskLife) -> float:
        return math.inf if disk.years is None else disk.years.low

    rows = [
        (
            f"{_name(disk)}{f' ({disk.last.serial})' if disk.last.serial else ''}",
            "unknown" if disk.years is None else years_range(disk.years),
            "-" if disk.last.used is None else f"{disk.last.used:g}%",
            "-" if disk.last.host_bytes is None else terabytes(disk.last.host_bytes),
            "-" if disk.a_day is None else terabytes(disk.a_day),
            "-" if disk.amplification is None else format_number(disk.amplification),
        )
        for disk in sorted(disks, key=order)
    ]
    return Table(("disk", "left", "used", "host wrote", "a day", "write amplification"), rows)


def _figures(disk: DiskLife) -> list[Part]:
    parts: list[Part] = [f"{_name(disk)}: {disk.headline}.", "", Pairs([*disk.facts(), *disk.changes()]), ""]
    if not disk.others:
        return [*parts, "The log has no capacity, so no other drive is named.", ""]
    rows = [
        (
            f"{other.name}: {other.drive}",
            terabytes(other.rated_bytes),
            "-" if other.years is None else life_text(other.years),
            years_range(other.by_cycles),
        )
        for other in disk.others
    ]
    return [*parts, Table(("another drive of this size", "rated TBW", "to the rating", "to the P/E cycles"), rows), ""]


def _name(disk: DiskLife) -> str:
    size = "" if disk.last.capacity_bytes is None else f", {terabytes(disk.last.capacity_bytes)}"
    return f"{disk.last.model or 'A drive without a name'}{size}"


def _lives(disk: DiskLife) -> list[Chart]:
    """A bar for this disk, from the least to the most years, and one for each other drive; none without a rate."""
    mine = "this disk, left"
    lives = [] if disk.years is None else [(mine, disk.years.low, disk.years.high)]
    lives += [(other.name, 0.0, other.years) for other in disk.others if other.years is not None]
    spans = [
        (name, min(low, MOST_YEARS), min(high, MOST_YEARS), years_range(Interval(high, low or high, high)))
        for name, low, high in lives
    ]
    caption = "Blue: from the least to the most years left. Grey: new drives, until their rating is written."
    axis = Axis(f"years, up to {MOST_YEARS:g}", most=MOST_YEARS)
    return [ranges(f"{_name(disk)}: years by this use", caption, spans, axis, mine)] if spans else []
