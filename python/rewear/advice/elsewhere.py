"""A technique that a workload gives nothing to work on, on the workload that it was made for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.advice import Row
from rewear.advice.chips import Chip
from rewear.advice.rivals import Excluded, Rival, candidates, needs
from rewear.advice.sizing import DoesNotFitError, Sized, drive_for, flash_layout
from rewear.advice.traits import Traits
from rewear.workload import Region, Workload

__all__ = ["Elsewhere", "Trial", "elsewhere", "trials"]

_EXPORTED_BYTES = 256 * 1024**2
"""Capacity of the drives: small, so that a trial takes a second or two, and a few hundred blocks of any chip."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Drives that replay one workload: the plain one first, then the settings of the technique."""

    excluded: Excluded
    source: Workload
    rivals: tuple[Rival, ...]
    sized: tuple[Sized, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a technique does where it has something to work on."""

    technique: str
    reason: str
    """Why it was not tried on the workload that was asked about."""
    workload: str
    row: Row
    """The setting that lives longest there."""
    plain: Row
    """The plain drive with the same flash there."""

    def ratio(self, key: str) -> float | None:
        """A figure of the technique over that of the plain drive."""
        value, base = self.row.mean(key), self.plain.mean(key)
        return value / base if value is not None and base else None

    def to_dict(self) -> dict[str, Any]:
        """Workload, reason and the two drives, as plain data."""
        return {
            "technique": self.technique,
            "reason": self.reason,
            "workload": self.workload,
            "drives": [self.row.to_dict(), self.plain.to_dict()],
        }


def trials(excluded: Sequence[Excluded], chip: Chip, traits: Traits, ratio: float) -> list[Trial]:
    """What to replay for the techniques that the workload alone rules out; those that the chip rules out are left."""
    found = []
    for each in excluded:
        if each.need is None:
            continue
        need = needs()[each.need]
        rivals, _ = candidates(chip, replace(traits, with_content=1, overwrites=1))
        chosen = [rival for rival in rivals if rival.technique in ("plain", each.technique)]
        exported = _EXPORTED_BYTES // chip.page_bytes * chip.page_bytes
        flash = flash_layout(chip, round(exported * ratio))
        pages = exported // chip.page_bytes
        spec = need.workload.format(pages=pages)
        source = Workload(spec).on_region(Region(pages, chip.page_bytes, 1))
        origin = f"Made by rewear advise for {spec}; flash: preset {chip.preset}, scaled."
        pairs = []
        for number, rival in enumerate(chosen, 1):
            try:
                pairs.append((rival, drive_for(rival, flash, exported, f"elsewhere-{number}", origin)))
            except DoesNotFitError:
                continue
        if len(pairs) > 1 and pairs[0][0].technique == "plain":
            found.append(Trial(each, source, *zip(*pairs, strict=True)))
    return found


def elsewhere(trial: Trial, row: Callable[[Rival, Sized], Row]) -> Elsewhere:
    """The outcome of a trial; `row` gives what came of a drive."""
    plain, *others = [row(rival, sized) for rival, sized in zip(trial.rivals, trial.sized, strict=True)]
    best = max(others, key=lambda each: each.mean("bytes_per_cycle") or 0.0)
    return Elsewhere(trial.excluded.technique, trial.excluded.reason, trial.source.spec, best, plain)
