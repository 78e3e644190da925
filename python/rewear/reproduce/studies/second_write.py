"""Reusable SSD: its codes and its arithmetic."""

from typing import Any

import numpy as np

from rewear.codes import PageCode, RivestShamir, measure_retries, measure_table_2


def printed_code() -> dict[str, Any]:
    """Table 1, as `first second` for each data word, and whether second codewords only set bits."""
    code = RivestShamir("second-write")
    words = {f"{data:02b}": f"{code.codeword(1, data):03b} {code.codeword(2, data):03b}" for data in range(4)}
    rewrites = [
        (code.codeword(1, old) & code.codeword(2, new)) == code.codeword(1, old)
        for old in range(4)
        for new in range(4)
        if old != new
    ]
    return {"words": words, "second_writes_only_set_bits": all(rewrites)}


def success(
    samples: int, storages: list[float], cells: int | None = None, retry: bool = False, seed: int = 1
) -> dict[str, Any]:
    """Table 2: success of a second write over the required storage, by the length of the code and with a retry."""
    found: dict[str, dict[str, float]] = {"success": {}}
    length = 65536 if cells is None else cells
    for number, storage in enumerate(storages):
        row = measure_table_2("clean-spare", storage, cells=length, trials=samples, repair=False, seed=seed + number)
        found["success"][f"{storage:g}%"] = row["with_rotation" if retry else "one_attempt"]["rate"]
    return found


def retries(samples: int, storage: float, seed: int = 1) -> dict[str, Any]:
    """Success of one retry on the same pages beside that of an independent one."""
    row = measure_retries(storage, trials=samples, seed=seed)
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
    code = PageCode(4096, "paper210")
    rest = spare_share - first_ecc_share
    return {
        "left_after_first_ecc": round(rest, 4),
        "storage_percent_with_the_code_in_5_percent": round(100 * 2 * (1 + 0.05), 4),
        "our_code_spare_share": code.spare_bytes / code.page_bytes,
    }


def complement(pages: int, page_bytes: int = 512, seed: int = 1) -> dict[str, Any]:
    """First writes of random and of dense pages: ones never exceed half, and everything is read back."""
    rng = np.random.default_rng(seed)
    code = PageCode(page_bytes, raw_bytes=max(16, page_bytes // 10))
    most, wrong, flips = 0.0, 0, 0
    for number in range(pages):
        data = rng.integers(0, 256, page_bytes, np.uint8)
        if number % 3 == 1:
            data |= rng.integers(0, 256, page_bytes, np.uint8)
        elif number % 3 == 2:
            data[:] = 255
        page, spare, flipped = code.first_write(data)
        ones = int(np.bitwise_count(data).sum())
        most = max(most, int(np.bitwise_count(page).sum()) / (8 * page_bytes))
        wrong += int(not (code.read_first_write(page, spare) == data).all())
        wrong += int(flipped != (2 * ones > 8 * page_bytes))
        flips += flipped
    return {"most_ones_share": most, "wrong": wrong, "some_complemented": flips > 0}
