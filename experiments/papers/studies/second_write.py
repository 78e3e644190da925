"""Reusable SSD: its codes and its arithmetic."""

from typing import Any

from rewear.core.ask import ask
from rewear.reproduce.studies.common import printed_words


def printed_code() -> dict[str, Any]:
    """Table 1, as `first second` for each data word, and whether second codewords only set bits."""
    words = printed_words("second-write")
    only_set = all(
        first & second == first for old, (first, _) in words.items() for new, (_, second) in words.items() if old != new
    )
    shown = {data: f"{first:03b} {second:03b}" for data, (first, second) in words.items()}
    return {"words": shown, "second_writes_only_set_bits": only_set}


def success(
    samples: int, storages: list[float], cells: int | None = None, retry: bool = False, seed: int = 1
) -> dict[str, Any]:
    """Table 2: success of a second write over the required storage, by the length of the code and with a retry."""
    found: dict[str, dict[str, float]] = {"success": {}}
    length = 65536 if cells is None else cells
    for number, storage in enumerate(storages):
        row = ask("codes.table-2", storage_percent=storage, cells=length, trials=samples, seed=seed + number)
        found["success"][f"{storage:g}%"] = row["with_rotation" if retry else "one_attempt"]["rate"]
    return found


def retries(samples: int, storage: float, seed: int = 1) -> dict[str, Any]:
    """Success of one retry on the same pages beside that of an independent one."""
    row = ask("codes.retries", storage_percent=storage, trials=samples, seed=seed)
    return {
        "rotation": row["with_rotation"]["rate"],
        "dither": row["with_dither"]["rate"],
        "independent": row["independent"],
        "rotation_less_independent": row["with_rotation"]["rate"] - row["independent"],
        "of_95_percent": 1 - (1 - 0.95) ** 2,
        "of_75_percent": 1 - (1 - 0.75) ** 2,
    }


def spare_area(spare_share: float, first_ecc_share: float) -> dict[str, Any]:
    """Section 3.2: what the spare areas of two pages hold, in shares of the page."""
    code = ask("codes.page-code", page_bytes=4096, preset="paper210")
    rest = spare_share - first_ecc_share
    return {
        "left_after_first_ecc": round(rest, 4),
        "storage_percent_with_the_code_in_5_percent": round(100 * 2 * (1 + 0.05), 4),
        "our_code_spare_share": code["spare_bytes"] / code["page_bytes"],
    }


def complement(pages: int, page_bytes: int = 512, seed: int = 1) -> dict[str, Any]:
    """First writes of random and of dense pages: ones never exceed half, and everything is read back."""
    found: dict[str, Any] = ask("codes.first-writes", pages=pages, page_bytes=page_bytes, seed=seed)
    return found
