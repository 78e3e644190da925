"""The chips that advice chooses from: files beside this one, each a preset's flash with what other techniques need."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from rewear.core.drive import drives
from rewear.core.errors import ConfigurationError, near
from rewear.core.toml_text import merged


@dataclass(frozen=True, slots=True)
class Chip:
    """A flash chip: pages, blocks, times and energy, without a size."""

    name: str
    about: str
    """What it is, in a line."""
    preset: str
    """The preset drive whose description names the source of every figure."""
    flash: dict[str, Any]
    """The table `flash` of a drive with this chip; its channels, dies, planes and blocks are replaced."""
    effort: dict[str, dict[str, Any]]
    """Parameters of effort schemes on this chip, by scheme."""
    one_bit: dict[str, Any]
    """Cells with one bit each: `read_ns`, `program_ns`, `cycle_wear` of a cycle over that of all bits, `source`."""

    @property
    def bits_per_cell(self) -> int:
        """Bits of a cell: 1 for SLC, 4 for QLC."""
        return int(self.flash.get("bits_per_cell", 1))

    @property
    def page_bytes(self) -> int:
        """Bytes of a page."""
        return int(self.flash["page_bytes"])


def chip_names() -> list[str]:
    """Names of the chips, sorted, without reading their files."""
    entries = files("rewear.advice").joinpath("chips").iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def chips() -> dict[str, Chip]:
    """The chips by name."""
    folder = files("rewear.advice").joinpath("chips")
    return {name: _read(name, folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in chip_names()}


def chip(name: str) -> Chip:
    """The chip called `name`.

    Raises:
        ConfigurationError: There is none.
    """
    known = chips()
    if name in known:
        return known[name]
    raise ConfigurationError(f"There is no chip {name!r}.{near(name, known)} The chips are: {', '.join(known)}.")


def _read(name: str, text: str) -> Chip:
    data = tomllib.loads(text)
    preset = tomllib.loads(drives()[data["preset"]])
    flash = merged(preset["flash"], data.get("flash", {}))
    return Chip(name, data["about"], data["preset"], flash, data.get("effort", {}), data.get("one_bit", {}))
