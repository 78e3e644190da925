"""What firmware could do: the techniques of the papers, on a chip of theirs, all with the same flash and capacity."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewear.advice.asked import Asked
from rewear.advice.chips import Chip
from rewear.advice.plan import Plan
from rewear.advice.rivals import TOGETHER, Excluded, Rival, candidates, combinations, suited
from rewear.advice.row import MOST_RESPONSE_NS, Row
from rewear.advice.sizing import DoesNotFitError, Sized, drive_for, flash_layout
from rewear.advice.sold import QUEUE_DEPTH
from rewear.core.drive import Source
from rewear.core.errors import ReplayError, TraceError
from rewear.core.report import Report
from rewear.figures.units import format_bytes

HELPS = 1.01
"""Life, or response, from which a technique helps: a hundredth is within what a replay can tell."""

_TRIAL_ERROR = 0.1
"""Part of a life by which a short trial may be off: settings that are nearer to the best are replayed whole, too.

The largest error that was seen: one setting of WOM-v on a recorded day (docs/notebook/advice.md).
"""


@dataclass(frozen=True, slots=True)
class Table:
    """Drives of the same chip, flash and capacity: the plain one, and the techniques."""

    name: str
    """What the table is called."""
    chip: str
    flash_ratio: float
    """Flash over capacity, the same for all."""
    arrival: str
    """`trace`, or `closed` with `QUEUE_DEPTH` requests in flight."""
    rows: tuple[Row, ...]
    """The best setting of each technique and what they are together, the longest life first."""
    excluded: tuple[Excluded, ...]

    @property
    def plain(self) -> Row:
        """The drive without a technique."""
        return next(row for row in self.rows if row.rival.technique == "plain")

    @property
    def best(self) -> Row:
        """The longest life, among even ones the quickest."""
        return self.rows[0]

    def gain(self, row: Row) -> float | None:
        """The life over the plain drive's, if both erased flash and were steady."""
        return row.life_over(self.plain)

    def times(self, row: Row, figure: str) -> float | None:
        """A figure of the row over the plain drive's: `mean_response_ns`, `energy_j_per_byte`."""
        value, base = getattr(row, figure), getattr(self.plain, figure)
        return value / base if value is not None and base else None

    def to_dict(self) -> dict[str, Any]:
        """Rows with their ratios to the plain drive, as plain data."""
        return {
            "chip": self.chip,
            "flash_over_capacity": self.flash_ratio,
            "arrival": self.arrival,
            "drives": [
                {
                    **row.to_dict(),
                    "life_over_plain": self.gain(row),
                    "response_over_plain": self.times(row, "mean_response_ns"),
                    "energy_over_plain": self.times(row, "energy_j_per_byte"),
                }
                for row in self.rows
            ],
            "excluded": [{"technique": each.technique, "reason": each.reason} for each in self.excluded],
        }


def hits_of(report: Report) -> int:
    """Writes that were answered by what lies on the flash."""
    return int(report["writes_recycled"]) + int(report["writes_deduplicated"])


def study(
    name: str,
    asked: Asked,
    chip: Chip,
    plan: Plan,
    ratio: float,
    *,
    only: Sequence[Rival] | None = None,
    arrival: str | None = None,
) -> Table:
    """Replays the workload on the plain drive, on each technique with its settings, and on what helps, together.

    `only` are the rivals to try instead of all, the plain drive first.
    """
    rivals, excluded = candidates(chip, asked.traits)
    if only is not None:
        rivals, excluded = list(only), []
    rivals = suited(rivals, ratio)
    flash_bytes = plan.exported_bytes * ratio
    flash = flash_layout(chip, flash_bytes)
    sized, too_large = sized_by_label(asked, chip, rivals, flash, plan)
    rivals = [rival for rival in rivals if rival.label in sized]
    plain, *others = rivals
    how = arrival or ("trace" if asked.traits.duration_ns else None if asked.traits.made_up else "closed")

    def replay(chosen: Sequence[Rival], most: Mapping[str, int] | None = None, **more: Any) -> dict[str, Report]:
        arrives = {} if how is None else {"arrival": how, "queue_depth": QUEUE_DEPTH}
        named = [(rival.label, sized[rival.label]) for rival in chosen]
        return asked.until_steady(named, plan, most, **arrives, **more)

    def row(rival: Rival, report: Report) -> Row:
        return Row(rival, sized[rival.label], report, plan.capacity_bytes * ratio, asked.bytes_per_second)

    reports = replay([plain])
    if how == "trace" and (reports[plain.label].mean_response_ns or 0.0) > MOST_RESPONSE_NS:
        how = "closed"
        reports = replay([plain])
    several = _costly_choices(others)
    tried = replay(several, **plan.trial(flash_bytes))
    behind = _far_behind([row(rival, tried[rival.label]) for rival in several])
    others = [rival for rival in others if rival.label not in behind]
    reports |= replay(others)
    idle = [rival for rival in others if rival.axis == "recycle" and not hits_of(reports[rival.label])]
    excluded += [
        Excluded(name, "One pass over the recording writes no content that lies on the drive.")
        for name in dict.fromkeys(rival.technique for rival in idle)
    ]
    base = row(plain, reports[plain.label])
    best = _best_of_each([row(rival, reports[rival.label]) for rival in others if rival not in idle])
    helping = [each for each in best if _helps(each, base)]
    # Of reuse the longest life counts, of other axes the order of the file.
    ranked = sorted(
        helping, key=lambda each: _order(each) if each.rival.axis == "reuse" else (False, False, -math.inf, 0.0)
    )
    together = combinations([each.rival for each in ranked])
    more, _ = sized_by_label(asked, chip, together, flash, plan)
    together = [rival for rival in together if rival.label in more]
    sized |= more
    # As many passes as its parts, so that what changes no life does not seem to; codes take many to the same end.
    passes = max(int(each.report["replay"]["passes"]) for each in (base, *helping) if each.rival.axis != "reuse")
    reports |= replay(
        together,
        {rival.label: plan.most_requests(flash_bytes, _foretold(rival, helping, base), passes) for rival in together},
    )
    rows = sorted([base, *best, *(row(rival, reports[rival.label]) for rival in together)], key=_order)
    used = str(reports[plain.label]["replay"]["arrival_used"])
    return Table(name, chip.name, ratio, used, tuple(rows), (*excluded, *too_large))


