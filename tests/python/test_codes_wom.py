"""The codes that write again, through numpy: round trips, cells that never fall, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewear import codes
from rewear.core.errors import CodeError, ConfigurationError

PAGE = 256


def page(draw_bytes: bytes) -> np.ndarray:
    return np.frombuffer(draw_bytes, np.uint8)


PAGES = st.binary(min_size=PAGE, max_size=PAGE).map(page)
POLAR = codes.PageCode(PAGE, raw_bytes=40)


def written_pair(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    written = [POLAR.first_write(data) for data in (first, second)]
    return np.stack([page for page, _, _ in written]), np.stack([spare for _, spare, _ in written])


@settings(max_examples=150, deadline=None)
@given(first=PAGES, second=PAGES, data=PAGES, address=st.integers(0, 2**64 - 1), planned=st.booleans())
def test_a_second_write_reads_back_and_lowers_no_cell(first, second, data, address, planned):
    pages, spares = written_pair(first, second)
    for number, old in enumerate((first, second)):
        assert (POLAR.read_first_write(pages[number], spares[number]) == old).all()
        assert 2 * int(np.bitwise_count(pages[number]).sum()) <= 8 * PAGE
    before = pages.copy(), spares.copy()
    done = POLAR.second_write(pages, spares, data, address=address, attempts=8, planned=planned, repair=True)
    assert (pages == before[0]).all()
    assert (spares == before[1]).all()
    assert done.pages.shape == pages.shape
    assert done.pages.dtype == np.uint8
    if done.success:
        assert (done.pages & pages == pages).all()
        assert (done.spares & spares == spares).all()
        assert (POLAR.read(done.pages, done.spares, address=address) == data).all()
        with pytest.raises(CodeError):
            POLAR.second_write(done.pages, done.spares, data)
    else:
        assert done.attempt is None
        assert (done.pages == pages).all()


def test_no_determined_bit_is_certain_success_and_a_full_page_certain_failure():
    rng = np.random.default_rng(1)
    empty, full = np.zeros((2, PAGE), np.uint8), np.full((2, PAGE), 255, np.uint8)
    spares = np.zeros((2, POLAR.spare_bytes), np.uint8)
    data = rng.integers(0, 256, PAGE, np.uint8)
    assert POLAR.plan(empty).determined == 0
    assert POLAR.second_write(empty, spares, data).success
    assert POLAR.plan(full).determined == 8 * POLAR.polar_bytes
    assert not POLAR.second_write(full, spares, data, attempts=8).success


def test_the_plan_is_the_smallest_of_all_attempts():
    rng = np.random.default_rng(2)
    code = codes.PolarWom(4096, 1800)
    cells = rng.integers(0, 256, code.cell_bytes, np.uint8)
    determined = [code.determined(cells, attempt) for attempt in range(8)]
    plan = code.plan(cells)
    assert (plan.determined, plan.attempt) == (min(determined), int(np.argmin(determined)))
    assert int(np.bitwise_count(code.message_positions()).sum()) == 1800


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), attempt=st.integers(0, 7), repair=st.booleans())
def test_polar_codewords_agree_with_programmed_cells(seed, attempt, repair):
    rng = np.random.default_rng(seed)
    code = codes.PolarWom(1024, 400)
    cells, message = rng.integers(0, 256, (2, 128), np.uint8)
    message = message[: code.message_bytes]
    tried = code.encode(cells, message, address=seed, attempt=attempt, repair=repair)
    if tried.success:
        assert (tried.cells & cells == cells).all()
        assert (code.decode(tried.cells, address=seed, attempt=attempt) == message).all()
    assert not (tried.repaired and not repair)


@settings(max_examples=80, deadline=None)
@given(choice=st.sampled_from(codes.WomV.all()), seed=st.integers(0, 2**32), size=st.integers(0, 70))
def test_wom_v_levels_only_rise_and_hold_the_last_data(choice, seed, size):
    rng = np.random.default_rng(seed)
    image, invalid = choice.erased(size), None
    for _ in range(choice.generations + 2):
        data = rng.integers(0, 256, size, np.uint8)
        expected = choice.preview(data, image, invalid)
        done = choice.encode(data, image, invalid)
        assert done.newly_invalid == expected
        before, after = choice.levels(image, size), choice.levels(done.image, size)
        assert (after >= before).all()
        assert after.max(initial=0) <= choice.max_level
        wrong = np.flatnonzero(differing_cells(choice, data, choice.decode(done.image, size)))
        assert set(wrong) <= set(done.invalid.indices())
        image, invalid = done.image, done.invalid


def differing_cells(code: codes.WomV, data: np.ndarray, read: np.ndarray) -> np.ndarray:
    bits = np.unpackbits(data ^ read, bitorder="little")
    padded = np.pad(bits, (0, -bits.size % code.k))
    return padded.reshape(-1, code.k).any(axis=1)


def test_wom_v_is_the_papers_example_and_no_read_needs_no_read():
    code = codes.WomV(3, 4)
    assert code.generations == 2
    assert " 1001     V9   001  GEN2" in " " + code.table().replace("\n", "\n ")
    rng = np.random.default_rng(3)
    levels = np.zeros(code.cells_for(30), np.uint8)
    for generation in range(code.generations):
        data = rng.integers(0, 256, 30, np.uint8)
        image = code.encode_no_read(generation, data)
        assert (code.levels(image, 30) >= levels).all()
        assert (code.decode(image, 30) == data).all()
        levels = code.levels(image, 30)


def test_write_counts_are_the_notes_of_the_paper():
    code = codes.WomV(2, 4)
    means = {check: code.write_counts(ecc_check=check).mean for check in ("no-read", "pre", "post")}
    assert means["no-read"] == 5
    assert means["pre"] == pytest.approx(6, abs=0.01)
    assert means["post"] == pytest.approx(7, abs=0.01)
    assert code.invalid_shares(7)[-1] == pytest.approx(0.045, abs=0.002)
    at_least = code.write_counts().at_least()
    assert at_least[0] == 1
    assert (np.diff(at_least) <= 0).all()


@pytest.mark.parametrize("table", ["second-write", "seal"])
def test_rivest_shamir_writes_everything_twice(table):
    code = codes.RivestShamir(table)
    for first in range(256):
        image = code.encode(np.array([first, 255 - first], np.uint8))
        assert (code.decode(image) == [first, 255 - first]).all()
        for second in range(0, 256, 5):
            again = code.encode(np.array([second, first], np.uint8), image)
            assert (code.decode(again) == [second, first]).all()
            changed = (again & ~image) if table == "seal" else (image & ~again)
            assert not changed.any()


def test_no_binary_code_has_more_than_two_generations_of_two_bits_in_four_cells():
    assert codes.max_generations(4, 4) == 2
    assert codes.max_generations(4, 3) == 2


@given(data=st.lists(PAGES, min_size=1, max_size=3), word_bits=st.sampled_from([8, 16, 32, 64]))
def test_flip_n_write_changes_at_most_half_of_a_word(data, word_bits):
    code = codes.FlipNWrite(word_bits)
    cells, flags = np.zeros(PAGE, np.uint8), np.zeros(code.flag_bytes(PAGE), np.uint8)
    for wanted in data:
        done = code.encode(wanted, cells, flags)
        changed = int(np.bitwise_count(done.cells ^ cells).sum() + np.bitwise_count(done.flags ^ flags).sum())
        assert changed == done.set + done.reset <= PAGE * 8 // word_bits * code.max_changes_per_word
        assert (code.decode(done.cells, done.flags) == wanted).all()
        cells, flags = done.cells, done.flags


def test_the_mlc_cell_refuses_exactly_the_orders_that_corrupt():
    assert codes.find_mlc_corruption(["low", "low", "high"]) is None
    assert codes.find_mlc_corruption(["low", "high", "low"]) is not None
    word_line = codes.MlcWordLine()
    word_line.program("low")
    word_line.program("high")
    for name in ("low", "high"):
        with pytest.raises(CodeError, match="erase the block"):
            word_line.program(name)
    word_line.erase()
    word_line.program("high")
    assert codes.program_mlc_cell("p1", "high", False) == (7, "p2", "disturbed")


BYTES = np.zeros(PAGE, np.uint8)
PAIR = np.zeros((2, PAGE), np.uint8)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: codes.PolarWom(100, 50),
        lambda: codes.PolarWom(64, 65),
        lambda: codes.PolarWom(-64, 5),
        lambda: codes.PolarWom(2**70, 5),
        lambda: codes.PageCode(1000),
        lambda: codes.PageCode(2**63),
        lambda: codes.PageCode(4096, "paper211"),
        lambda: codes.PageCode(4096, raw_bytes=2048),
        lambda: codes.PageCode(4096, retry="never"),
        lambda: POLAR.first_write(BYTES[1:]),
        lambda: POLAR.read_first_write(BYTES, BYTES[:1]),
        lambda: POLAR.plan(PAIR, 9),
        lambda: POLAR.plan(PAIR, 0),
        lambda: POLAR.plan(PAIR[:, 1:]),
        lambda: POLAR.second_write(PAIR, PAIR[:, :5], BYTES),
        lambda: POLAR.second_write(PAIR, PAIR, BYTES[1:]),
        lambda: POLAR.second_write(PAIR, PAIR, BYTES, attempts=300),
        lambda: POLAR.read(PAIR, PAIR),
        lambda: codes.WomV(4, 4),
        lambda: codes.WomV(0, 4),
        lambda: codes.WomV(300, 400),
        lambda: codes.WomV(2, 4).encode(BYTES, BYTES),
        lambda: codes.WomV(2, 4).encode_no_read(5, BYTES),
        lambda: codes.WomV(2, 5).decode(np.full(4, 255, np.uint8), 1),
        lambda: codes.WomV(2, 4).erased(2**62),
        lambda: codes.WomV(2, 4).write_counts(0),
        lambda: codes.WomV(2, 4).write_counts(ecc_check="after"),
        lambda: codes.WomV(2, 4).write_counts(max_invalid_share=1.0),
        lambda: codes.WomV(2, 4).write_counts(max_invalid_share=float("nan")),
        lambda: codes.WomV(2, 4).invalid_shares(3, flip_rate=-0.5),
        lambda: codes.WomV(2, 4).encode(
            BYTES, codes.WomV(2, 4).erased(PAGE), codes.WomV(2, 4).encode(BYTES[:8], BYTES[:16]).invalid
        ),
        lambda: codes.RivestShamir("womv"),
        lambda: codes.RivestShamir().codeword(3, 0),
        lambda: codes.RivestShamir().codeword(1, 4),
        lambda: codes.RivestShamir().data(8),
        lambda: codes.RivestShamir().decode(BYTES[:4]),
        lambda: codes.RivestShamir().encode(BYTES, BYTES),
        lambda: codes.RivestShamir().image_bytes(2**63),
        lambda: codes.max_generations(4, 5),
        lambda: codes.max_generations(1, 4),
        lambda: codes.FlipNWrite(7),
        lambda: codes.FlipNWrite().encode(BYTES, BYTES[1:], BYTES[:1]),
        lambda: codes.program_mlc_cell("p4", "low", True),
        lambda: codes.find_mlc_corruption(["middle"]),
        lambda: codes.find_mlc_corruption(["low"] * 99),
        lambda: codes.measure_table_2("clean-spare", 1000.0),
        lambda: codes.measure_table_2("clean-spare", 210.0, cells=1000),
        lambda: codes.measure_retries(float("nan")),
        lambda: codes.measure_wom_v(9, 4),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(wrong):
    with pytest.raises(CodeError) as caught:
        wrong()
    assert len(str(caught.value)) > 15
    assert "panick" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: POLAR.plan(BYTES),
        lambda: POLAR.plan(np.zeros((3, PAGE), np.uint8)),
        lambda: POLAR.plan(PAIR.astype(np.int64)),
        lambda: POLAR.first_write(bytes(PAGE)),
        lambda: codes.WomV(2, 4).decode(BYTES.astype(float), PAGE),
        lambda: codes.WomV("2", 4),
        lambda: codes.WomV(2.5, 4),
        lambda: codes.WomV(2, 4).encode(BYTES, BYTES, {3}),
    ],
)
def test_a_wrong_type_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        wrong()


def test_arrays_that_are_not_contiguous_are_as_good():
    rng = np.random.default_rng(4)
    data = rng.integers(0, 256, 2 * PAGE, np.uint8)[::2]
    code = codes.WomV(2, 4)
    done = code.encode(data, code.erased(PAGE))
    assert (code.decode(done.image, PAGE) == data).all()


def test_the_theory_of_erases_has_the_limits_that_it_must_have():
    # Nothing to move in a nearly empty drive: only passes and rate count.
    assert codes.erase_factor(0.01, 0.5, 7) == pytest.approx(2 / 7, rel=1e-3)
    assert codes.erase_factor(0.01) == pytest.approx(1, rel=1e-3)
    # The relation between fullness and the victims' valid pages.
    share = codes.victim_valid_share(0.8)
    assert (share - 1) / np.log(share) == pytest.approx(0.8)
    # A drive that its data fills to the brim moves for ever; beyond that the data does not fit.
    assert codes.erase_factor(0.499, 0.5, 7) > 10 * codes.erase_factor(0.4, 0.5, 7)
    assert codes.erase_factor(0.5, 0.5, 7) == np.inf
    for wrong in ((0.0,), (0.5, 0.0), (0.5, 1.0, 0.5)):
        with pytest.raises(ConfigurationError):
            codes.erase_factor(*wrong)
