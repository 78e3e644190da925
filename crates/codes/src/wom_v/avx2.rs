//! The encoder of four-bit cells for processors with AVX2: 128 bytes of cells at a time, data
//! spread by look-ups of nibbles.

use std::arch::x86_64::*;

use super::{Invalid, lanes};

/// Bytes of cells of a block.
pub(super) const BLOCK_BYTES: usize = 128;
const REGISTERS: usize = BLOCK_BYTES / 32;

type Block = [__m256i; REGISTERS];

/// Raises whole blocks of cells of four bits, with `K` of data, of which the first is cell `first`.
/// Cells that stop at the highest level go into `invalid`.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn raise_blocks<const K: u32>(
    data: &[u8],
    image: &mut [u8],
    mut first: usize,
    invalid: &mut Invalid,
) {
    let (mask, top) = (repeat(lanes::repeat(4, (1 << K) - 1)), repeat(lanes::over_bits(4)));
    let numbers = data.chunks_exact(BLOCK_BYTES / 8 * 2 * K as usize);
    for (cells, number) in image.chunks_exact_mut(BLOCK_BYTES).zip(numbers) {
        let missing = match K {
            1 => missing_1(number),
            2 => missing_2(number),
            _ => missing_3(number),
        };
        let zero = _mm256_setzero_si256();
        let (mut level, mut raised, mut over) = ([zero; REGISTERS], [zero; REGISTERS], zero);
        for i in 0..REGISTERS {
            // SAFETY: a block has 32 bytes for each register, and the load needs no alignment.
            level[i] = unsafe { _mm256_loadu_si256(cells.as_ptr().cast::<__m256i>().add(i)) };
            // As `lanes::raise`. A cell that goes past the highest level loses its top bit here.
            raised[i] = take_data(_mm256_add_epi8(level[i], missing[i]), mask, missing[i]);
            over = _mm256_or_si256(over, _mm256_andnot_si256(raised[i], level[i]));
        }
        if _mm256_testz_si256(over, top) == 0 {
            for i in 0..REGISTERS {
                let over;
                (raised[i], over) = raise_and_stop(level[i], mask, missing[i]);
                let even = _mm256_movemask_epi8(_mm256_slli_epi64::<4>(over));
                invalid
                    .add(first + 64 * i, lanes::interleave(even as u32, _mm256_movemask_epi8(over) as u32));
            }
        }
        for (i, raised) in raised.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(cells.as_mut_ptr().cast::<__m256i>().add(i), raised) };
        }
        first += 2 * BLOCK_BYTES;
    }
}

/// The data in the bits of `mask`, `sum` above them.
#[inline]
#[target_feature(enable = "avx2")]
fn take_data(sum: __m256i, mask: __m256i, missing: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_or_si256(sum, mask), missing)
}

/// As [`lanes::raise`].
#[inline]
#[target_feature(enable = "avx2")]
fn raise_and_stop(level: __m256i, mask: __m256i, missing: __m256i) -> (__m256i, __m256i) {
    let top = _mm256_and_si256(level, repeat(lanes::over_bits(4)));
    let sum = _mm256_add_epi8(_mm256_xor_si256(level, top), missing);
    let over = _mm256_and_si256(sum, top);
    let full = _mm256_or_si256(over, _mm256_sub_epi8(over, _mm256_srli_epi64::<3>(over)));
    let raised = _mm256_xor_si256(take_data(sum, mask, missing), top);
    (_mm256_or_si256(raised, full), over)
}

/// The difference to 3 of the data of a block, two bits a cell.
#[inline]
#[target_feature(enable = "avx2")]
fn missing_2(data: &[u8]) -> Block {
    let table = load(&const { missing_of_nibbles(2, 0) }, 0);
    let mut block = [_mm256_setzero_si256(); REGISTERS];
    for (i, pair) in block.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let [low, high] = nibbles(load(data, 32 * i));
        let (low, high) = (_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
        *pair = [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)];
    }
    block
}