def sized_by_label(
    asked: Asked, chip: Chip, rivals: Sequence[Rival], flash: dict[str, Any], plan: Plan
) -> tuple[dict[str, Sized], list[Excluded]]:
    """The drives by label, and the techniques without a setting that fits the flash."""
    sized: dict[str, Sized] = {}
    reasons: dict[str, str] = {}
    origin = f"Made by rewear advise for {asked.traits.name}; flash: preset {chip.preset}, scaled."
    for number, rival in enumerate(rivals, 1):
        try:
            made = drive_for(rival, chip, flash, plan.exported_bytes, f"advice-{number}", origin)
            _check_footprint(asked.source, chip, made, plan)
            sized[rival.label] = made
        except DoesNotFitError as error:
            reason = f"{rival.label} {error}; {format_bytes(plan.exported_bytes)} and spare space are wanted."
            reasons.setdefault(rival.technique, reason)
    fitting = {rival.technique for rival in rivals if rival.label in sized}
    return sized, [Excluded(name, reason, needs_flash=True) for name, reason in reasons.items() if name not in fitting]


def _check_footprint(source: Source, chip: Chip, made: Sized, plan: Plan) -> None:
    """Raises where pages that the workload touches sparsely fill more of a drive that maps larger ones.

    Raises:
        DoesNotFitError: They do not fit.
    """
    mapped = made.drive.logical_page_bytes
    if plan.fit is None or mapped <= chip.page_bytes:
        return
    try:
        # Numbering the pages comes before the first request.
        made.drive.replay(source, fit=plan.fit, precondition="none", max_requests=1)
    except (ReplayError, TraceError):
        raise DoesNotFitError(
            f"maps {format_bytes(mapped)} at a time, and the workload touches more such units than the drive exports"
        ) from None


def _costly_choices(rivals: Sequence[Rival]) -> list[Rival]:
    """The rivals of techniques with several settings, each long to replay.

    Effort schemes are as quick as the plain drive, and what tells them apart, the response, a short replay does not
    tell.
    """
    count = Counter(rival.technique for rival in rivals)
    return [rival for rival in rivals if count[rival.technique] > 1 and rival.axis != "effort"]


def _far_behind(tried: Sequence[Row]) -> set[str]:
    """The labels of settings that live clearly shorter in a trial than the best of their technique."""
    best: dict[str, float] = {}
    for row in tried:
        best[row.rival.technique] = max(best.get(row.rival.technique, 0.0), _life(row))
    return {row.label for row in tried if _life(row) < (1 - _TRIAL_ERROR) * best[row.rival.technique]}


def _life(row: Row) -> float:
    return 0.0 if row.tbw is None else row.tbw.mean


def _best_of_each(rows: Sequence[Row]) -> list[Row]:
    """Of every technique the setting that lives longest, of effort the quickest."""
    best: dict[str, Row] = {}
    for row in rows:
        other = best.get(row.rival.technique)
        if other is None or _order(row) < _order(other):
            best[row.rival.technique] = row
    return list(best.values())


def _foretold(rival: Rival, parts: Sequence[Row], plain: Row) -> float:
    """What a combination erases for a byte, if its parts spare erases one after the other."""
    names = rival.technique.split(TOGETHER)
    spared = [row.erased_per_byte / plain.erased_per_byte for row in parts if row.rival.technique in names]
    return plain.erased_per_byte * math.prod(spared)


def _order(row: Row) -> tuple[bool, bool, float, float]:
    """The longest life first, among those even within a hundredth the quickest.

    Last what ended early, was not steady or never wore.
    """
    life = round(math.log(row.tbw.mean) / math.log(HELPS)) if row.tbw is not None else -math.inf
    return not row.report.complete, not row.steady, -life, row.mean_response_ns or 0.0


def _helps(row: Row, plain: Row) -> bool:
    """Whether a technique is worth combining: it lives longer, or (of effort) answers sooner."""
    if row.rival.axis == "effort":
        return (row.mean_response_ns or 0.0) * HELPS < (plain.mean_response_ns or 0.0)
    return (row.life_over(plain) or 0.0) > HELPS


def winners(table: Table) -> Mapping[str, Rival]:
    """The single techniques that helped, by axis."""
    return {row.rival.axis: row.rival for row in reversed(table.rows) if _helps(row, table.plain)}
