"""The answer of an advice: which drive to buy, what the host can do, what firmware could do."""

from collections.abc import Sequence

from rewear.advice.advice import Advice
from rewear.advice.columns import Column, cells, range_text, sold, techniques, terabytes, worn, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.advice.row import YEAR_S, Row
from rewear.advice.words import budget, elsewhere_sentence, headline
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_number
from rewear.page.blocks import Answer, Block, Details, Heading, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, ranges
from rewear.page.glossary import glossary
from rewear.shown.writers import writers_parts


def advice_answer(advice: Advice) -> Answer:
    """Tables of drives, the drive to buy marked; a page also has the drives' TOML."""
    columns, bought = sold(advice.sold), f"What one can buy: {terabytes(advice.plan.capacity_bytes)} exported"
    figures: list[Part] = []
    if advice.measures:
        a_day = [("bytes a day", told)] if (told := budget(advice)) else []
        said = [(each.name, each.sentence) for each in advice.measures]
        figures += [Heading("What the host can do"), Pairs([*a_day, *said])]
        figures += [] if advice.writers is None else ["", *writers_parts(advice.writers, advice.traits.clock_jump)]
    figures += _firmware(advice)
    if advice.improved:
        figures += ["", _table(advice.improved, worn(columns), "Drives on sale with what works on any cells")]
    figures += ["", Heading("Workload"), Pairs(advice.traits.lines())]
    runs = "Each runs as it is: copy it to a file, then rewear run --drive FILE."
    opening = _table(advice.sold, columns, bought, advice.best) if advice.sold else None
    return Answer(
        f"advice for {advice.traits.name}",
        headline(advice),
        advice.sentences,
        figures,
        [_lives(advice)] if advice.sold else [],
        notes=[("Note", note) for note in advice.notes],
        details=[Heading("Drives"), Sentences([runs]), *map(_drive, advice.rows)] if advice.rows else [],
        first="" if opening else "\n\n".join(advice.sentences),
        opening=opening,
        data=advice.to_dict(),
        words=glossary("advice"),
    )


def _table(rows: Sequence[Row], columns: Sequence[Column], title: str = "", best: Row | None = None) -> Table:
    """Drives with columns whose titles say what they mean; the drive to buy is marked."""
    taken = next((place for place, row in enumerate(rows) if row is best), None)
    shown = [cells(columns, row) for row in rows]
    marked = [(f"{label} ◆" if place == taken else label, *rest) for place, (label, *rest) in enumerate(shown)]
    titles, tips = ("drive", *(title for title, _ in columns)), glossary("advice")
    return Table(
        titles, marked, title, kind="figures answer", tips=tips, taken=taken, long_title=True, shrinks=True
    )  # fmt: skip


def _firmware(advice: Advice) -> list[Part]:
    if not advice.tables:
        return []
    about = (
        f"Techniques of papers, which no drive on sale has. All drives of a table have the same "
        f"{advice.tables[0].chip} flash and export the same; the life is that over the plain drive's."
    )
    parts: list[Part] = ["", Heading("What firmware could do"), about]
    for each in advice.tables:
        title = f"{each.name.capitalize()}: {each.chip}, {format_number(each.flash_ratio)} times the capacity in flash"
        parts += ["", _table(each.rows, techniques(each), title)]
        parts += [f"Not tried: {left.technique}. {left.reason}" for left in each.excluded]
    for other in advice.elsewhere:
        parts += ["", f"Elsewhere: {elsewhere_sentence(other)}", _table(other.table.rows, techniques(other.table))]
    return parts


def _drive(row: Row) -> Block:
    source = f"{'Rated: ' if row.rated_bytes else ''}{row.rival.source}" if row.rival.source else ""
    return Details(row.label, [Sentences([source] if source else []), Sentences([row.sized.toml], "mono")])


def _lives(advice: Advice) -> Chart:
    """A bar a drive on sale, from the least to the most years it lives, or bytes where years are unknown."""
    in_years = advice.best is not None

    def scaled(bytes_written: float, rate: float | None) -> float:
        return min(bytes_written / (rate or 1.0) / YEAR_S, MOST_YEARS) if in_years else bytes_written / 1e12

    spans, strokes = [], []
    for row in advice.sold:
        span: Interval | None = row.years if in_years else row.tbw
        if span is None:
            continue
        low, high = (min(end, MOST_YEARS) if in_years else end / 1e12 for end in (span.low, span.high))
        spans.append((row.label, low, high, years_range(span) if in_years else range_text(span, terabytes)))
        if row.rated_bytes is not None and (row.bytes_per_second or not in_years):
            tip = f"{row.label}: rated for {terabytes(row.rated_bytes)}"
            strokes.append({"y": row.label, "x": scaled(row.rated_bytes, row.bytes_per_second), "tip": tip})
    return ranges(
        "Lives of drives on sale",
        "A bar reaches from the fewest to the most cycles that are published; the stroke is what named drives are "
        "rated for. Blue: the drive to buy.",
        spans,
        Axis(f"years, up to {MOST_YEARS:g} (logarithmic)" if in_years else "TB written (logarithmic)", log=True),
        "" if advice.best is None else advice.best.label,
        Layer("tick", strokes, {"color": "var(--ink)", "thickness": 2, "height": {"band": 0.9}}),
    )
