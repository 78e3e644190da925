"""The catalogue of drives on sale: classes, and named drives with the endurance that their makers state."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from rewear.sold.classes import SOLD, drive_classes

_YEARS = 5
"""Over which drive writes a day are rated."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A named drive on sale."""

    name: str
    beside: str | None
    """Class that this drive represents; `None` if another drive does."""
    drive_class: str
    """The preset."""
    capacity_bytes: float
    over_provisioning: float
    rated_bytes: float
    load: str
    """The load under which its maker rates."""
    source: str
    why: str
    """The reason for a computed life that is not within a factor of 1.5 of the rating."""

    @property
    def drive_writes(self) -> float:
        """The rating in capacities."""
        return self.rated_bytes / self.capacity_bytes


@dataclass(frozen=True, slots=True)
class Sold:
    """A class of drives on sale."""

    label: str
    preset: str
    spare: float | None
    """Flash over capacity, less 1; `None` for that of the preset."""
    least_bytes: int
    """The smallest capacity in which it is sold."""
    rated: Rated | None
    """The drive whose rating stands for the class."""


@cache
def sold_classes() -> tuple[Sold, ...]:
    """The classes in the order of the catalogue."""
    named = {each.name: each for each in rated_drives()}
    return tuple(
        Sold(
            row["label"], row["preset"], row.get("spare"), row.get("least_bytes", 0),
            named[row["rated"]] if "rated" in row else None,
        )
        for row in _file()["class"]
    )  # fmt: skip


@cache
def rated_drives() -> tuple[Rated, ...]:
    """The named drives in the order of the catalogue."""
    return tuple(_rated(row) for row in _file()["drive"])


def loads() -> dict[str, Any]:
    """The loads under which makers rate, by name."""
    found: dict[str, Any] = _file()["loads"]
    return found


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("rewear.sold").joinpath("sold.toml").read_text(encoding="utf-8"))


def _rated(row: dict[str, Any]) -> Rated:
    capacity = row["capacity_gb"] * 1e9
    if "flash_gb" in row:
        spare = row["flash_gb"] / row["capacity_gb"] - 1
    else:
        spare = SOLD["28%"] if row.get("dwpd") == 3 else drive_classes()[row["class"]]["ftl"]["over_provisioning"]
    rated = row["rated_tb"] * 1e12 if "rated_tb" in row else row["dwpd"] * capacity * 365 * _YEARS
    return Rated(
        row["name"], row.get("beside"), row["class"], capacity, spare, rated, row["load"], row["source"],
        row.get("why", ""),
    )  # fmt: skip
