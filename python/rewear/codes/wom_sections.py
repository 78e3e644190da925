"""The sections of the study about codes that write again."""

from functools import partial
from itertools import product
from math import isfinite
from typing import Any

from rewear import _codes
from rewear._codes import FlipNWrite, RivestShamir, WomV
from rewear.codes import measure
from rewear.codes.erase_factor import erase_factor
from rewear.codes.measure import Jobs
from rewear.core.progress import Progress, ProgressCallback

_CLEAN_SPARE = (200.0, 206.0, 208.0, 210.0, 211.6, 212.0, 214.0)
"""The storages of Table 2, and the one at which a single attempt has the success the paper gives for 210%."""
_ALL_PROGRAMMED = (206.0, 208.0, 210.0, 212.0, 214.0, 227.0)
_RETRIES = (208.0, 210.0, 211.6, 212.0)
_PAGE_CELLS = 8192

FLIP_RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of bits that a later write changes."""

FULLNESS = (0.1, 0.15, 0.2, 0.225, 0.3, 0.4, 0.45)
"""Shares of the capacity of the plain drive that the data takes."""

_MODES: Any = ("no-read", "pre", "post")

# Generations printed in the paper: `wom-v`, figure 2 and section 2.
_PAPER_GENERATIONS = {(3, 4): 2, (2, 4): 5, (1, 4): 15}


def rivest_shamir(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Both printed tables, and the search for binary codes with more generations."""
    return {
        "tables": [partial(_rivest_shamir_table, name) for name in ("second-write", "seal")],
        "search": [partial(_search, messages, cells) for messages, cells in ((4, 3), (4, 4), (2, 4), (8, 4))],
    }


def _rivest_shamir_table(name: Any) -> dict[str, Any]:
    code = RivestShamir(name)
    return {
        "table": code.name,
        "rows": [
            {"data": f"{data:02b}", "first": f"{code.codeword(1, data):03b}", "second": f"{code.codeword(2, data):03b}"}
            for data in range(4)
        ],
    }


def _search(messages: int, cells: int) -> dict[str, Any]:
    return {"messages": messages, "cells": cells, "max_generations": _codes.max_generations(messages, cells)}


