"""The sections of the study about codes that correct errors."""

import math
from functools import partial
from typing import Any

from rewear._codes import Bch, Ldpc, largest_t, ln_binomial_tail
from rewear.codes import measure
from rewear.codes.measure import Jobs
from rewear.core.progress import ProgressCallback

USUAL_UBER = 1e-15
"""The uncorrectable bit error rate that drives promise (JEDEC JESD218)."""

_DATA_BYTES = (512, 1024, 2048, 4096)
_PARITY_SHARES = (0.025, 0.04, 0.065, 0.09)
_MEASURED_BCH = ((4096, 51), (4096, 81), (4096, 133), (4096, 184), (1024, 14), (1024, 23), (1024, 52))
_FRAME_ERROR_RATES = (0.9, 0.5, 0.2, 0.05, 0.01, 0.002)
"""Where a BCH code is measured: the raw bit error rates at which these frame error rates are expected."""

# Where each LDPC code and decoder is measured: the raw bit error rate at which it fails nine times of ten, and the
# factor by which every further point lies below the one before.
_LDPC_POINTS = 7
_LDPC_DECODERS = ("bit-flipping", "min-sum", "soft-3", "soft-7")
_LDPC_CURVES = {
    256: ((3.4e-3, 1.07), (4.55e-3, 1.065), (1.05e-2, 1.045), (1.18e-2, 1.035)),
    384: ((5.4e-3, 1.06), (7.2e-3, 1.05), (1.52e-2, 1.035), (1.7e-2, 1.025)),
    1024: ((1.51e-2, 1.04), (2.16e-2, 1.025), (3.75e-2, 1.02), (4.12e-2, 1.015)),
}
_PAGE_BYTES = 4096


def bch(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Raw bit error rates at UBER 1e-15, and measured frame error rates beside the binomial tail's."""
    measured = [(size, t, rate) for size, t in _MEASURED_BCH for rate in _FRAME_ERROR_RATES]
    return {
        "limits": [partial(_limit, size, share) for size in _DATA_BYTES for share in _PARITY_SHARES],
        "frame_error_rates": [
            partial(_bch_row, *choice, samples, seed + i, progress) for i, choice in enumerate(measured)
        ],
    }


def _limit(data_bytes: int, parity_share: float) -> dict[str, Any]:
    code = Bch(data_bytes, largest_t(data_bytes, parity_share))
    return {"parity_budget_percent": 100 * parity_share, **measure.bch_limit(code, USUAL_UBER)}


def _bch_row(
    data_bytes: int, t: int, frame_error_rate: float, frames: int, seed: int, progress: ProgressCallback
) -> dict[str, Any]:
    code = Bch(data_bytes, t)
    row = measure.measure_bch(code, _rber(code, frame_error_rate), frames=frames, seed=seed, progress=progress)
    expected = math.exp(ln_binomial_tail(code.codeword_bits, row["rber"], t))
    return {"t": t, "codeword_bits": code.codeword_bits, **row, "expected": expected}


def _rber(code: Bch, frame_error_rate: float) -> float:
    """The raw bit error rate, to three digits, at which more than t bits are wrong with this probability."""
    low, high = 1e-9, 0.4
    for _ in range(60):
        middle = math.sqrt(low * high)
        if math.exp(ln_binomial_tail(code.codeword_bits, middle, code.t)) < frame_error_rate:
            low = middle
        else:
            high = middle
    return float(f"{high:.3g}")


def ldpc(samples: int, seed: int, progress: ProgressCallback) -> Jobs:
    """Measured frame error rates of page-sized codes: hard decoders and soft ones."""
    jobs: Jobs = {"codes": [], "frame_error_rates": []}
    number = 0
    for parity_bytes, curves in _LDPC_CURVES.items():
        code = Ldpc(_PAGE_BYTES, parity_bytes)
        jobs["codes"].append(partial(_ldpc_code, code))
        for decoder, (highest, step) in zip(_LDPC_DECODERS, curves, strict=True):
            for place in range(_LDPC_POINTS):
                rber = float(f"{highest / step**place:.3g}")
                row = partial(_ldpc_row, code, decoder, rber, samples, seed + number, progress)
                jobs["frame_error_rates"].append(row)
                number += 1
    return jobs


def _ldpc_code(code: Ldpc) -> dict[str, Any]:
    return {
        "data_bytes": code.data_bytes,
        "parity_bytes": code.parity_bytes,
        "rate": code.rate,
        "circulant_bits": code.circulant_bits,
        "blocks": len(code.blocks()),
    }


def _ldpc_row(
    code: Ldpc, decoder: Any, rber: float, frames: int, seed: int, progress: ProgressCallback
) -> dict[str, Any]:
    row = measure.measure_ldpc(code, decoder, rber, frames=frames, seed=seed, progress=progress)
    return {"decoder": decoder, **row}
