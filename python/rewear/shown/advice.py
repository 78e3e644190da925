"""The answer of an advice: tables, and a page whose first screen is the answer."""

from collections.abc import Sequence

from rewear.advice.advice import Advice
from rewear.advice.columns import Column, cells, range_text, sold, techniques, terabytes, worn, years_range
from rewear.advice.enough import MOST_YEARS
from rewear.advice.row import YEAR_S, Row
from rewear.advice.words import elsewhere_sentence, headline
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_number
from rewear.page.blocks import Block, Charts, Details, Heading, Notes, Page, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, drive_colour, spans_of
from rewear.page.glossary import glossary
from rewear.page.terminal import fits


def advice_tables(advice: Advice) -> list[Part]:
    """The answer for people: what to buy, what the host can do, what firmware could do, the workload, notes."""
    first, *more = advice.sentences
    parts: list[Part] = [first, ""]
    shown = sold(advice.sold)
    if advice.sold:
        parts += [_fitting(advice.sold, shown, advice.best), ""]
    parts += [f"{sentence}\n" for sentence in more]
    if advice.improved:
        parts += [
            "The drives on sale with the techniques that work on any cells:",
            _fitting(advice.improved, worn(shown)),
            "",
        ]
    for table in advice.tables:
        parts.append(
            f"{table.name.capitalize()}: {table.chip}, {format_number(table.flash_ratio)} times the capacity in flash."
        )
        parts += [_fitting(table.rows, techniques(table)), ""]
        parts += [f"Not tried: {each.technique}. {each.reason}" for each in table.excluded]
        parts.append("")
    parts += [f"Elsewhere: {elsewhere_sentence(each)}" for each in advice.elsewhere]
    parts += ["", Pairs([*advice.traits.lines(), *((each.name, each.sentence) for each in advice.measures)]), ""]
    parts += [f"Note: {note}" for note in advice.notes]
    words = glossary("advice")
    return parts + [f"{title}: {words[title]}" for title, _ in shown if title in words]


def _fitting(rows: Sequence[Row], columns: Sequence[Column], best: Row | None = None) -> Table:
    """Drives with as many columns as the window has room for; the last go first."""
    for count in range(len(columns), 0, -1):
        shown = columns[:count]
        titles = ["", "drive", *(_in_two_lines(title) for title, _ in shown)]
        table = Table(titles, [("◆" if row is best else "", *cells(shown, row)) for row in rows], left=(1,))
        if fits(table) or count <= 2:
            break
    return table


def _in_two_lines(title: str) -> str:
    """A title broken in the middle."""
    words = title.split()
    half = (len(words) + 1) // 2
    return "\n".join([" ".join(words[:half]), " ".join(words[half:])])


def _table(rows: Sequence[Row], columns: Sequence[Column], title: str = "", best: Row | None = None) -> Table:
    """Drives with all columns, whose titles say what they mean; the drive to buy is marked."""
    taken = next((place for place, row in enumerate(rows) if row is best), None)
    shown = [cells(columns, row) for row in rows]
    marked = [(f"{label} ◆" if place == taken else label, *rest) for place, (label, *rest) in enumerate(shown)]
    titles = ("drive", *(title for title, _ in columns))
    return Table(titles, marked, title, kind="figures answer", tips=glossary("advice"), taken=taken)


