"""Replays a workload on drives as they are sold and on the papers' techniques, and puts the answer together."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewear.advice.advice import Advice
from rewear.advice.asked import Asked
from rewear.advice.chips import Chip
from rewear.advice.chips import chip as chip_called
from rewear.advice.decided import page_rate, random_writes
from rewear.advice.elsewhere import elsewhere
from rewear.advice.enough import doubt, refusal, years_refusal
from rewear.advice.host import measures
from rewear.advice.notes import notes_of
from rewear.advice.plan import Plan, make_plan
from rewear.advice.rivals import candidates, suited
from rewear.advice.row import MOST_RESPONSE_NS, Row
from rewear.advice.sizing import UNITS, DoesNotFitError, flash_layout
from rewear.advice.sold import Class, classes, row_of
from rewear.advice.study import Table, sized_by_label, study, winners
from rewear.advice.traits import traits_of
from rewear.core.bench import Say
from rewear.core.drive import Source
from rewear.core.errors import ConfigurationError
from rewear.core.progress import Progress
from rewear.core.report import Report
from rewear.core.toml_text import merged
from rewear.core.trace import Trace
from rewear.core.whole import whole_number
from rewear.core.workload import Region, Workload
from rewear.figures.units import parse_bytes

CAPACITY = "1TB"
CHIP = "mlc"
"""The one chip on which all five techniques run."""
YEARS = 5.0
"""What data sheets promise."""
_WORKLOAD_BYTES = 1024**3
"""Size of a made-up workload that has none of its own."""
_EQUAL_FLASH = 1.07
"""Flash over capacity of a client drive as sold."""
_MORE_FLASH = {"28% spare": 1.28, "more flash": 2.14}
"""The same for codes: what dense ones need, and twice the capacity and 7% on top, as WOM-v(2,4) needs it."""

_RANDOM: dict[str, Report] = {}
"""Reports of random writes by the drive's description, which are the same for every recording."""


