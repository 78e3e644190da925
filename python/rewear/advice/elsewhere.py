"""A technique that a workload gives nothing to work on, on the workload that it was made for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.asked import Asked
from rewear.advice.chips import Chip
from rewear.advice.plan import Plan
from rewear.advice.rivals import Excluded, candidates, needs
from rewear.advice.row import Row
from rewear.advice.study import Table, study
from rewear.core.workload import Region, Workload

_EXPORTED_BYTES = 256 * 1024**2
"""Capacity of the drives: small, so that a trial takes a second or two."""
_REQUESTS = 500_000


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a technique does where it has something to work on."""

    technique: str
    reason: str
    """Reason why it does not fit the requested workload."""
    workload: str
    table: Table
    """The plain drive and the settings of the technique there, with the same flash."""

    @property
    def row(self) -> Row:
        """The setting that lives longest there."""
        return next(row for row in self.table.rows if row.rival.technique == self.technique)

    def to_dict(self) -> dict[str, Any]:
        """Workload, reason and the drives, as plain data."""
        return {
            "technique": self.technique,
            "reason": self.reason,
            "workload": self.workload,
            **self.table.to_dict(),
        }


def elsewhere(excluded: Sequence[Excluded], asked: Asked, chip: Chip, ratio: float) -> list[Elsewhere]:
    """The techniques that the workload alone rules out; those that the chip rules out are left."""
    found = []
    for each in excluded:
        if each.need is None:
            continue
        rivals, _ = candidates(chip, replace(asked.traits, with_content=1, overwrites=1))
        only = [rival for rival in rivals if rival.technique in ("plain", each.technique)]
        exported = _EXPORTED_BYTES // chip.page_bytes * chip.page_bytes
        spec = needs()[each.need]["workload"].format(pages=exported // chip.page_bytes)
        source = Workload(spec).on_region(Region(exported // chip.page_bytes, chip.page_bytes, 1))
        plan = Plan(
            exported, exported, None, 1, 4 * _REQUESTS, _REQUESTS // 3, (),
            requests=_REQUESTS, written_bytes=_REQUESTS * chip.page_bytes,
        )  # fmt: skip
        untimed = replace(asked.traits, name=spec, duration_ns=None, made_up=True)
        there = replace(asked, source=source, traits=untimed, bytes_per_second=None)
        table = study("elsewhere", there, chip, plan, ratio, only=only, arrival="closed")
        if any(row.rival.technique == each.technique for row in table.rows):
            found.append(Elsewhere(each.technique, each.reason, spec, table))
    return found
