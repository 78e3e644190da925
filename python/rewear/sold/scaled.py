"""A smaller model of a drive, and the order in which its parts shrink."""

from collections.abc import Mapping
from typing import Any

_HALVED = ("dies_per_channel", "channels", "planes_per_die")
"""Halved when nothing else can shrink. Dies first: they share a channel. Planes last: second writes pair them."""


def planes_of(flash: Mapping[str, Any]) -> int:
    """Planes of a drive."""
    return int(flash["channels"] * flash["dies_per_channel"] * flash["planes_per_die"])


def scaled(
    flash: Mapping[str, Any], pages: float, units: int, *, least_units: int, least_pages: int, together: int = 1
) -> dict[str, int]:
    """Channels, dies, planes, blocks and pages of a block of a model with about `pages` flash pages.

    The strongest influence is kept longest. The share of spare flash decides how much cleaning moves, so the model has
    the given pages. So does the number of erase units. Planes at work side by side decide times, and a block's length
    decides least. So blocks become shorter first, down to `least_pages`; then units fewer, down to `least_units`; then
    dies a channel, channels and planes are halved.

    Args:
        flash: Table `[flash]` of the drive.
        pages: Flash pages of the model.
        units: Erase units, each a block of every plane. A block has whole pages, so the model has a few more.
        least_units: Units below which planes become fewer.
        least_pages: Pages of a block at least, a multiple of `together`.
        together: Pages of a block that are programmed together; a block has a multiple of them.
    """
    size = {key: int(flash[key]) for key in _HALVED}

    def most() -> float:
        """Units of the shortest blocks."""
        return pages / (planes_of(size) * least_pages)

    while most() < least_units and (halved := next((key for key in _HALVED if size[key] > 1), None)):
        size[halved] //= 2
    fitting = min(float(units), max(float(least_units), most()))
    # A quotient that is whole but for rounding is whole.
    rows = int(pages / (planes_of(size) * together * fitting) + 1e-6)
    size["pages_per_block"] = max(least_pages, together * rows)
    size["blocks_per_plane"] = round(pages / (planes_of(size) * size["pages_per_block"]))
    return size
