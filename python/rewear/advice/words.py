"""The answer in three sentences."""

from rewear.advice.advice import Advice, Row, life_of
from rewear.advice.elsewhere import Elsewhere
from rewear.advice.notes import LEAST_NS
from rewear.metrics import years_text
from rewear.units import format_bytes, format_count, format_energy, format_number, format_ratio, format_time

__all__ = ["elsewhere_sentence", "sentences"]


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
        return f"Take {plain.label}: no technique lets this drive live longer under {advice.traits.name}."
    if life_of(best) < life_of(plain) * 1.01:
        return (
            f"Take {best.label}: no technique lets this drive live longer than {plain.label} under "
            f"{advice.traits.name}, and this one answers soonest of those that live as long."
        )
    return (
        f"Take {best.label}: the drive lives {format_ratio(life_of(best), life_of(plain))} as long as {plain.label} "
        f"with the same flash ({_erased(best)} of flash erased for each byte written, not {_erased(plain)})"
        f"{_life(advice, best)}."
    )


def elsewhere_sentence(each: Elsewhere) -> str:
    """What a technique that was not tried does on the workload that it was made for."""
    costs = [
        f"{format_number(ratio, 2)}× the {words}"
        for key, words in (("mean_response_ns", "mean response"), ("energy_j_per_byte", "energy"))
        if (ratio := each.ratio(key)) is not None
    ]
    life = each.ratio("bytes_per_cycle") or 1.0
    return (
        f"{each.technique} on {each.workload}, a made-up workload that has what it needs: {each.row.label} lives "
        f"{format_ratio(life, 1)} as long as the plain drive on the same chip with the same share of spare "
        f"flash, with {' and '.join(costs)}."
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
    best, plain = advice.best, advice.reference
    if best is plain:
        return "It costs nothing but the flash."
    parts = []
    for key, words, text in (
        ("mean_response_ns", "the mean response", format_time),
        ("write_p99_ns", "the 99th percentile of writes", format_time),
        ("energy_j_per_byte", "the energy of a GiB written", lambda value: format_energy(value * 2**30)),
    ):
        value, base = best.mean(key), plain.mean(key)
        if value is not None and base:
            parts.append(f"{format_ratio(value, base)} {words} ({text(value)})")
    memory, base_memory = best.mean("controller_bytes"), plain.mean("controller_bytes")
    if memory is not None and base_memory:
        parts.append(f"{format_ratio(memory, base_memory)} the controller's memory ({format_bytes(memory)})")
    return f"Against that plain drive it has {', '.join(parts[:-1])} and {parts[-1]}."


def _change(advice: Advice) -> str:
    best, plain = advice.best, advice.reference
    parts = []
    quick = [
        row
        for row in advice.front
        if (row.mean("mean_response_ns") or 0) <= (plain.mean("mean_response_ns") or 0) * 1.01
    ]
    if (best.mean("mean_response_ns") or 0) > (plain.mean("mean_response_ns") or 0) * 1.01 and quick:
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
