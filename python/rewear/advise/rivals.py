"""What is tried: the techniques with their settings, from a file, and which of them a chip and a workload rule out."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from rewear.advise.chips import Chip
from rewear.advise.toml_text import merged
from rewear.advise.traits import Traits

__all__ = ["Excluded", "Rival", "candidates", "combinations"]

AXES = ("recycle", "reuse", "effort", "streams")
"""Questions whose answers can be combined; the last is where writes go, which every drive may ask."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A way to build the drive."""

    label: str
    """What the drive is called in tables."""
    technique: str
    """Of the rivals of one technique the best goes on; a combination names its parts."""
    axis: str
    """One of `AXES`, `plain`, or `combination`."""
    set: dict[str, Any] = field(default_factory=dict)
    """Tables of the drive beside those of the flash."""
    source: str = ""
    """Who described it."""
    short: str = ""
    """What a combination calls it."""
    flash_share: float = 1.0
    """Part of the flash that it takes."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A technique that is not tried, and why."""

    technique: str
    reason: str


_NEEDS = {
    "content": "The trace does not tell what is written, so no content can be seen to return.",
    "overwrites": "No request is marked as an overwrite that only clears bits.",
}
_CELLS = {1: "SLC", 2: "MLC", 3: "TLC", 4: "QLC"}


def candidates(chip: Chip, traits: Traits) -> tuple[list[Rival], list[Excluded]]:
    """The rivals that can work on `chip` under a workload, and the techniques of which none can."""
    data = tomllib.loads(files("rewear.advise").joinpath("rivals.toml").read_text(encoding="utf-8"))
    tried: list[Rival] = []
    reasons: dict[str, str] = {}
    bits: dict[str, set[int]] = {entry["technique"]: set() for entry in data["rival"]}
    for entry in data["rival"]:
        bits[entry["technique"]] |= set(entry.get("bits", _CELLS))
    for entry in data["rival"]:
        technique, need = entry["technique"], entry.get("needs")
        if chip.bits_per_cell not in bits[technique]:
            wanted = " or ".join(_CELLS[number] for number in sorted(bits[technique]))
            reasons[technique] = f"It needs {wanted} flash, and {chip.name} is {_CELLS[chip.bits_per_cell]}."
            if need is not None and not traits.has(need):
                reasons[technique] += f" {_NEEDS[need]}"
        elif need is not None and not traits.has(need):
            reasons[technique] = _NEEDS[need]
        elif chip.bits_per_cell in entry.get("bits", _CELLS):
            settings = entry.get("set", {})
            scheme = settings.get("effort", {}).get("scheme")
            if scheme in chip.effort:
                settings = merged(settings, {"effort": chip.effort[scheme]})
            label = entry["label"]
            tried.append(
                Rival(label, technique, entry["axis"], settings, entry.get("source", ""), entry.get("short", label))
            )
    return tried, [Excluded(technique, reason) for technique, reason in reasons.items()]


def combinations(best: Sequence[Rival]) -> list[Rival]:
    """The best of each axis with the best of each other, and all of them together."""
    by_axis = {axis: next((rival for rival in best if rival.axis == axis), None) for axis in AXES}
    present = [rival for rival in by_axis.values() if rival is not None]
    pairs = [[a, b] for position, a in enumerate(present) for b in present[position + 1 :]]
    groups = [*pairs, *([present] if len(present) > 2 else [])]
    return [_together(group) for group in groups]


def _together(parts: Sequence[Rival]) -> Rival:
    settings: dict[str, Any] = {}
    for part in parts:
        settings = merged(settings, part.set)
    return Rival(
        " + ".join(part.short for part in parts),
        " + ".join(part.technique for part in parts),
        "combination",
        settings,
        "; ".join(dict.fromkeys(part.source for part in parts if part.source)),
    )
