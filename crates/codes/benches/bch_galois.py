"""BCH decoding beside galois, on the same code and the same words, in the same run.

Both are called from Python, one codeword a call, and the call is part of the time: for Rewear it is most of it. Prints
one JSON object a line: name, value, unit, compared_with, ratio.
"""

import json
import time
from collections.abc import Callable

import galois
import numpy as np
from rewear.codes import Bch

DATA_BYTES = 512
T = 8
WORDS = 2
ROUNDS = 2


def main() -> None:
    """Times decoding of no, half and all errors that the code corrects."""
    code = Bch(DATA_BYTES, T)
    field = galois.GF(2**code.field_degree)
    peer = galois.BCH(2**code.field_degree - 1, d=2 * T + 1, extension_field=field)
    rng = np.random.default_rng(1)
    for errors in (0, T // 2, T):
        pages = [rng.integers(0, 256, DATA_BYTES, np.uint8) for _ in range(WORDS)]
        words = [damaged(code, page, errors, rng) for page in pages]
        split = [(np.packbits(word[: code.data_bits]), np.packbits(word[code.data_bits :])) for word in words]
        symbols = [galois.GF2(word) for word in words]
        ours_s, ours = fastest(lambda split=split: [code.decode(data, parity).data for data, parity in split])
        theirs_s, theirs = fastest(lambda symbols=symbols: [np.asarray(peer.decode(word)) for word in symbols])
        for page, found, other in zip(pages, ours, theirs, strict=True):
            if not ((found == page).all() and (np.packbits(other) == page).all()):
                raise SystemExit("a decoder is wrong")
        mb = WORDS * DATA_BYTES / 1e6
        line = {
            "name": f"bch_{DATA_BYTES}_b_t={T}_decode_{errors}_errors_from_python",
            "value": round(mb / ours_s, 2),
            "unit": "MB/s of user data, one codeword a Python call",
            "compared_with": f"galois {galois.__version__} from Python ({mb / theirs_s:.5f} MB/s)",
            "ratio": round(theirs_s / ours_s, 1),
        }
        print(json.dumps(line))


def damaged(code: Bch, page: np.ndarray, errors: int, rng: np.random.Generator) -> np.ndarray:
    """The bits of a codeword, `errors` of them wrong."""
    word = np.unpackbits(np.concatenate([page, code.encode(page)]))[: code.codeword_bits]
    word[rng.choice(word.size, errors, replace=False)] ^= 1
    return word


def fastest(work: Callable[[], list[np.ndarray]]) -> tuple[float, list[np.ndarray]]:
    """The fastest of several rounds in seconds, and what the work gave. The first round compiles the peer."""
    best, result = float("inf"), work()
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


if __name__ == "__main__":
    main()
