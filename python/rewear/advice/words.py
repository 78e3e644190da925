"""The answer in three sentences."""

from rewear.advice.advice import Advice, Row, life_of, response_of
from rewear.advice.elsewhere import Elsewhere
from rewear.advice.notes import LEAST_NS
from rewear.metrics import years_text
from rewear.units import format_bytes, format_count, format_energy, format_number, format_ratio, format_time

__all__ = ["elsewhere_sentence", "price_of", "sentences"]

_NO_SLOWER = 1.05
"""Times the plain drive's mean response up to which a drive is not called slower."""


def sentences(advice: Advice) -> tuple[str, str, str]:
    """What to take, what it costs, and what would change the answer."""
    return _take(advice), _cost(advice), _change(advice)


def _take(advice: Advice) -> str:
    best, plain = advice.best, advice.reference
    if advice.is_too_short:
        return (
            f"{advice.traits.name} is too short to tell: the plain drive with this flash erased nothing. Give a longer "
            "recording, or less flash."
        )
    if best is plain:
        told = f"Take {plain.label}: no technique lets this drive live longer under {advice.traits.name}"
        if advice.longest is not best:
            told = f"Take {plain.label}: what lives longer under {advice.traits.name} costs too much"
        return f"{told}{_life(advice, best)}.{_others(advice)}"
    if life_of(best) < life_of(plain) * 1.01:
        return (
            f"Take {best.label}: it lives as long as {plain.label} on the same flash, at {price_of(advice, best)}; "
            f"nothing that is quick enough lives longer under {advice.traits.name}"
            f"{_life(advice, best)}.{_others(advice)}"
        )
    return (
        f"Take {best.label}: it lives {format_ratio(life_of(best), life_of(plain))} as long as {plain.label} on the "
        f"same flash, at {price_of(advice, best)}. It erases {_erased(best)} of flash for each byte written, not "
        f"{_erased(plain)}{_life(advice, best)}.{_others(advice)}"
    )


def price_of(advice: Advice, row: Row) -> str:
    """Response and energy of a drive beside the plain drive's."""
    parts = []
    for key, words in (("mean_response_ns", "the mean response"), ("energy_j_per_byte", "the energy")):
        value, base = row.mean(key), advice.reference.mean(key)
        if value is not None and base:
            parts.append(f"{format_ratio(value, base)} {words}")
    return " and ".join(parts) or "no price that is known"


def _others(advice: Advice) -> str:
    """The drive that lives longer and is too slow, and the one that lives nearly as long and is much quicker."""
    plain, longest, quicker = advice.reference, advice.longest, advice.quicker
    text = ""
    if longest is not advice.best:
        text += (
            f" {longest.label} lives {format_ratio(life_of(longest), life_of(plain))} as long, but at "
            f"{price_of(advice, longest)}: more than {format_number(advice.slowdown, 2)}× the response, so it is not "
            "the one to take."
        )
    if quicker is not None:
        text += (
            f" {quicker.label} lives nearly as long, {format_ratio(life_of(quicker), life_of(plain))}, at "
            f"{price_of(advice, quicker)}."
        )
    return text


def elsewhere_sentence(each: Elsewhere) -> str:
    """What a technique that was not tried does on the workload that it was made for."""
    costs = [
        f"{format_ratio(ratio, 1)} {words}"
        for key, words in (("mean_response_ns", "the mean response"), ("energy_j_per_byte", "the energy"))
        if (ratio := each.ratio(key)) is not None
    ]
    life = each.ratio("bytes_per_cycle") or 1.0
    name = each.workload.partition(":")[0]
    return (
        f"{each.technique}: on a made-up workload that has what it needs ({name}), {each.row.label} lives "
        f"{format_ratio(life, 1)} as long as a plain drive with as much spare flash, at {' and '.join(costs)}."
    )


def _life(advice: Advice, row: Row) -> str:
    """What a drive of the size that is asked about takes until it dies, and how long that is."""
    written, years = row.mean("tbw_bytes"), row.mean("life_years")
    if written is None:
        return ""
    taken = f"; with {format_bytes(advice.plan.capacity_bytes)} exported it takes {format_bytes(written)}"
    if years is None:
        return taken
    duration = advice.traits.duration_ns
    if duration is not None and duration < LEAST_NS:
        return f"{taken}, {years_text(years)} at the rate of the {format_time(duration)} that were recorded"
    return f"{taken}, {years_text(years)} as recorded"


def _erased(row: Row) -> str:
    return f"{format_number(row.mean('flash_erased_per_byte') or 0.0)} bytes"


def _cost(advice: Advice) -> str:
    """What the price is in figures."""
    best, plain = advice.best, advice.reference
    if best is plain:
        return "It costs nothing but the flash."
    parts = []
    for key, words, text in (
        ("mean_response_ns", "a mean response of", format_time),
        ("write_p99_ns", "99 of 100 writes within", format_time),
        ("energy_j_per_byte", "for each GiB written", lambda value: format_energy(value * 2**30)),
        ("controller_bytes", "controller RAM of", format_bytes),
    ):
        value, base = best.mean(key), plain.mean(key)
        if value is not None and base:
            parts.append(f"{words} {text(value)} ({text(base)})")
    return f"In figures, the plain drive's in brackets: {', '.join(parts)}."


def _change(advice: Advice) -> str:
    best, plain = advice.best, advice.reference
    parts = []
    most_ns = response_of(plain) * _NO_SLOWER
    quick = [row for row in advice.front if response_of(row) <= most_ns]
    if response_of(best) > most_ns and quick:
        other = max(quick, key=life_of)
        longer = format_ratio(life_of(other), life_of(plain))
        parts.append(
            f"if responses may be no slower than the plain drive's, take {other.label} ({longer} its life)"
            if other is not plain
            else "if responses may be no slower than the plain drive's, stay with it"
        )
    roomy = (best.room_bytes or 0) / (plain.room_bytes or 1)
    if roomy < 0.9:
        share = format_number(best.room_bytes / 1.07 / advice.plan.flash_bytes * 100, 2)
        parts.append(f"if the flash must export more than {share}% of itself, {best.label} does not fit")
    other_chips = [each.technique for each in advice.excluded if each.chip_alone]
    if other_chips:
        parts.append(f"another chip would let {' and '.join(other_chips)} compete")
    if advice.traits.shift_bytes is not None:
        parts.append(f"the same trace with :shift_bytes={advice.traits.shift_bytes}, which aligns it")
    if advice.plan.is_short:
        parts.append(f"a longer recording, since this one was repeated {format_count(advice.plan.loops)} times")
    if not parts:
        parts.append("a workload with other sizes or other rewrites; run this again on a longer recording")
    text = "; ".join(parts)
    return f"What would change the answer: {text}."
