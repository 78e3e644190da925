"""Classes of drives that can be bought: client and enterprise drives of TLC and QLC flash, and drives of pSLC.

A class is a preset with a table `[product]` that is no twin. The presets are small models of whole drives: channels,
dies, planes and (but for enterprise QLC) erase units are those of the whole drive, blocks are shorter. So the share of
spare flash, the number of spare units and the rate of programs are the whole drive's. The write buffer has its full
size, since a host does not write less in a moment because a model is small.

`class_drive` makes a drive of a class in another capacity, over-provisioning or rating:

    drive = class_drive("client-tlc", 2 * 10**12, over_provisioning=SOLD["28%"], cycles=3000)
    whole = whole_drive(drive)     # what a life of the model is to be multiplied by

`flash.life.cycles_between` of a class is the range that published sources give, `flash.life.source` names them; a
report's `life` has `tbw_bytes_between` from it.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rewear.core.drive import Drive, drives
from rewear.core.errors import ConfigurationError
from rewear.core.toml_text import merged, to_toml, without_nothing
from rewear.sold.scaled import scaled

SOLD = {"7%": 2**40 / 0.96e12 - 1, "28%": 2**40 / 0.8e12 - 1}
"""Over-provisioning, flash over capacity less 1, of drives sold with 7% and 28%: 1,024 GiB of flash as 960 and 800 GB.

The trade counts gigabytes of flash as if they were of 10^9 bytes. A client drive of 1,000 GB has 1,024 GiB, too, less
what is bad when new: the 7% of its class.
"""

_LEAST_UNITS = 256
"""Erase units that a model keeps: with fewer, the open ones count. A tenth of spare flash is 25 of them."""
_LEAST_PAGES = 4
"""Pages of a block that a model keeps."""
_WEAR_SPREAD = 0.05
"""Part of the cycles by which wear levelling lets the most worn unit exceed the least worn, as in the presets."""
_LEAST_ERASE_NS = 50_000


@dataclass(frozen=True, slots=True)
class WholeDrive:
    """The drive that a preset models at a smaller scale."""

    name: str
    capacity_bytes: int
    flash_bytes: int
    factor: float
    """Flash of the whole drive over that of the model: lives in bytes and years scale by it."""


@cache
def drive_classes() -> dict[str, dict[str, Any]]:
    """The tables of each class by the name of its preset."""
    found = {name: tomllib.loads(text) for name, text in drives().items()}
    return {name: tables for name, tables in found.items() if group_of(tables) == "product"}


def class_tables(
    name: str,
    capacity_bytes: int,
    *,
    over_provisioning: float | None = None,
    cycles: int | None = None,
    model_flash_bytes: int | None = None,
) -> dict[str, Any]:
    """A drive of a class as nested tables, for `toml_text.to_toml`.

    It has as many dies as `capacity_bytes` take. The model's blocks are as short as `model_flash_bytes` needs; if that
    is not enough it has fewer erase units, down to 256, and then fewer dies and planes.

    Args:
        name: One of `drive_classes()`.
        capacity_bytes: Of the whole drive.
        over_provisioning: Flash over capacity, less 1, e.g. `SOLD["28%"]`; that of the class unless given.
        cycles: P/E cycles of its blocks, which has no range then; the range of the class unless given.
        model_flash_bytes: Flash of the model, about; that of the preset unless given.

    Raises:
        ConfigurationError: There is no such class, or the capacity is none.
    """
    known = drive_classes()
    if name not in known:
        raise ConfigurationError(f"There is no class of drives {name!r}. The classes are: {', '.join(known)}.")
    flash, ftl = known[name]["flash"], known[name]["ftl"]
    spare = ftl["over_provisioning"] if over_provisioning is None else over_provisioning
    if capacity_bytes < 10**9 or not 0 < spare <= 100:
        raise ConfigurationError(
            f"A drive of {capacity_bytes} bytes with {spare} of spare flash: give at least 10^9 bytes, and more than 0."
        )
    whole = round(capacity_bytes * (1 + spare))
    size = _size(flash, whole / known[name]["product"]["flash_bytes"], model_flash_bytes or _bytes(flash))
    erase_ns = flash["timing"]["erase_ns"] * size["pages_per_block"] / flash["pages_per_block"]
    change: dict[str, Any] = {
        "product": {"capacity_bytes": capacity_bytes, "flash_bytes": whole},
        "flash": {**size, "timing": {"erase_ns": max(_LEAST_ERASE_NS, round(erase_ns))}},
        "ftl": {"over_provisioning": spare},
    }
    tables = merged(known[name], change)
    if cycles is not None:
        life = {key: value for key, value in flash["life"].items() if key != "cycles_between"}
        tables["flash"] = {**tables["flash"], "life": {**life, "cycles": cycles, "source": "as given"}}
        levelling = {**ftl["wear_levelling"], "spread": max(1, round(cycles * _WEAR_SPREAD))}
        tables["ftl"] = {**tables["ftl"], "wear_levelling": levelling}
    return tables


def class_drive(name: str, capacity_bytes: int, **options: Any) -> Drive:
    """A drive of a class in a capacity, with the options of `class_tables`.

    Raises:
        ConfigurationError: As `class_tables`, or the drive cannot be.
    """
    return Drive.from_toml(to_toml(class_tables(name, capacity_bytes, **options)), name)


def whole_drive(drive: Drive) -> WholeDrive | None:
    """The real drive that a twin or a class of drives is a smaller model of; `None` for a drive that is what it says.

    A twin's capacity follows from its flash, since models keep the share of spare flash.
    """
    tables = drive.configuration
    derived = drive.quantities
    flash, exported = int(derived["physical_bytes"]), int(derived["exported_bytes"])
    if product := tables.get("product"):
        name, whole, capacity = product["name"], product["flash_bytes"], product["capacity_bytes"]
        if "twin" in tables:
            capacity = round(whole * exported / flash)
    else:
        return None
    return WholeDrive(name, int(capacity), int(whole), whole / flash)


def with_cycles(drive: Drive, cycles: int) -> Drive:
    """The same drive with blocks rated for `cycles` P/E cycles, and no range of them.

    Static wear levelling keeps its spread, so that the replay is the same.

    Raises:
        ConfigurationError: Blocks cannot be rated so.
    """
    tables: dict[str, Any] = without_nothing(drive.configuration)
    life = {**(tables["flash"].get("life") or {}), "cycles": cycles, "source": "as given"}
    life.pop("cycles_between", None)
    tables["flash"] = {**tables["flash"], "life": life}
    return Drive.from_toml(to_toml(tables), drive.name)


def group_of(tables: Mapping[str, Any]) -> str:
    """`product`, `twin`, or `paper` for the chips and drives of papers."""
    return next((group for group in ("twin", "product") if tables.get(group)), "paper")


def _bytes(flash: Mapping[str, Any]) -> int:
    counts = ("channels", "dies_per_channel", "planes_per_die", "blocks_per_plane", "pages_per_block", "page_bytes")
    return math.prod(flash[count] for count in counts)


def _size(flash: Mapping[str, Any], times: float, model_bytes: int) -> dict[str, int]:
    """Channels, dies, planes, blocks and pages of a model of a drive with `times` as many dies."""
    dies = max(1, round(flash["channels"] * flash["dies_per_channel"] * times))
    channels = min(flash["channels"], dies)
    whole = {**flash, "channels": channels, "dies_per_channel": max(1, round(dies / channels))}
    pages, units = model_bytes / int(flash["page_bytes"]), int(flash["blocks_per_plane"])
    return scaled(whole, pages, units, least_units=_LEAST_UNITS, least_pages=_LEAST_PAGES)
