"""A figure of the page."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Plot"]


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure with its title and a sentence that says how to read it."""

    title: str
    caption: str
    svg: str
    series: dict[str, Any] | None = None
    """Lines over time, for pages that are looked at with scripts: `seconds`, `lines` (label, number of the drive,
    values), `unit` (`count` or `ns`) and `log`."""
