"""Which drive of a comparison wears least, and whether that can be said at all."""

from dataclasses import dataclass
from typing import Literal

from rewear.comparison.comparison import Comparison, Run
from rewear.core.report import Report
from rewear.figures.uncertainty import Interval
from rewear.figures.units import (
    change_in_words,
    format_bytes,
    format_count,
    format_number,
    format_ratio,
    format_share,
    listed,
)

_LIKE = 0.02
"""Part by which two drives may differ in flash and still have as much."""
_EVEN = 0.005
"""Part by which costs may differ that count as the same where nothing was repeated."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a comparison in wear."""

    kind: Literal["winner", "none", "too-short", "single"]
    """Whether there is a winner, none, or the runs are too short to tell."""
    sentence: str
    """The same in words."""
    winner: Run | None = None
    """The drive that erased the least flash for a byte written."""


def cost_of(report: Report) -> float | None:
    """Flash erased for a byte that the host wrote: in the long run if the drive was steady, else over all."""
    long_run = report.long_run
    if long_run is not None and long_run["steady"]:
        return float(long_run["flash_erased_per_byte"])
    return report.figure("flash_erased_per_byte")


def _flash(report: Report) -> float:
    """Flash for a byte exported, which every drive has."""
    return report.figure("flash_per_exported_byte") or 1.0


def rival_of(run: Run, comparison: Comparison) -> Run | None:
    """The drive that wears least of the others with as much flash for a byte exported as `run`; `None` without any."""
    flash = _flash(run.report)
    rivals = [
        other
        for other in comparison.runs
        if other is not run and abs(_flash(other.report) / flash - 1) <= _LIKE and cost_of(other.report) is not None
    ]
    return min(rivals, key=lambda rival: cost_of(rival.report) or 0.0, default=None)


def too_short(label: str, report: Report) -> str | None:
    """Why a run says little about wear and how long it would have to be, as a sentence; `None` if it says enough."""
    reasons = report.too_short
    if reasons is None:
        return None
    because = " and ".join(reasons["because"])
    if reasons["loops_needed"] is None:
        return f"{label}: {because}."
    needed = format_bytes(reasons["host_bytes_needed"])
    loops = format_count(reasons["loops_needed"])
    return f"{label}: {because}. It takes some {needed} of writes: {loops} loops, or loops until steady."


def verdict_of(comparison: Comparison) -> Verdict:
    """Who wears least. A drive with more flash is named together with its rival of as much flash."""
    reference = comparison.reference
    costs = {run.label: cost_of(run.report) for run in comparison.runs}
    written = [run for run in comparison.runs if costs[run.label] is not None]
    if not written:
        return Verdict("none", "The host wrote nothing, so no drive wore")
    short = [run for run in written if run.report.too_short is not None]
    if short:
        drives = "" if len(short) == len(comparison.runs) else f" of {listed([run.label for run in short])}"
        reasons = short[0].report.too_short or {}
        because = reasons["because"][0]
        loops = reasons["loops_needed"]
        remedy = f"; {format_count(loops)} loops, or loops until steady, would tell" if loops else ""
        return Verdict("too-short", f"Too short to tell the wear{drives}: {because}{remedy}")
    if len(comparison.runs) == 1:
        cost = costs[reference.label] or 0.0
        return Verdict("single", f"{reference.label} erases {format_number(cost)} bytes of flash for each byte written")
    best = min(written, key=lambda run: costs[run.label] or 0.0)
    if best is reference or costs[reference.label] is None:
        return Verdict("none", _reference_wears_least(written, comparison))
    ratio = difference(best, reference, comparison)
    if ratio is None:
        return Verdict("none", _no_difference(best, comparison))
    return Verdict(
        "winner",
        f"{best.label} erases {_change(ratio, comparison, _COST)} {_beside(best, comparison)}",
        best,
    )


def difference(run: Run, other: Run, comparison: Comparison) -> Interval | None:
    """The flash erased of `run` over that of `other`; `None` for no difference."""
    ratio = comparison.ratio(run, other, cost_of)
    if ratio is None or (ratio.holds(1.0) if comparison.repeats > 1 else abs(ratio.mean - 1) <= _EVEN):
        return None
    return ratio


