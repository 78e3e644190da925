"""The answer in sentences: what to buy, what the host can do, what firmware could do."""

import itertools

from rewear.advice.advice import Advice
from rewear.advice.columns import about_years, life_text, range_text, response_text, terabytes, years_range
from rewear.advice.decided import WORSE
from rewear.advice.elsewhere import Elsewhere
from rewear.advice.row import YEAR_S, Row
from rewear.advice.study import HELPS, Table
from rewear.figures.units import format_number, format_share


def sentences(advice: Advice) -> tuple[str, ...]:
    """The three answers, each a sentence or a few; one where nothing can be said."""
    if advice.cannot_say is not None:
        return (_decided(advice, advice.cannot_say),)
    return _buy(advice), _host(advice), _firmware(advice)


def headline(advice: Advice) -> str:
    """The first answer in a line."""
    best = advice.best
    if advice.cannot_say is not None:
        if not advice.sure:
            return "Cannot say: record more"
        return f"Buy {advice.buy}: {_at_least(advice.sure[0].years)}; record more for the rest"
    if best is None:
        steady = any(row.steady for row in advice.sold)
        return "Buy by what your host writes a day" if steady else "Cannot say: no drive was steady"
    doubt = f", in doubt{_least(advice, best)}" if advice.doubt else ""
    if best.years is not None and best.years.low < advice.years:
        return f"No drive is sure to live {advice.years:g} years; {best.label}: {years_range(best.years)}{doubt}"
    return f"Buy {best.label}: {years_range(best.years)}{doubt}"


def _buy(advice: Advice) -> str:
    if not advice.doubt:
        return _drive_to_buy(advice)
    return f"{_drive_to_buy(advice)} {advice.doubt}{_holds(advice)}"


_WORST = f"even if it wears {WORSE:g} times as much as under random writes over the full drive"


def _decided(advice: Advice, reason: str) -> str:
    """Why nothing was replayed, behind the drive that is sure all the same."""
    if not advice.sure:
        return reason
    first = advice.sure[0]
    cheaper = list(itertools.takewhile(lambda label: label != first.label, (row.label for row in advice.worst)))
    unknown = f"Whether {' or '.join(cheaper)} does, which costs less, is not known" if cheaper else "More is not known"
    return (
        f"Buy {first.label}: a drive of {terabytes(advice.plan.capacity_bytes)} lives {_at_least(first.years)}, "
        f"{_WORST}. {unknown}. {reason}"
    )


def _holds(advice: Advice) -> str:
    """What a doubt leaves decided: how much more wear the verdict bears, and the drives that bear the worst."""
    best, text = advice.best, ""
    if best is not None and best.years is not None and best.years.low >= advice.years:
        bears = best.years.low / advice.years
        held = format_number(bears, 2)
        text = f" This drive, {best.label}, lives {advice.years:g} years up to {held} times the replay's wear."
    if not advice.sure:
        return f"{text} No drive here is sure to live {advice.years:g} years under the worst."
    sure = ", ".join(f"{each.label} {_at_least(each.years)}" for each in advice.sure)
    return f"{text} Decided all the same, {_WORST}: {sure}."


def _least(advice: Advice, best: Row) -> str:
    """The least life of the drive to buy, where that is decided."""
    least = next((each.years for each in advice.sure if each.label == best.label), None)
    return "" if least is None else f", but {_at_least(least)}"


def _at_least(years: float) -> str:
    text = life_text(years)
    return text if text.startswith("more") else f"at least {text}"


def _drive_to_buy(advice: Advice) -> str:
    best = advice.best
    if not any(row.steady for row in advice.sold):
        return "Cannot say how long drives live: none was steady when its replay ended. Record longer."
    if best is None or best.years is None or best.tbw is None:
        return f"{advice.years_unknown or 'Nothing was erased.'} Buy by what your host writes a day: {_daily(advice)}."
    wanted = f"{advice.years:g} years"
    capacity = terabytes(advice.plan.capacity_bytes)
    life = f"{about_years(best.years)} under {advice.traits.name}, {range_text(best.tbw, terabytes)} written"
    rated = ""
    if best.rated_bytes is not None and best.bytes_per_second:
        at_rate = best.rated_bytes / best.bytes_per_second / YEAR_S
        rated = f" Named drives are rated for {terabytes(best.rated_bytes)}, which this host writes in {_one(at_rate)}."
    rest = f"{_answers_in(best)}{rated}{_width(best)}"
    if best.years.low < advice.years:
        return f"No drive of {capacity} here is sure to live {wanted}: {best.label} lives longest, {life}.{rest}"
    fewer = [row for row in advice.sold if row.cells_per_byte < best.cells_per_byte and row.years is not None]
    beside = f" The next cheaper, {fewer[-1].label}, lives {years_range(fewer[-1].years)}." if fewer else ""
    return (
        f"Buy {best.label}: a drive of {capacity} lives {life}. Of the drives that are sure to live {wanted} it has "
        f"the fewest flash cells, so it costs least.{beside}{rest}"
    )