def advice_page(advice: Advice) -> Page:
    """The page as HTML text; the same answer gives the same bytes."""
    shown = sold(advice.sold)
    opening: list[Block] = [Sentences(advice.sentences, "summary")]
    if advice.sold:
        bought = f"What one can buy: {terabytes(advice.plan.capacity_bytes)} exported"
        opening += [Charts([_lives(advice)]), _table(advice.sold, shown, bought, advice.best)]
    blocks: list[Block] = []
    if advice.sold:
        chosen = (
            "The fewest flash cells first. ◆ the drive to buy: the fewest cells of those that are sure to live "
            f"{advice.years:g} years."
        )
        blocks.append(Sentences([chosen]))
    if advice.measures:
        blocks += [Heading("What the host can do"), Pairs([(each.name, each.sentence) for each in advice.measures])]
    blocks += _firmware(advice)
    if advice.improved:
        blocks.append(_table(advice.improved, worn(shown), "Drives on sale with what works on any cells"))
    blocks += [Heading("Workload"), Pairs(advice.traits.lines())]
    blocks += [Notes([("", note) for note in advice.notes])] if advice.notes else []
    if advice.rows:
        runs = "Each runs as it is: copy it to a file, then rewear run --drive FILE."
        blocks += [Heading("Drives"), Sentences([runs]), *map(_drive, advice.rows)]
    about, data = f"advice for {advice.traits.name}", advice.to_dict()
    return Page(about, headline(advice), blocks, data, opening=opening, words=glossary("advice"))


def _firmware(advice: Advice) -> list[Block]:
    if not advice.tables:
        return []
    about = (
        f"Techniques of papers, which no drive on sale has. All drives of a table have the same "
        f"{advice.tables[0].chip} flash and export the same; the life is that over the plain drive's."
    )
    blocks: list[Block] = [Heading("What firmware could do"), Sentences([about])]
    for each in advice.tables:
        title = f"{each.name.capitalize()}: {format_number(each.flash_ratio)} times the capacity"
        blocks.append(_table(each.rows, techniques(each), title))
        blocks.append(Sentences([f"Not tried: {left.technique}. {left.reason}" for left in each.excluded], "list"))
    for other in advice.elsewhere:
        told, table = Sentences([elsewhere_sentence(other)]), _table(other.table.rows, techniques(other.table))
        blocks.append(Details(f"{other.technique} on a workload made up for it", [told, table]))
    return blocks


def _drive(row: Row) -> Block:
    source = f"{'Rated: ' if row.rated_bytes else ''}{row.rival.source}" if row.rival.source else ""
    return Details(row.label, [Sentences([source] if source else []), Sentences([row.sized.toml], "mono")])


def _lives(advice: Advice) -> Chart:
    """A bar a drive on sale, from the least to the most years it lives, or bytes where years are unknown."""
    in_years = advice.best is not None

    def scaled(bytes_written: float, rate: float | None) -> float:
        return min(bytes_written / (rate or 1.0) / YEAR_S, MOST_YEARS) if in_years else bytes_written / 1e12

    bars, strokes, names = [], [], []
    for row in advice.sold:
        span: Interval | None = row.years if in_years else row.tbw
        if span is None:
            continue
        low, high = (min(end, MOST_YEARS) if in_years else end / 1e12 for end in (span.low, span.high))
        text = years_range(span) if in_years else range_text(span, terabytes)
        names.append(row.label)
        bars.append(
            {
                "y": row.label,
                "x": low,
                # A range of hardly any width must be seen.
                "x2": max(high, low * 1.02),
                "series": "buy" if row is advice.best else "",
                "tip": f"{row.label}: {text}",
            }
        )
        if row.rated_bytes is not None and (row.bytes_per_second or not in_years):
            tip = f"{row.label}: rated for {terabytes(row.rated_bytes)}"
            strokes.append({"y": row.label, "x": scaled(row.rated_bytes, row.bytes_per_second), "tip": tip})
    return Chart(
        "Lives of drives on sale",
        "A bar reaches from the fewest to the most cycles that are published; the stroke is what named drives are "
        "rated for. Blue: the drive to buy.",
        [*spans_of(bars), Layer("tick", strokes, {"color": "var(--ink)", "thickness": 2, "height": {"band": 0.9}})],
        x=Axis(f"years, up to {MOST_YEARS:g} (logarithmic)" if in_years else "TB written (logarithmic)", log=True),
        y=Axis(names=names),
        colours={"": drive_colour(0), "buy": drive_colour(1)},
        legend=False,
    )
