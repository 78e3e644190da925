"""Extended P/E cycles: the code, the cell, and the order of pages in a block."""

from itertools import product
from typing import Any

from rewear import _codes
from rewear.codes import RivestShamir
from rewear.drive import Drive

__all__ = ["cell", "pages", "printed_code"]

_STATES: Any = ("erased", "intermediate", "p1", "p2", "p3")
_PAGES: Any = ("low", "high")


def printed_code() -> dict[str, Any]:
    """Table I, as `first second` for each data word, and whether second codewords only clear bits."""
    code = RivestShamir("seal")
    words = {f"{data:02b}": f"{code.codeword(1, data):03b} {code.codeword(2, data):03b}" for data in range(4)}
    rewrites = [
        (code.codeword(1, old) & code.codeword(2, new)) == code.codeword(2, new)
        for old in range(4)
        for new in range(4)
        if old != new
    ]
    return {"words": words, "second_writes_only_clear_bits": all(rewrites)}


def cell() -> dict[str, Any]:
    """Figure 3: transitions, which of them lose data, and which orders of programming are safe for all data."""
    found = [
        (page, *_codes.program_mlc_cell(state, page, bit))
        for state, page, bit in product(_STATES, _PAGES, (True, False))
    ]
    # A state in which the high page is programmed is left by no legal program; those are not drawn.
    numbered = {number: effect for _, number, _, effect in found if number is not None}
    orders = {
        order: _codes.find_mlc_corruption(order) is None
        for length in (1, 2, 3, 4)
        for order in product(_PAGES, repeat=length)
    }
    low_then_high = all(
        orders[order]
        for order in orders
        if order.count("high") <= 1 and (not order.count("high") or order[-1] == "high")
    )
    return {
        "states": len(_STATES),
        "transitions": len(numbered),
        "not_stored": " ".join(str(n) for n in sorted(numbered) if "not" in str(numbered[n])),
        "effects": {str(number): str(numbered[number]) for number in sorted(numbered)},
        "low_pages_again_then_high_once_is_safe": low_then_high,
        "low_after_high_is_unsafe": not orders["low", "high", "low"],
        "high_twice_is_unsafe": not orders["low", "high", "high"],
    }


def pages() -> dict[str, Any]:
    """Figure 2: the drive that models the board, and which pages of its blocks are low ones."""
    drive = Drive("openssd")
    per_block = int(drive.configuration["flash"]["pages_per_block"])
    # Figure 2: pages 0 and 1 are low; from there low pages are the odd ones but the last, high ones the even and last.
    low = [0, *range(1, per_block - 1, 2)]
    return {
        "pages_per_block": per_block,
        "low_pages": len(low),
        "last_low_page": low[-1],
        "page_order": str(drive.configuration["flash"]["page_order"]),
    }
