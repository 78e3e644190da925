"""Drives of one size: the same flash and the same exported capacity for every rival."""

from dataclasses import dataclass
from typing import Any

from rewear.advice.chips import Chip
from rewear.advice.rivals import Rival
from rewear.drive import Drive
from rewear.errors import ConfigurationError
from rewear.toml_text import merged, to_toml
from rewear.units import format_bytes

__all__ = ["DoesNotFitError", "Sized", "drive_for", "flash_layout"]

# Enough blocks a plane that cleaning has a choice, and few enough that the model stays small.
_FEWEST_BLOCKS, _MOST_BLOCKS = 96, 4096
_FEWEST_PAGES = 32
_PLANES = 2
_LEAST_SPARE = 0.04
"""Share of spare space below which cleaning hardly makes headway."""
_SPREAD = 0.05
"""Part of the rated cycles by which wear levelling lets the most worn block exceed the least worn."""
_MOST_LOST = 64
"""Pages that a scheme may keep for itself."""


class DoesNotFitError(Exception):
    """The flash does not hold the capacity under this rival; the message says what it holds."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A drive of advice."""

    toml: str
    """Its description, which runs as it is."""
    drive: Drive
    usable_bytes: int
    """Data that its flash holds without spare space."""


def flash_layout(chip: Chip, flash_bytes: int) -> dict[str, Any]:
    """The table `flash` of a drive of about `flash_bytes`.

    Blocks are made smaller where a drive would have too few of them; channels and dies become more where a plane would
    have too many.

    Raises:
        ConfigurationError: The flash is too small for a drive.
    """
    flash = dict(chip.flash)
    channels, dies, planes = 4, 1, _PLANES
    pages, page_bytes = int(flash["pages_per_block"]), chip.page_bytes

    def blocks() -> int:
        return round(flash_bytes / (channels * dies * planes * pages * page_bytes))

    while blocks() < _FEWEST_BLOCKS and pages % 2 == 0 and pages // 2 >= _FEWEST_PAGES:
        pages //= 2
    while blocks() < _FEWEST_BLOCKS and channels > 1:
        channels //= 2
    while blocks() > _MOST_BLOCKS and channels * dies < 256:
        channels, dies = (channels * 2, dies) if channels < 16 else (channels, dies * 2)
    if blocks() < _FEWEST_BLOCKS // 4:
        least = _FEWEST_BLOCKS // 4 * channels * planes * pages * page_bytes
        raise ConfigurationError(
            f"{format_bytes(flash_bytes)} of {chip.name} are too little flash for a drive. Give at least "
            f"{format_bytes(least)}."
        )
    size = {"channels": channels, "dies_per_channel": dies, "planes_per_die": planes, "blocks_per_plane": blocks()}
    return {**flash, **size, "pages_per_block": pages}


def drive_for(rival: Rival, flash: dict[str, Any], exported_bytes: int, name: str, origin: str) -> Sized:
    """The drive of a rival that exports exactly `exported_bytes` (a multiple of the page).

    Raises:
        DoesNotFitError: The flash does not hold that much under this rival.
    """
    flash = {**flash, "blocks_per_plane": max(1, round(flash["blocks_per_plane"] * rival.flash_share))}
    # To begin with so much spare space that the open units of every policy fit.
    ftl: dict[str, Any] = {"over_provisioning": 1.0, "erase_unit": "block", "gc_threshold": 0.02}
    if cycles := (flash.get("life") or {}).get("cycles"):
        ftl["wear_levelling"] = {"scheme": "static", "spread": max(1, round(cycles * _SPREAD))}
    tables = merged({"name": name, "description": f"{rival.label}. {origin}", "flash": flash, "ftl": ftl}, rival.set)
    usable = _derived(Drive.from_toml(to_toml(tables), rival.label), "usable_bytes")
    page_bytes = int(flash["page_bytes"])
    slots, exported = usable // page_bytes, exported_bytes // page_bytes
    if slots < exported * (1 + _LEAST_SPARE):
        raise DoesNotFitError(f"holds {format_bytes(usable)} in this flash")
    for pages in range(exported, exported + _MOST_LOST):
        # Half a page more, so that rounding loses none; where the scheme keeps pages for itself, a few more.
        tables["ftl"]["over_provisioning"] = slots / (pages + 0.5) - 1
        text = to_toml(tables)
        try:
            drive = Drive.from_toml(text, rival.label)
        except ConfigurationError as error:
            raise DoesNotFitError(str(error)) from None
        if drive.exported_bytes >= exported_bytes:
            return Sized(text, drive, usable)
    raise DoesNotFitError(f"exports {format_bytes(drive.exported_bytes)} only")


def _derived(drive: Drive, key: str) -> int:
    return int(next(quantity["value"] for quantity in drive.derived if quantity["key"] == key))
