"""Replayed drives: the shape of a real one at the size of the workload, and what each exports.

A drive is made smaller without changing what decides how much cleaning moves: the share of spare space, and how many
erase units that is. Its units become smaller, not fewer than `UNITS`. Two things cannot shrink with it: the blocks that
cleaning keeps clean, and the units that are open. They get flash of their own, since a drive of a terabyte hardly
notices them.
"""

from dataclasses import dataclass, replace
from typing import Any

from rewear.advice.chips import Chip
from rewear.advice.rivals import Rival
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.toml_text import merged, to_toml
from rewear.figures.units import format_bytes, format_number
from rewear.sold.scaled import planes_of, scaled

UNITS = 128
"""Erase units at least, of a plane or, where they span planes, of the drive. Seven in a hundred are nine."""
OPEN_UNITS = 3
"""Blocks a plane beyond the share of spare space: two that cleaning keeps clean, and the open ones, half full."""
_FEWEST_PAGES = 64
"""Pages of a unit at least. Chance leaves smaller units emptier than large ones, so cleaning looks cheaper."""
_MOST_SMALL = 16
"""The same where there would be less than a quarter of `UNITS`."""
_LEAST_SPARE = 0.02
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
    bits: int = 1
    """Bits that a cell of the chip has room for, for each that it holds here."""


def sold_drive(rival: Rival, preset: dict[str, Any], exported_bytes: int, units: int = UNITS) -> Sized:
    """A drive on sale that exports `exported_bytes`, with the channels, dies and planes of its class.

    `preset` has its tables; those of a twin or of a paper's drive will do, too.

    Units span all planes; their blocks become shorter until there are `units` of them. The write buffer becomes smaller
    with the drive, but keeps a program for every plane. The table `product` stays: a run tells the whole drive's life.
    """
    flash, product = dict(preset["flash"]), {} if "twin" in preset else preset.get("product", {})
    together = int(flash.get("pages_per_program", 1))
    slots = exported_bytes / int(flash["page_bytes"]) * (1 + preset["ftl"]["over_provisioning"])
    # A block of a cache holds a page with one bit a cell.
    least = together * (int(flash.get("bits_per_cell", 1)) if "slc_cache" in preset["ftl"] else 1)
    flash |= scaled(flash, slots, units, least_units=units, least_pages=least, together=together)
    flash["blocks_per_plane"] += OPEN_UNITS
    tables = {**preset, "flash": flash, "ftl": {**preset["ftl"], "gc_threshold": 2 / flash["blocks_per_plane"]}}
    if product:
        tables["description"] = _smaller(preset, flash)
    buffer = dict(tables["ftl"].get("write_buffer", {}))
    if "pages" in buffer and product:
        pages = buffer["pages"] * exported_bytes / product["capacity_bytes"]
        buffer["pages"] = min(buffer["pages"], max(planes_of(flash) * together, round(pages)))
        tables["ftl"]["write_buffer"] = buffer
    return _exporting(merged(tables, rival.set), rival, exported_bytes)


def _smaller(preset: dict[str, Any], flash: dict[str, Any]) -> str:
    """What a model is, since the preset's own words are about another size."""
    product = preset["product"]
    pages = planes_of(flash) * flash["blocks_per_plane"] * flash["pages_per_block"]
    times = product["flash_bytes"] / (pages * flash["page_bytes"])
    return (
        f"A model of a {product['name']} drive of {format_bytes(product['capacity_bytes'])}, made for a workload: "
        f"1/{format_number(times, 3)} of its flash, in shorter blocks. All else is that of the preset "
        f"{preset['name']}, which names its sources."
    )


