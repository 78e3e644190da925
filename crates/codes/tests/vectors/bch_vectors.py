"""Known answers for tests/bch_vectors.rs, computed by the independent library galois 0.4 (pip install galois).

Usage: python bch_vectors.py > bch_vectors.txt
A line: data bits, t, parity bits, the eight highest powers of the generator polynomial, seed of the data, parity in
hexadecimal (highest power first, padded with 0 bits to whole bytes).
Data byte i is (a * i * i + 17 * i + a) mod 256 with a = the seed; a code of k bits takes the last k bits of
ceil(k / 8) bytes.
"""

import galois
import numpy as np


def smallest_code(k, t):
    for m in range(3, 17):
        field = galois.GF(2**m)  # galois' default irreducible polynomial is the Conway polynomial
        if k + t >= 2**m:
            continue
        g, seen = galois.Poly([1], field=galois.GF(2)), set()
        for j in range(1, 2 * t, 2):
            minimal = (field.primitive_element**j).minimal_poly()
            if minimal not in seen:
                seen.add(minimal)
                g *= minimal
        if k + g.degree <= 2**m - 1:
            return field, m, g
    raise ValueError((k, t))


def main():
    for k, t in [
        (7, 2),
        (5, 3),
        (64, 5),
        (512 * 8, 4),
        (512 * 8, 40),
        (1024 * 8, 14),
        (1024 * 8, 52),
        (2048 * 8, 36),
        (4096 * 8, 51),
        (4096 * 8, 184),
    ]:
        field, m, g = smallest_code(k, t)
        n = 2**m - 1
        if k <= 4096:  # the whole class of galois, where it builds in seconds
            code = galois.BCH(n, n - g.degree, extension_field=field)
            assert code.generator_poly == g and code.t >= t, (k, t, code)
        powers = ",".join(str(int(p)) for p in g.nonzero_degrees[:8])
        for seed in (1, 7, 202):
            size = (k + 7) // 8
            data = np.array([(seed * i * i + 17 * i + seed) % 256 for i in range(size)], dtype=np.uint8)
            bits = np.unpackbits(data)[8 * size - k :]
            remainder = int(galois.Poly(np.concatenate([bits, np.zeros(g.degree, np.uint8)]), field=galois.GF(2)) % g)
            padding = -g.degree % 8
            parity = (remainder << padding).to_bytes((g.degree + 7) // 8, "big").hex()
            print(k, t, g.degree, powers, seed, parity)


main()
