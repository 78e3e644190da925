"""Measurements on real bits. Each is a plain dictionary; rates come with the ends of their 95% confidence interval."""

import json
from collections.abc import Callable
from typing import Any, Literal

from rewear import _codes
from rewear._codes import Bch, Ldpc
from rewear.core.progress import ProgressCallback

Row = dict[str, Any]
Jobs = dict[str, list[Callable[[], Any]]]
"""Tables of a section of the study by name; each row is the result of a call, from any thread."""
Decoder = Literal["bit-flipping", "min-sum", "bit-flipping-then-min-sum", "soft-3", "soft-5", "soft-7"]


def measure_table_2(
    reading: Literal["clean-spare", "all-programmed"],
    storage_percent: float,
    *,
    cells: int = 65536,
    trials: int = 1000,
    repair: bool = True,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> Row:
    """A row of Table 2 of `second-write`: success of second writes on pages of random data at a required storage.

    Args:
        reading: What the storage counts: "clean-spare", the extra cells are clean spare cells with one raw bit each
            (figure 4); "all-programmed", all cells are half programmed.
        storage_percent: Required storage in percent of the logical page, 100 to below 300.
        cells: Length of the code, a power of two; 65536 are two pages of 4 KB.
        trials: Pairs of pages.
        repair: Also measure repair, which is slow where most attempts fail.
        seed: Seed of pages and data.
        progress: As in every measurement here, called a few times a second with the trials done; an exception that it
            raises ends the work. The result does not depend on it.

    Raises:
        CodeError: There is no code for the storage or the number of cells.
    """
    return _row(_codes.measure_table_2(reading, storage_percent, cells, trials, repair, seed, progress))


def measure_retries(
    storage_percent: float,
    *,
    trials: int = 1000,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> Row:
    """Success of a retry on the same pages after a failure (`second-write`, section 5.6), by dither and by rotation.

    `independent` is what a retry on other pages would give, 1 - (1 - P)**2.

    Raises:
        CodeError: There is no code for the storage.
    """
    return _row(_codes.measure_retries(storage_percent, trials, seed, progress))


def measure_wom_v(
    k: int,
    n: int,
    *,
    pages: int = 100,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> Row:
    """Writes of random data that pages of about 8192 cells take, exactly by the mathematics of a cell and measured.

    Raises:
        CodeError: There is no such code.
    """
    return _row(_codes.measure_wom_v(k, n, pages, seed, progress))


def measure_bch(
    code: Bch,
    rber: float,
    *,
    frames: int = 1000,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> Row:
    """The frame error rate of `code` when every bit is wrong with probability `rber`, above 0 and below 0.5.

    Raises:
        CodeError: `rber` is out of its range, or the code's data are no whole bytes.
    """
    return _row(_codes.measure_bch(code, rber, frames, seed, progress))


def measure_ldpc(
    code: Ldpc,
    decoder: Decoder,
    rber: float,
    *,
    frames: int = 1000,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> Row:
    """The frame error rate of `code` when every bit of a hard read is wrong with probability `rber`.

    `decoder` is one of `Ldpc.decode`, or "soft-3", "soft-5", "soft-7": min-sum after a read with so many references.

    Raises:
        CodeError: `rber` is out of its range, or there is no such decoder.
    """
    return _row(_codes.measure_ldpc(code, decoder, rber, frames, seed, progress))


def bch_limit(code: Bch, uber: float = 1e-15) -> Row:
    """The largest raw bit error rate at which `code` keeps the uncorrectable bit error rate `uber`.

    Raises:
        CodeError: `uber` is out of its range.
    """
    return _row(_codes.bch_limit(code, uber))


def _row(text: str) -> Row:
    row: Row = json.loads(text)
    return row