def flash_layout(chip: Chip, flash_bytes: float) -> dict[str, Any]:
    """The table `flash` of a drive of a paper's chip, of about `flash_bytes`, without the open blocks.

    Blocks are made shorter where a plane would have too few of them, then planes fewer; a large drive has more.

    Raises:
        ConfigurationError: The flash is too small for a drive.
    """
    flash = dict(chip.flash)
    channels, dies, planes = 4, 1, 2
    pages, page_bytes = int(flash["pages_per_block"]), chip.page_bytes

    def blocks() -> int:
        return round(flash_bytes / (channels * dies * planes * pages * page_bytes))

    while blocks() < UNITS and pages % 2 == 0 and pages // 2 >= _FEWEST_PAGES:
        pages //= 2
    while blocks() < UNITS and channels > 1:
        channels //= 2
    while blocks() < UNITS // 4 and (planes > 1 or (pages % 2 == 0 and pages > _MOST_SMALL)):
        planes, pages = (1, pages) if planes > 1 else (planes, pages // 2)
    while blocks() > 32 * UNITS and channels * dies < 256:
        channels, dies = (channels * 2, dies) if channels < 16 else (channels, dies * 2)
    if blocks() < UNITS // 4:
        least = UNITS // 4 * channels * planes * pages * page_bytes
        raise ConfigurationError(
            f"{format_bytes(flash_bytes)} of {chip.name} are too little flash for a drive. Give at least "
            f"{format_bytes(least)}."
        )
    timing = dict(flash["timing"])
    timing["erase_ns"] = max(1, round(timing["erase_ns"] * pages / int(flash["pages_per_block"])))
    size = {"channels": channels, "dies_per_channel": dies, "planes_per_die": planes, "blocks_per_plane": blocks()}
    return {**flash, **size, "pages_per_block": pages, "timing": timing}


def one_bit(chip: Chip, flash: dict[str, Any]) -> dict[str, Any]:
    """The table `flash` of a drive whose cells all hold one bit: as many blocks of fewer pages."""
    of, life = chip.one_bit, flash["life"]
    timing = {**flash["timing"], "read_ns": [of["read_ns"]], "program_ns": [of["program_ns"]]}
    table = {key: value for key, value in flash.items() if key != "page_order"}
    if energy := flash.get("energy"):
        # As for its other pages, energy is in proportion to time.
        by_time = {
            f"{name}_nj": [energy[f"{name}_nj"][0] * of[f"{name}_ns"] / flash["timing"][f"{name}_ns"][0]]
            for name in ("read", "program")
        }
        table["energy"] = {**energy, **by_time}
    return table | {
        "bits_per_cell": 1,
        "pages_per_block": max(1, int(flash["pages_per_block"]) // chip.bits_per_cell),
        "timing": timing,
        # A law of misread bits is one of cells with all of their bits.
        "life": {"cycles": round(life["cycles"] / of["cycle_wear"]), "source": of["source"]},
    }


def drive_for(rival: Rival, chip: Chip, flash: dict[str, Any], exported_bytes: int, name: str, origin: str) -> Sized:
    """The drive of a rival that exports exactly `exported_bytes` (a multiple of the page), on this flash of a chip.

    Raises:
        DoesNotFitError: The flash does not hold that much under this rival.
    """
    if rival.one_bit:
        whole = drive_for(replace(rival, one_bit=False), chip, one_bit(chip, flash), exported_bytes, name, origin)
        return replace(whole, bits=chip.bits_per_cell)
    flash = {**flash, "blocks_per_plane": flash["blocks_per_plane"] + OPEN_UNITS}
    ftl: dict[str, Any] = {"erase_unit": "block", "gc_threshold": 2 / flash["blocks_per_plane"]}
    if cycles := (flash.get("life") or {}).get("cycles"):
        ftl["wear_levelling"] = {"scheme": "static", "spread": max(1, round(cycles * _SPREAD))}
    tables = merged({"name": name, "description": f"{rival.label}. {origin}", "flash": flash, "ftl": ftl}, rival.set)
    return _exporting(tables, rival, exported_bytes)


def _exporting(tables: dict[str, Any], rival: Rival, exported_bytes: int) -> Sized:
    # Enough spare space at first for the open units of every policy.
    tables = merged(tables, {"ftl": {"over_provisioning": 1.0}})
    try:
        usable = int(Drive.from_toml(to_toml(tables), rival.label).quantities["usable_bytes"])
    except ConfigurationError as error:
        raise DoesNotFitError(str(error)) from None
    page_bytes = int(tables["flash"]["page_bytes"])
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
            return Sized(text, drive)
    raise DoesNotFitError(f"exports {format_bytes(drive.exported_bytes)} only")
