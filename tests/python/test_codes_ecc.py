"""The codes that correct errors: against an independent library, through numpy, and beyond what they correct."""

import math
import threading

import galois
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewear import codes
from rewear.core.errors import CodeError, UncorrectableError

SMALL = codes.Bch(16, 3)
PAGE = codes.Bch(512, 8)
LDPC = codes.Ldpc(512, 64)


def peer(code: codes.Bch) -> galois.BCH:
    """The same code in galois, whose default field has the Conway polynomial; unshortened.

    Without its compiler, which takes longer than all decoding here.
    """
    field = galois.GF(2**code.field_degree, compile="python-calculate")
    return galois.BCH(2**code.field_degree - 1, d=2 * code.t + 1, extension_field=field)


@pytest.mark.parametrize("code", [SMALL, PAGE], ids=repr)
def test_generator_and_parity_are_those_of_galois(code):
    other = peer(code)
    assert other.n - other.k == code.parity_bits
    assert [int(power) for power in other.generator_poly.nonzero_degrees] == code.generator_powers().tolist()
    rng = np.random.default_rng(1)
    for _ in range(20):
        data = rng.integers(0, 256, code.data_bytes, np.uint8)
        codeword = np.asarray(other.encode(np.unpackbits(data)))
        assert (np.packbits(codeword[code.data_bits :]) == code.encode(data)).all()


def test_decoding_is_that_of_galois_within_and_beyond_the_radius():
    other, code = peer(SMALL), SMALL
    rng = np.random.default_rng(2)
    beyond = 0
    for trial in range(100):
        data = rng.integers(0, 256, code.data_bytes, np.uint8)
        word = np.concatenate([np.unpackbits(data), np.unpackbits(code.encode(data))])[: code.codeword_bits]
        word[rng.choice(word.size, trial % 7, replace=False)] ^= 1
        read, corrected = other.decode(galois.GF2(word), errors=True)
        try:
            found = code.decode(np.packbits(word[: code.data_bits]), np.packbits(word[code.data_bits :]))
        except UncorrectableError:
            # A decoder of the unshortened code may correct bits that a shortened one has not.
            assert corrected == -1 or trial % 7 > code.t
            beyond += 1
        else:
            assert (np.unpackbits(found.data) == np.asarray(read)).all()
            assert found.bit_errors == corrected
            assert trial % 7 > code.t or (found.data == data).all()
    assert beyond > 15


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32), errors=st.integers(0, 8), erasures=st.integers(0, 16))
def test_bch_corrects_errors_and_erasures_up_to_its_radius(seed, errors, erasures):
    erasures = min(erasures, 2 * (PAGE.t - errors))
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, PAGE.data_bytes, np.uint8)
    parity = PAGE.encode(data)
    bits = np.unpackbits(np.concatenate([data, parity]))
    places = rng.choice(PAGE.codeword_bits, errors + erasures, replace=False)
    bits[places[:errors]] ^= 1
    bits[places[errors:]] = rng.integers(0, 2, erasures)
    read = np.packbits(bits)
    found = PAGE.decode(read[: PAGE.data_bytes], read[PAGE.data_bytes :], np.sort(places[errors:]))
    assert (found.data == data).all()
    assert (found.parity == parity).all()
    assert (found.bit_errors, found.erased_bits) == (errors, erasures)


def test_garbage_is_refused_or_a_codeword():
    rng = np.random.default_rng(5)
    for _ in range(50):
        data = rng.integers(0, 256, PAGE.data_bytes, np.uint8)
        parity = rng.integers(0, 256, PAGE.parity_bytes, np.uint8)
        before = data.copy(), parity.copy()
        try:
            found = PAGE.decode(data, parity)
            assert (PAGE.encode(found.data) == found.parity).all()
        except UncorrectableError:
            pass
        assert (data == before[0]).all()
        assert (parity == before[1]).all()
        with pytest.raises(UncorrectableError):
            LDPC.decode(data, rng.integers(0, 256, LDPC.parity_bytes, np.uint8))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), decoder=st.sampled_from(["min-sum", "bit-flipping", "bit-flipping-then-min-sum"]))
def test_ldpc_corrects_a_few_errors_with_every_decoder(seed, decoder):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, LDPC.data_bytes, np.uint8)
    parity = LDPC.encode(data)
    assert LDPC.is_codeword(data, parity)
    bits = np.unpackbits(np.concatenate([data, parity]), bitorder="little")
    bits[rng.choice(bits.size, 4, replace=False)] ^= 1
    read = np.packbits(bits, bitorder="little")
    found = LDPC.decode(read[: LDPC.data_bytes], read[LDPC.data_bytes :], decoder=decoder)
    assert (found.data == data).all()
    assert found.bit_errors == 4
    assert found.iterations > 0


def test_the_ldpc_matrix_checks_its_codewords():
    z, blocks = LDPC.circulant_bits, LDPC.blocks()
    rng = np.random.default_rng(6)
    data = rng.integers(0, 256, LDPC.data_bytes, np.uint8)
    bits = np.unpackbits(np.concatenate([data, LDPC.encode(data)]), bitorder="little")
    checks = np.zeros((blocks[:, 0].max() + 1, z), np.uint8)
    for row, column, shift in blocks.tolist():
        checks[row] ^= np.roll(bits[column * z : (column + 1) * z], -shift)
    assert not checks.any()
    assert bits.size == LDPC.codeword_bits


