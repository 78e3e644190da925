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
    """Lines over time, for pages that are looked at with scripts: `seconds`, `lines` (label, variable of the
    colour, values, for bands also `low` and `high`), `unit` (`bytes` or `ns`) and `log`."""