def _width(row: Row) -> str:
    """Why the range is as wide as it is."""
    off = f"the replay may be off by {format_share(row.error)}"
    least, most = row.cycles_between or (0, 0)
    if least == most:
        return f" The range: {off}."
    return f" The range: {least:,} to {most:,} P/E cycles are published for such flash, and {off}."


def _one(years: float) -> str:
    from rewear.figures.uncertainty import Interval

    return years_range(Interval(years, years, years))


def _answers_in(row: Row) -> str:
    if not row.follows:
        return " It does not follow the recorded rate."
    if row.mean_response_ns is None:
        return ""
    return f" It answers reads and writes in {response_text(row)} on average; flushes are not in it."


def _daily(advice: Advice) -> str:
    """What each drive takes a day for the years asked about, with the fewest cycles that are published."""
    parts = [f"up to {terabytes(each)} on {label}" for label, each in advice.bytes_per_day.items()]
    return f"for {advice.years:g} years {', '.join(parts)}" if parts else "nothing was erased"


def budget(advice: Advice) -> str:
    """Bytes a day that this pattern may write on the drive to buy; empty where there is none, or the answer has it."""
    best = advice.best
    if best is None or best.label not in advice.bytes_per_day:
        return ""
    may, now = advice.bytes_per_day[best.label], best.bytes_per_second or 0.0
    return (
        f"For {advice.years:g} years {best.label} takes {terabytes(may)} a day of this pattern; now it is "
        f"{terabytes(now * 86_400)}."
    )


def _host(advice: Advice) -> str:
    gains = [each for each in advice.measures if each.life is not None and each.life > HELPS]
    if gains:
        return f"What the host can do: {' '.join(each.sentence for each in gains)}"
    if advice.traits.trims == 0 and advice.measures:
        return f"What the host can do: {next(each for each in advice.measures if each.name == 'trim').sentence}"
    return "What the host can do: nothing that this recording shows."


def _firmware(advice: Advice) -> str:
    parts = [_gain(table, equal=table is advice.equal) for table in advice.tables]
    return (
        f"What firmware could do, on paper: {' '.join(part[0].upper() + part[1:] for part in parts)}" if parts else ""
    )


def _gain(table: Table, *, equal: bool) -> str:
    flash = f"in the same {table.chip.upper()} flash, {format_number(table.flash_ratio)} times the capacity"
    if not equal:
        flash = f"in {format_number(table.flash_ratio)} times the capacity, which the plain drive then has, too"
    best, gain = table.best, table.gain(table.best)
    restless = [row.label for row in table.rows if not row.steady]
    left = f" Not steady when the replay ended, so without a factor: {', '.join(restless)}." if restless else ""
    if not table.plain.steady:
        return f"no factor {flash}: {table.plain.label} was not steady when the replay ended."
    if best is table.plain or gain is None or gain < HELPS:
        return f"no technique lets it live longer {flash}.{left}"
    times = table.times(best, "mean_response_ns")
    response = "" if times is None else f" and responds in {format_share(times)} of the time"
    return f"with {best.label} the drive lives {format_number(gain)} times as long{response}, {flash}.{left}"


def elsewhere_sentence(each: Elsewhere) -> str:
    """What a technique that was not tried does on the workload that it was made for."""
    gain, name = each.table.gain(each.row), each.workload.partition(":")[0]
    lives = f"lives {format_number(gain)} times as long as" if gain is not None else "was not steady, beside"
    times = each.table.times(each.row, "mean_response_ns")
    response = "" if times is None else f" and responds in {format_share(times)} of the time"
    return (
        f"{each.technique}: on a made-up workload that has what it needs ({name}), {each.row.label} {lives} a plain "
        f"drive{response}; both have {format_number(each.table.flash_ratio)} times the capacity in flash."
    )