def advise(
    source: Source | str | Path,
    *,
    capacity: int | str = CAPACITY,
    chip: str = CHIP,
    years: float = YEARS,
    cycles: int | None = None,
    techniques: bool = True,
    jobs: int | None = None,
    progress: Say | None = None,
) -> Advice:
    """Finds out which drive to buy for a workload, how long it lives, and whether a technique would help.

    Examples:
        >>> import rewear
        >>> advice = rewear.advise(rewear.Workload("zipf:requests=20000,pages=8000"), techniques=False)
        >>> [row.label for row in advice.sold][:2]
        ['client QLC', 'client TLC']

    Args:
        source: A `Trace`, a `Workload`, or the path of a trace.
        capacity: What the drives export, in bytes or as text such as `"1TB"`. They are replayed at the size of the
            workload; bytes and years are scaled.
        chip: The flash of the techniques, one of `rewear.advice.chips()`.
        years: How long the drive to buy is to live at least.
        cycles: P/E cycles of the drives on sale, instead of the ranges that are published.
        techniques: Whether to replay what firmware could do, too, which takes most of the time.
        jobs: Replays at a time, on threads that do not wait for each other; the number of cores unless given.
        progress: Called with a label and a `Progress`; an exception that it raises stops all.

    Raises:
        ConfigurationError: There is no such chip, or the drive does not hold the workload, or nothing is written.
        RewearError: Whatever `Drive.replay` raises.
    """
    taken = chip_called(chip)
    exported = parse_bytes("capacity", capacity) if isinstance(capacity, str) else capacity
    if cycles is not None:
        cycles = whole_number("cycles =", cycles, 1, 10**7)
    if not 0 < years <= 100:
        raise ConfigurationError(f"years = {years}: give more than 0 and at most 100.")
    if isinstance(source, str | Path):
        source = Trace(source)
    if isinstance(source, Workload) and source.region is None:
        source = source.on_region(Region(min(exported, _WORKLOAD_BYTES) // 4096, 4096, 1))

    def read(state: Progress) -> object:
        return None if progress is None else progress("reading", state)

    if isinstance(source, Trace):
        # All drives replay the same; what is wrong with it is said by who counts it.
        source = source._kept(read)
    traits = traits_of(source, read)
    if not traits.pages_written:
        raise ConfigurationError(f"{traits.name} writes nothing, so it wears no drive.")
    plan = make_plan(traits, exported)
    unknown = None if isinstance(source, Workload) else years_refusal(traits)
    rate = None if unknown or isinstance(source, Workload) else traits.bytes_per_second
    if isinstance(source, Workload):
        unknown = "How many years cannot be said: a made-up workload has no rate."
    asked, sold = Asked(source, traits, rate, jobs, progress), classes(exported, cycles)
    why, doubted = refusal(traits), doubt(traits)
    if why is not None:
        return Advice(traits, plan, years, why, worst=() if rate is None else _worst(asked, sold, plan))
    writers = source.who_writes() if isinstance(source, Trace) else None
    advice = _sold(Advice(traits, plan, years, None, unknown, doubted, writers=writers), asked, sold)
    if doubted and advice.best is not None:
        labels = [row.label for row in advice.sold if row.cells_per_byte >= advice.best.cells_per_byte]
        able = [each for each in sold if each.rival.label in labels]
        advice = replace(advice, worst=_worst(asked, able, plan))
    if not techniques:
        return advice
    mapped = make_plan(traits, exported, taken.page_bytes)
    equal = study("equal flash", asked, taken, mapped, _EQUAL_FLASH)
    advice = replace(advice, equal=equal, more=_more(asked, taken, mapped, equal))
    improved = _improved(advice, asked, sold, equal)
    shown = elsewhere(equal.excluded, asked, taken, max(_MORE_FLASH.values()))
    return replace(advice, improved=improved, elsewhere=tuple(shown))


def _sold(advice: Advice, asked: Asked, sold: list[Class]) -> Advice:
    """The drives on sale, each also with half as many units, which says how far its size lets it be off."""
    traits, capacity = advice.traits, advice.plan.capacity_bytes
    plans = {each.page_bytes: make_plan(traits, capacity, each.page_bytes) for each in sold}
    answers: dict[str, Report] = {}
    if traits.duration_ns is not None and not traits.made_up:
        named = {each.rival.label: each.responding(2 * plans[each.page_bytes].exported_bytes) for each in sold}
        options: dict[str, Any] = {
            "precondition": "fill",
            "arrival": "trace",
            "fit": advice.plan.fit,
            "max_requests": advice.plan.max_requests,
        }
        answers = asked.replayed(list(named.items()), **options)
        late = {label for label, report in answers.items() if (report.mean_response_ns or 0.0) > MOST_RESPONSE_NS}
        sold = [replace(each, late=each.rival.label in late) for each in sold]
    rows: list[Row] = []
    for (page_bytes, how), group in itertools.groupby(
        sorted(sold, key=lambda each: (each.page_bytes, *sorted(each.how))), lambda each: (each.page_bytes, each.how)
    ):
        plan, alike = plans[page_bytes], list(group)
        sized = {each.rival.label: each.sized(plan) for each in alike}
        fewer = {f"{each.rival.label}, fewer units": each.sized(plan, units=UNITS // 2) for each in alike}
        found = asked.until_steady([*sized.items(), *fewer.items()], plan, **how)
        for each in alike:
            label = each.rival.label
            other = found[f"{label}, fewer units"]
            rows.append(
                row_of(each, sized[label], found[label], plan, asked.bytes_per_second, other, answers.get(label))
            )
    advice = replace(advice, sold=tuple(sorted(rows, key=lambda row: row.cells_per_byte)))
    best = advice.best or advice.sold[0]
    by_label = {each.rival.label: each for each in sold}
    ordered = [best, *(row for row in advice.sold if row is not best)]
    known = [(each := by_label[row.label], row, plans[each.page_bytes]) for row in ordered]
    host = measures(asked, known, advice.writers)
    return replace(advice, measures=tuple(host), notes=tuple(notes_of(advice)))


def _worst(asked: Asked, sold: list[Class], whole: Plan) -> tuple[Row, ...]:
    """Drives on sale, full, with the recorded pages a second written at random; the fewest cells first."""
    source = random_writes()
    random = replace(asked, source=source, traits=traits_of(source), bytes_per_second=page_rate(asked.traits))
    rows = []
    for each in sold:
        plan = make_plan(random.traits, whole.capacity_bytes, each.page_bytes)
        sized = each.sized(plan)
        if sized.toml not in _RANDOM:
            named = [(f"{each.rival.label}, random writes", sized)]
            (_RANDOM[sized.toml],) = random.until_steady(named, plan, **each.how).values()
        rows.append(row_of(each, sized, _RANDOM[sized.toml], plan, random.bytes_per_second))
    return tuple(sorted(rows, key=lambda row: row.cells_per_byte))


def _improved(advice: Advice, asked: Asked, sold: list[Class], equal: Table) -> tuple[Row, ...]:
    """The drives on sale with what helped in the equal table and works on any cells: streams and recycling.

    Where it is known which drive to buy, those that are dearer are left out: nobody buys them for a longer life.
    """
    parts = [rival for axis, rival in winners(equal).items() if axis in ("recycle", "streams")]
    if not parts:
        return ()
    settings: dict[str, Any] = {}
    for part in parts:
        settings = merged(settings, part.set)
    rows = []
    for each in sold:
        before = next(row for row in advice.sold if row.label == each.rival.label)
        if advice.best is not None and before.cells_per_byte > advice.best.cells_per_byte:
            continue
        timed = replace(each, late=not before.follows)
        plan = make_plan(advice.traits, advice.plan.capacity_bytes, each.page_bytes)
        try:
            sized = each.sized(plan, settings)
        except DoesNotFitError:
            continue
        report = asked.until_steady([(each.rival.label, sized)], plan, **timed.how)[each.rival.label]
        row = row_of(each, sized, report, plan, before.bytes_per_second)
        label = " + ".join([each.rival.label, *(part.short for part in parts)])
        rows.append(replace(row, rival=replace(row.rival, label=label), error=before.error, carried=before.carried))
    return tuple(rows)


def _more(asked: Asked, taken: Chip, plan: Plan, equal: Table) -> tuple[Table, ...]:
    """The techniques that only lack flash, with what helped in the equal table, as more flash lets them work."""
    lacking = {each.technique for each in equal.excluded if each.needs_flash}
    helped = {rival.label for axis, rival in winners(equal).items() if axis not in ("plain", "reuse", "combination")}
    arrival = None if asked.traits.made_up else equal.arrival
    only = [
        rival for rival in candidates(taken, asked.traits)[0]
        if rival.technique in lacking or rival.axis == "plain" or rival.label in helped
    ]  # fmt: skip
    tables = []
    for name, ratio in _MORE_FLASH.items():
        flash = flash_layout(taken, plan.exported_bytes * ratio)
        fits, _ = sized_by_label(asked, taken, suited(only, ratio), flash, plan)
        if any(rival.label in fits for rival in only if rival.technique in lacking):
            tables.append(study(name, asked, taken, plan, ratio, only=only, arrival=arrival))
    return tuple(tables)