/// As [`missing_2`], one bit a cell: what it lacks to 1.
#[inline]
#[target_feature(enable = "avx2")]
fn missing_1(data: &[u8]) -> Block {
    let first = load(&const { missing_of_nibbles(1, 0) }, 0);
    let second = load(&const { missing_of_nibbles(1, 2) }, 0);
    let [low, high] = nibbles(load(data, 0));
    let each = [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)];
    let mut block = [_mm256_setzero_si256(); REGISTERS];
    for (pair, nibbles) in block.as_chunks_mut::<2>().0.iter_mut().zip(each) {
        let nibbles = in_unpacking_order(nibbles);
        let (low, high) = (_mm256_shuffle_epi8(first, nibbles), _mm256_shuffle_epi8(second, nibbles));
        *pair = [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)];
    }
    block
}

/// As [`missing_2`], three bits a cell: what they lack to 7.
#[inline]
#[target_feature(enable = "avx2")]
fn missing_3(data: &[u8]) -> Block {
    let words = load(&const { overlapping_words() }, 0);
    let align = _mm256_set1_epi32(1 << 16 | 16);
    let mut block = [_mm256_setzero_si256(); REGISTERS];
    for (i, register) in block.iter_mut().enumerate() {
        // 16 bytes from byte `24 * i` on and 16 from byte `24 * i + 8` on. The last load begins
        // eight bytes before them, and so ends with the block.
        let last = i == REGISTERS - 1;
        let first = if last { 2 } else { 0 };
        let twice = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 2, 3, 4, 5), _mm256_set1_epi32(first));
        let bytes = load(data, if last { 24 * i - 8 } else { 24 * i });
        let twice = _mm256_permutevar8x32_epi32(bytes, twice);
        let twelve = _mm256_shuffle_epi8(twice, words);
        let twelve = _mm256_mullo_epi16(twelve, align);
        let low = _mm256_andnot_si256(_mm256_srli_epi16::<4>(twelve), _mm256_set1_epi16(0x003f));
        let high = _mm256_andnot_si256(_mm256_srli_epi16::<2>(twelve), _mm256_set1_epi16(0x3f00));
        let six = _mm256_or_si256(low, high);
        // The upper three bits move by one place.
        *register = _mm256_add_epi8(six, _mm256_and_si256(six, _mm256_set1_epi8(0x38)));
    }
    block
}

/// The low and the high nibbles of 32 bytes, in an order whose unpacking gives them one after the
/// other.
#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(bytes: __m256i) -> [__m256i; 2] {
    let (bytes, nibble) = (in_unpacking_order(bytes), _mm256_set1_epi8(15));
    [_mm256_and_si256(bytes, nibble), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble)]
}

/// Quarters 0, 2, 1, 3: unpacking works on each half of a register by itself.
#[inline]
#[target_feature(enable = "avx2")]
fn in_unpacking_order(bytes: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes)
}

/// For each nibble, in both halves of a register: two cells of which each holds what `k` bits, from
/// bit `first` up, lack to `2^k - 1`.
const fn missing_of_nibbles(k: u32, first: u32) -> [u8; 32] {
    let (mut cells, mut i) = ([0; 32], 0);
    while i < 32 {
        let (bits, mask) = (!(i as u8 % 16) >> first, (1 << k) - 1);
        cells[i] = (bits & mask) | ((bits >> k) & mask) << 4;
        i += 1;
    }
    cells
}

/// Where the bytes of words come from of which three bytes make two: bytes 0 and 1, bytes 1 and 2.
/// The even words hold their 12 bits four places too low. The upper half of a register is loaded
/// with four bytes that belong to the lower.
const fn overlapping_words() -> [u8; 32] {
    let (mut from, mut i) = ([0; 32], 0);
    while i < 32 {
        let (half, group, byte) = (i / 16, i % 16 / 4, i % 4);
        from[i] = (4 * half + 3 * group + byte - byte / 2) as u8;
        i += 1;
    }
    from
}

/// 32 bytes from `at` on.
#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8], at: usize) -> __m256i {
    let bytes = &bytes[at..][..32];
    // SAFETY: the slice is 32 bytes long, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn repeat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}