def versus_rival(run: Run, comparison: Comparison) -> str:
    """How a drive with more flash than the reference does against its rival of as much flash; else empty."""
    reference = comparison.reference
    flash, base = _flash(run.report), _flash(reference.report)
    if flash <= base * (1 + _LIKE):
        return ""
    rival = rival_of(run, comparison)
    if rival is None:
        return "no drive with as much flash was compared"
    ratio = difference(run, rival, comparison)
    if ratio is None:
        return f"as much as {rival.label} with as much flash"
    return f"{_change(ratio, comparison)} {rival.label} with as much flash"


def spare_of(run: Run, comparison: Comparison) -> str:
    """How a drive of as much flash differs from the reference in what cleaning works with, and what would equal it.

    Where a code takes the difference, more spare space would make the flash unequal.

    Empty where the two have as much, or where one has more flash for a byte exported.
    """
    shares = _differing_spare(run, comparison)
    if shares is None:
        return ""
    spare, other = shares
    change = change_in_words(spare / other)
    label = comparison.reference.label
    beside = f"{format_share(spare)} of what is exported beside {format_share(other)}"
    equal = (
        "its code takes the rest"
        if (run.report["code_expansion"] or 1) > 1
        else f"ftl.over_provisioning={_over_provisioning_for(run.report, other):.4g} gives it as much"
    )
    return f"{change} {label} in spare flash for cleaning: {beside}; {equal}"


def _over_provisioning_for(report: Report, spare: float) -> float:
    """The `ftl.over_provisioning` with which this drive's flash keeps `spare` bytes for cleaning per byte exported."""
    derived = report.derived
    reserved = float(derived["reserved_units_per_pool"] * derived["pools"] * derived["logical_pages_per_erase_unit"])
    usable = float(derived["slots"])
    return usable * (1 + spare) / (usable - reserved) - 1


def _differing_spare(run: Run, comparison: Comparison) -> tuple[float, float] | None:
    """Spare flash for cleaning over what is exported, of a drive and of the reference.

    `None` where they have as much, or where one has more flash for a byte exported.
    """
    report, base = run.report, comparison.reference.report
    if abs(_flash(report) / _flash(base) - 1) > _LIKE:
        return None
    spare, other = (
        (each.figure("cleaning_spare_bytes") or 0) / each.derived["exported_bytes"] for each in (report, base)
    )
    return None if not other or abs(spare / other - 1) <= _LIKE else (spare, other)


def _reference_wears_least(written: list[Run], comparison: Comparison) -> str:
    """That no drive beats the reference; of a single rival also by how much it wears more, and on what flash."""
    reference = comparison.reference
    rivals = [run for run in written if run is not reference]
    if len(rivals) != 1 or len(comparison.runs) != 2:
        return f"No drive erases less flash for a byte written than {reference.label}"
    (rival,) = rivals
    ratio = difference(rival, reference, comparison)
    if ratio is None:
        return _no_difference(rival, comparison)
    shares = _differing_spare(rival, comparison)
    spare = "" if shares is None else f", with {_amount_of(shares[0] / shares[1])} spare flash"
    return f"{rival.label} erases {_change(ratio, comparison, _COST)} {reference.label}{spare}"


def _no_difference(run: Run, comparison: Comparison) -> str:
    """That a drive wears as the reference does, or that so few seeds cannot tell whether it does."""
    reference = comparison.reference
    ratio = comparison.ratio(run, reference, cost_of)
    if ratio is not None and abs(ratio.mean - 1) > _LIKE:
        return (
            f"No difference in flash erased for a byte written that {comparison.repeats} seeds can tell: "
            f"{run.label} has {_amount_of(ratio.mean)} than {reference.label}, but seeds differ by more"
        )
    return f"No difference: {run.label} erases as much flash for a byte written as {reference.label}"


def _beside(best: Run, comparison: Comparison) -> str:
    reference = comparison.reference
    rival = versus_rival(best, comparison)
    if not rival:
        return reference.label
    times = _flash(best.report) / _flash(reference.report)
    return f"{reference.label}, on {format_ratio(times, 1)} the flash ({rival})"


def _amount_of(ratio: float) -> str:
    """`12% less`, `3.5× as much`."""
    return change_in_words(ratio).removesuffix(" than").removesuffix(" as")


_COST = "flash for a byte written"


def _change(ratio: Interval, comparison: Comparison, of: str = "") -> str:
    """`35% less of than`, `3.5× as much of as`, with the interval where runs were repeated."""
    number, *much, than = change_in_words(ratio.mean).split(" ")
    bounds = [f"(± {format_number(ratio.half_width * 100, 2)} points)"] if comparison.repeats > 1 else []
    return " ".join([number, *bounds, *much, *([of] if of else []), than])