def polar_wom(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Table 2 of `second-write` in both readings with all retries, and whether retries are independent."""
    # Rows draw from neighbouring seeds, so that no two of them see the same pages.
    rows: list[tuple[Any, float]] = [("clean-spare", storage) for storage in _CLEAN_SPARE]
    rows += [("all-programmed", storage) for storage in _ALL_PROGRAMMED]
    return {
        "table_2": [
            partial(measure.measure_table_2, reading, storage, trials=samples, seed=seed + number, progress=progress)
            for number, (reading, storage) in enumerate(rows)
        ],
        "retries": [
            partial(measure.measure_retries, storage, trials=5 * samples, seed=seed + 100 + number, progress=progress)
            for number, storage in enumerate(_RETRIES)
        ],
    }


def wom_v(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Tables, generations, writes per page of random data and of data of which few bits change, erases in theory."""
    codes = [(code.k, code.n) for code in WomV.all() if code.n <= 5]
    return {
        "tables": [partial(_wom_v_table, k, n) for k, n in _PAPER_GENERATIONS],
        "writes": [
            partial(_wom_v_writes, k, n, samples, seed + number, progress) for number, (k, n) in enumerate(codes)
        ],
        "flip_rates": [partial(_wom_v_flips, k, n) for k, n in ((3, 4), (2, 4), (1, 4))],
        "erase_factors": [partial(_wom_v_erase_factors, k, n, mode) for k, n in ((2, 4), (1, 4)) for mode in _MODES],
    }


def _wom_v_erase_factors(k: int, n: int, mode: Any) -> dict[str, Any]:
    code = WomV(k, n)
    writes = code.write_counts(_PAGE_CELLS, ecc_check=mode).mean
    relative = [erase_factor(share, k / n, writes) / erase_factor(share) for share in FULLNESS]
    factors = [
        {"fullness": share, "relative": ratio if isfinite(ratio) else None}
        for share, ratio in zip(FULLNESS, relative, strict=True)
    ]
    return {"code": str(code), "mode": mode, "writes": writes, "factors": factors}


def _wom_v_table(k: int, n: int) -> dict[str, Any]:
    code = WomV(k, n)
    return {
        "code": str(code),
        "generations": code.generations,
        "paper_generations": _PAPER_GENERATIONS[k, n],
        "table": code.table(),
    }


def _wom_v_writes(k: int, n: int, samples: int, seed: int, progress: ProgressCallback) -> dict[str, Any]:
    code = WomV(k, n)
    # Pages differ little from each other: a tenth of the samples leaves intervals of a few hundredths of a write.
    row = measure.measure_wom_v(k, n, pages=max(2, samples // 10), seed=seed, progress=progress)
    unit = code.write_counts(10**6, ecc_check="unit", max_invalid_share=0.0775)
    return {
        "code": str(code),
        **row,
        "no_read": code.generations,
        "generation_bits": code.generation_bits,
        "released_code": unit.mean,
    }


def _wom_v_flips(k: int, n: int) -> dict[str, Any]:
    code = WomV(k, n)
    means = [
        {
            "flip_rate": rate,
            **{
                f"{check}_check": code.write_counts(_PAGE_CELLS, ecc_check=check, flip_rate=rate).mean
                for check in ("pre", "post")
            },
        }
        for rate in FLIP_RATES
    ]
    return {"code": str(code), "cells": _PAGE_CELLS, "mean_writes": means}


def flip_n_write(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Cells that a write of random data changes."""
    return {"changes": [partial(_flip_n_write, bits, samples, seed, progress) for bits in (8, 16, 32, 64)]}


def _flip_n_write(word_bits: int, samples: int, seed: int, progress: ProgressCallback) -> dict[str, Any]:
    # Only here: it takes long to load, and every command would wait for it.
    import numpy as np

    code, rng = FlipNWrite(word_bits), np.random.default_rng(seed)
    size = 4096
    cells, flags = np.zeros(size, np.uint8), np.zeros(code.flag_bytes(size), np.uint8)
    shares = []
    writes = max(2, samples // 10) + 1
    for write in range(writes):
        progress(Progress("measuring", write, writes))
        written = code.encode(rng.integers(0, 256, size, np.uint8), cells, flags)
        cells, flags = written.cells, written.flags
        if write:  # the first write meets an erased page
            shares.append((written.set + written.reset) / (8 * size))
    return {
        "word_bits": word_bits,
        "max_share": code.max_changes_per_word / word_bits,
        "mean_share": float(np.mean(shares)),
        "half_width": float(1.96 * np.std(shares, ddof=1) / np.sqrt(len(shares))),
        "writes": len(shares),
    }


_STATES: Any = ("erased", "intermediate", "p1", "p2", "p3")
_PAGES: Any = ("low", "high")


def mlc_cell(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Every transition of `seal`, figure 3, and which orders of programming two pages are safe for all data."""
    return {
        "transitions": [partial(_transition, *choice) for choice in product(_STATES, _PAGES, (True, False))],
        "orders": [partial(_order, order) for length in (1, 2, 3, 4) for order in product(_PAGES, repeat=length)],
    }


def _transition(state: Any, page: Any, bit: bool) -> dict[str, Any]:
    number, following, effect = _codes.program_mlc_cell(state, page, bit)
    return {"number": number, "state": state, "page": page, "bit": int(bit), "next": following, "effect": effect}


def _order(order: tuple[Any, ...]) -> dict[str, Any]:
    found = _codes.find_mlc_corruption(order)
    return {"order": list(order), "safe": found is None, "bits": None if found is None else [int(bit) for bit in found]}
