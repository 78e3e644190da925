"""The codes themselves, on real bits: numpy arrays in and out.

WOM codes write cells again without an erase, error-correcting codes mend what the cells get wrong. Nothing here models
anything; the simulation's probabilities come from these encoders and decoders.

Examples:
    >>> import numpy as np
    >>> from rewear.codes import WomV
    >>> code = WomV(2, 4)
    >>> first = code.encode(np.arange(64, dtype=np.uint8), code.erased(64))
    >>> again = code.encode(np.arange(64, 128, dtype=np.uint8), first.image, first.invalid)
    >>> bool((code.decode(again.image, 64) == np.arange(64, 128)).all()), again.invalid.count
    (True, 0)

Arguments are copied before work begins and results are new arrays, so threads may share everything; the GIL is released
meanwhile. What a code refuses is a `CodeError`, a word beyond correction an `UncorrectableError`, an argument of a
wrong type a `TypeError`.
"""

from rewear._codes import (
    Bch,
    BchDecoded,
    FlipNWrite,
    FlipNWritten,
    InvalidCells,
    Ldpc,
    LdpcDecoded,
    MlcWordLine,
    PageCode,
    Plan,
    PolarAttempt,
    PolarWom,
    RivestShamir,
    SecondWrite,
    Sensing,
    WomV,
    WomVWritten,
    WriteCounts,
    find_mlc_corruption,
    largest_t,
    ln_binomial_tail,
    max_generations,
    program_mlc_cell,
    rber_at_uber,
)
from rewear.codes.erase_factor import erase_factor, victim_valid_share
from rewear.codes.measure import (
    bch_limit,
    measure_bch,
    measure_ldpc,
    measure_retries,
    measure_table_2,
    measure_wom_v,
)
from rewear.codes.study import SECTIONS, study
from rewear.core.errors import CodeError, UncorrectableError

__all__ = [
    "SECTIONS",
    "Bch",
    "BchDecoded",
    "CodeError",
    "FlipNWrite",
    "FlipNWritten",
    "InvalidCells",
    "Ldpc",
    "LdpcDecoded",
    "MlcWordLine",
    "PageCode",
    "Plan",
    "PolarAttempt",
    "PolarWom",
    "RivestShamir",
    "SecondWrite",
    "Sensing",
    "UncorrectableError",
    "WomV",
    "WomVWritten",
    "WriteCounts",
    "bch_limit",
    "erase_factor",
    "find_mlc_corruption",
    "largest_t",
    "ln_binomial_tail",
    "max_generations",
    "measure_bch",
    "measure_ldpc",
    "measure_retries",
    "measure_table_2",
    "measure_wom_v",
    "program_mlc_cell",
    "rber_at_uber",
    "study",
    "victim_valid_share",
]