def test_a_soft_read_corrects_what_a_hard_one_cannot():
    code, rng = codes.Ldpc(4096, 384), np.random.default_rng(7)
    sensing = codes.Sensing(9e-3, 3)
    assert sensing.probabilities().sum() == pytest.approx(1)
    data = rng.integers(0, 256, code.data_bytes, np.uint8)
    parity = code.encode(data)
    llrs = sensing.read(np.concatenate([data, parity]), rng.random(code.codeword_bits))
    assert llrs.dtype == np.int8
    assert set(llrs.tolist()) <= set(sensing.llrs().tolist())
    found = code.decode_soft(llrs)
    assert (found.data == data).all()
    assert (found.parity == parity).all()
    hard = np.packbits(llrs < 0, bitorder="little")
    with pytest.raises(UncorrectableError, match="parity checks"):
        code.decode(hard[: code.data_bytes], hard[code.data_bytes :])


def test_limits_are_the_binomial_tail():
    assert codes.largest_t(4096, 0.025) == 51
    limit = codes.bch_limit(codes.Bch(4096, 51))
    assert limit["rber"] == pytest.approx(5.3e-4, rel=0.01)
    tail = codes.ln_binomial_tail(limit["codeword_bits"], limit["rber"], 51)
    assert math.exp(tail) / (8 * 4096) == pytest.approx(1e-15, rel=1e-6)
    assert codes.rber_at_uber(8 * 4096, limit["codeword_bits"], 51, 1e-15) == pytest.approx(limit["rber"])
    direct = sum(math.comb(30, i) * 0.1**i * 0.9 ** (30 - i) for i in range(5, 31))
    assert codes.ln_binomial_tail(30, 0.1, 4) == pytest.approx(math.log(direct))


def test_measured_frame_error_rates_are_the_expected_ones():
    code = codes.Bch(1024, 14)
    row = codes.measure_bch(code, 1.75e-3, frames=2000, seed=11)
    expected = math.exp(codes.ln_binomial_tail(code.codeword_bits, 1.75e-3, 14))
    # Five standard deviations: the seed is fixed, but another one should do as well.
    assert abs(row["frame_error_rate"] - expected) < 5 * math.sqrt(expected * (1 - expected) / 2000)
    ldpc = codes.Ldpc(4096, 384)
    rates = [
        codes.measure_ldpc(ldpc, name, 6e-3, frames=100)["frame_error_rate"]
        for name in ("bit-flipping", "min-sum", "soft-3")
    ]
    assert rates[0] > rates[1] > rates[2] == 0


def test_threads_share_a_code():
    code = codes.Ldpc(4096, 384)
    rng = np.random.default_rng(8)
    pages = [rng.integers(0, 256, 4096, np.uint8) for _ in range(8)]
    results: list[np.ndarray | None] = [None] * len(pages)

    def work(number: int) -> None:
        for _ in range(10):
            parity = code.encode(pages[number])
            damaged = pages[number].copy()
            damaged[number] ^= 0xFF
            results[number] = code.decode(damaged, parity).data

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(pages))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found == page).all() for found, page in zip(results, pages, strict=True))


DATA, PARITY = np.zeros(512, np.uint8), np.zeros(PAGE.parity_bytes, np.uint8)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: codes.Bch(0, 1),
        lambda: codes.Bch(512, 0),
        lambda: codes.Bch(512, -1),
        lambda: codes.Bch(512, 600),
        lambda: codes.Bch(10000, 8),
        lambda: codes.Bch(2**63, 8),
        lambda: codes.Bch.with_data_bits(2**64 - 1, 8),
        lambda: PAGE.encode(DATA[1:]),
        lambda: PAGE.decode(DATA, PARITY[1:]),
        lambda: PAGE.decode(DATA, PARITY, [5, 3]),
        lambda: PAGE.decode(DATA, PARITY, [-1]),
        lambda: PAGE.decode(DATA, PARITY, [10**12]),
        lambda: codes.Bch.with_data_bits(9, 1).encode(np.array([255, 0], np.uint8)),
        lambda: codes.Ldpc(4096, 100),
        lambda: codes.Ldpc(4096, 0),
        lambda: codes.Ldpc(2**40, 2**40),
        lambda: LDPC.encode(DATA[:-1]),
        lambda: LDPC.decode(DATA, PARITY),
        lambda: LDPC.decode(DATA, np.zeros(64, np.uint8), decoder="magic"),
        lambda: LDPC.decode(DATA, np.zeros(64, np.uint8), max_iterations=2**40),
        lambda: LDPC.decode_soft(np.zeros(5, np.int8)),
        lambda: codes.Sensing(0.5, 1),
        lambda: codes.Sensing(float("nan"), 1),
        lambda: codes.Sensing(0.01, 16),
        lambda: codes.Sensing(0.01, 1).read(DATA, np.zeros(5)),
        lambda: codes.largest_t(4096, 2.0),
        lambda: codes.rber_at_uber(100, 50, 3, 1e-15),
        lambda: codes.rber_at_uber(100, 200, 3, 0.0),
        lambda: codes.bch_limit(PAGE, -1.0),
        lambda: codes.ln_binomial_tail(10, float("nan"), 3),
        lambda: codes.ln_binomial_tail(2**60, 0.1, 3),
        lambda: codes.measure_bch(PAGE, 0.5),
        lambda: codes.measure_bch(PAGE, 0.1, frames=2**33),
        lambda: codes.measure_ldpc(LDPC, "soft-2", 0.1),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(wrong):
    with pytest.raises(CodeError) as caught:
        wrong()
    assert not isinstance(caught.value, UncorrectableError)
    assert len(str(caught.value)) > 15


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PAGE.encode(DATA.astype(np.int8)),
        lambda: PAGE.encode(DATA.reshape(2, 256)),
        lambda: PAGE.encode(None),
        lambda: PAGE.decode(DATA, PARITY, np.array([1.5])),
        lambda: LDPC.decode_soft(np.zeros(LDPC.codeword_bits)),
        lambda: codes.Bch(512, "8"),
    ],
)
def test_a_wrong_type_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        wrong()
