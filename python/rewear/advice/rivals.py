"""What is tried: the techniques with their settings, from a file, and which of them a chip and a workload rule out."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from rewear.advice.chips import Chip
from rewear.advice.traits import Traits
from rewear.core.toml_text import merged

TOGETHER = " + "
"""Between the names of what a combination is made of."""
AXES = ("recycle", "reuse", "effort", "streams")
"""Questions whose answers can be combined; the last is where writes go, which every drive may ask."""
_MOST_SPARE = 0.3
"""Share of spare space beside a code above which a sparser one of `rates` erases less, on all workloads of
docs/notebook/coset.md but the most skewed."""


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
    one_bit: bool = False
    """Whether all cells hold one bit each."""
    code: bool = False
    """Whether it pays with flash."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A technique that is not tried, and why."""

    technique: str
    reason: str
    need: str | None = None
    """What the workload lacks, if that alone is the reason; a key of `needs`."""
    needs_flash: bool = False
    """Whether it only lacks flash, so that it belongs to the table with more of it."""


_CELLS = {1: "SLC", 2: "MLC", 3: "TLC", 4: "QLC"}


def needs() -> dict[str, dict[str, str]]:
    """What techniques may need of a workload, by name.

    `reason` is said where it is missing. `workload` has it: the one on which the technique was published where there is
    one, with `{pages}`.
    """
    found: dict[str, dict[str, str]] = _data()["needs"]
    return found


def _data() -> dict[str, Any]:
    return tomllib.loads(files("rewear.advice").joinpath("rivals.toml").read_text(encoding="utf-8"))


def candidates(chip: Chip, traits: Traits) -> tuple[list[Rival], list[Excluded]]:
    """The rivals for `chip` and a workload, and the techniques without one."""
    data, lacking = _data(), needs()
    tried: list[Rival] = []
    reasons: dict[str, Excluded] = {}
    bits: dict[str, set[int]] = {entry["technique"]: set() for entry in data["rival"]}
    for entry in data["rival"]:
        bits[entry["technique"]] |= set(entry.get("bits", _CELLS))
    for entry in data["rival"]:
        technique, need = entry["technique"], entry.get("needs")
        if chip.bits_per_cell not in bits[technique]:
            wanted = " or ".join(_CELLS[number] for number in sorted(bits[technique]))
            reason = f"It needs {wanted} flash, and {chip.name} is {_CELLS[chip.bits_per_cell]}."
            if need is not None and not traits.has(need):
                reason += f" {lacking[need]['reason']}"
            reasons[technique] = Excluded(technique, reason)
        elif need is not None and not traits.has(need):
            reasons[technique] = Excluded(technique, lacking[need]["reason"], need)
        elif chip.bits_per_cell in entry.get("bits", _CELLS):
            settings = entry.get("set", {})
            scheme = settings.get("effort", {}).get("scheme")
            if scheme in chip.effort:
                settings = merged(settings, {"effort": chip.effort[scheme]})
            if "slc_cache" in settings.get("ftl", {}):
                pool = {key: value for key, value in chip.one_bit.items() if key != "source"}
                settings = merged(settings, {"ftl": {"slc_cache": pool}})
            tried += _settings_of(entry, settings)
    return tried, list(reasons.values())


def _settings_of(entry: dict[str, Any], settings: dict[str, Any]) -> list[Rival]:
    """The rivals of an entry: one, or one of each rate."""
    source, short = entry.get("source", ""), entry.get("short", entry["label"])
    found = []
    for rate in entry.get("rates", [None]):
        of_rate = settings if rate is None else merged(settings, {"reuse": {"rate": rate}})
        label, brief = (text.format(rate=rate) for text in (entry["label"], short))
        kinds = (bool(entry.get(kind)) for kind in ("one_bit", "code"))
        found.append(Rival(label, entry["technique"], entry["axis"], of_rate, source, brief, *kinds))
    return found


def suited(rivals: Sequence[Rival], flash_ratio: float) -> list[Rival]:
    """The rivals without codes of a rate that leave more spare space than a sparser one would use.

    Args:
        rivals: All of them.
        flash_ratio: Flash over capacity.
    """
    return [
        rival for rival in rivals
        if flash_ratio * (rival.set.get("reuse", {}).get("rate") or 0.0) <= 1 + _MOST_SPARE
    ]  # fmt: skip


def combinations(best: Sequence[Rival]) -> list[Rival]:
    """What the best of all axes are together: without the axis reuse, with its best code, and with its best other.

    Codes and second writes have different prices. Of other axes the first counts.
    """
    options = [[rival for rival in best if rival.axis == axis] for axis in AXES if axis != "reuse"]
    others = [rivals[0] for rivals in options if rivals]
    reuse = {rival.code: rival for rival in reversed(best) if rival.axis == "reuse"}
    chosen = [others, *([*others, rival] for rival in best if rival in reuse.values())]
    return [_together(sorted(group, key=lambda rival: AXES.index(rival.axis))) for group in chosen if len(group) > 1]


def _together(parts: Sequence[Rival]) -> Rival:
    settings: dict[str, Any] = {}
    for part in parts:
        settings = merged(settings, part.set)
    return Rival(
        TOGETHER.join(part.short for part in parts),
        TOGETHER.join(part.technique for part in parts),
        "combination",
        settings,
        "; ".join(dict.fromkeys(part.source for part in parts if part.source)),
    )
