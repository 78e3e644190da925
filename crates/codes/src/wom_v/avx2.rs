//! The encoder of four-bit cells for processors with AVX2: 128 bytes of cells at a time, data
//! spread by look-ups of nibbles.

use std::arch::x86_64::*;

use super::lanes;

/// Bytes of cells of a block.
pub(super) const BLOCK_BYTES: usize = 128;
const REGISTERS: usize = BLOCK_BYTES / 32;

type Block = [__m256i; REGISTERS];

/// Raises whole blocks of cells of four bits, with `K` of data, and returns how many there were.
/// Calls `stopped` with the number of each block in which a cell had to stop at the highest level.
#[target_feature(enable = "avx2")]
pub(super) fn raise_blocks<const K: u32>(
    data: &[u8],
    image: &mut [u8],
    mut stopped: impl FnMut(usize, &[u8], &[u8]),
) -> usize {
    let (mask, top) = (repeat(lanes::repeat(4, (1 << K) - 1)), repeat(lanes::repeat(4, 8)));
    let numbers = data.chunks_exact(BLOCK_BYTES / 8 * 2 * K as usize);
    let mut blocks = 0;
    for (cells, number) in image.chunks_exact_mut(BLOCK_BYTES).zip(numbers) {
        let guarded = match K {
            1 => spread_1(number),
            2 => spread_2(number),
            _ => spread_3(number),
        };
        let (mut all_over, mut over) = (_mm256_setzero_si256(), [_mm256_setzero_si256(); REGISTERS]);
        let mut raised = over;
        for i in 0..REGISTERS {
            // SAFETY: a block has 32 bytes for each register, and the load needs no alignment.
            let level = unsafe { _mm256_loadu_si256(cells.as_ptr().cast::<__m256i>().add(i)) };
            // As `lanes::raise`, whose last step is left to blocks in which a cell stops.
            let step = _mm256_and_si256(_mm256_sub_epi8(guarded[i], _mm256_and_si256(level, mask)), mask);
            let high = _mm256_and_si256(level, top);
            let sum = _mm256_add_epi8(_mm256_andnot_si256(top, level), step);
            over[i] = _mm256_and_si256(sum, high);
            all_over = _mm256_or_si256(all_over, over[i]);
            raised[i] = _mm256_xor_si256(sum, high);
        }
        let stops = _mm256_testz_si256(all_over, all_over) == 0;
        for i in 0..REGISTERS {
            if stops {
                let below = _mm256_sub_epi8(over[i], _mm256_srli_epi64::<3>(over[i]));
                raised[i] = _mm256_or_si256(raised[i], _mm256_or_si256(over[i], below));
            }
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(cells.as_mut_ptr().cast::<__m256i>().add(i), raised[i]) };
        }
        if stops {
            stopped(blocks, cells, number);
        }
        blocks += 1;
    }
    blocks
}

/// The spread data of a block, two bits a cell, above which bit 2 of every cell is set.
#[inline]
#[target_feature(enable = "avx2")]
fn spread_2(data: &[u8]) -> Block {
    let table = load(&const { cells_of_nibbles(2, 0) }, 0);
    let mut block = [_mm256_setzero_si256(); REGISTERS];
    for (i, pair) in block.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let [low, high] = nibbles(load(data, 32 * i));
        let (low, high) = (_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
        *pair = [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)];
    }
    block
}

/// As [`spread_2`], one bit a cell, above which bit 1 is set.
#[inline]
#[target_feature(enable = "avx2")]
fn spread_1(data: &[u8]) -> Block {
    let first = load(&const { cells_of_nibbles(1, 0) }, 0);
    let second = load(&const { cells_of_nibbles(1, 2) }, 0);
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

/// As [`spread_2`], three bits a cell, above which bit 3 is set.
#[inline]
#[target_feature(enable = "avx2")]
fn spread_3(data: &[u8]) -> Block {
    let words = load(&const { overlapping_words() }, 0);
    let align = _mm256_set1_epi32(1 << 16 | 16);
    let mut block = [_mm256_setzero_si256(); REGISTERS];
    for (i, register) in block.iter_mut().enumerate() {
        let bytes = &data[24 * i..][..24];
        // SAFETY: 16 bytes from 0 on and from 8 on are within the 24.
        let [lower, upper] = unsafe {
            [_mm_loadu_si128(bytes.as_ptr().cast()), _mm_loadu_si128(bytes.as_ptr().add(8).cast())]
        };
        let twelve = _mm256_shuffle_epi8(_mm256_set_m128i(upper, lower), words);
        let twelve = _mm256_mullo_epi16(twelve, align);
        let low = _mm256_and_si256(_mm256_srli_epi16::<4>(twelve), _mm256_set1_epi16(0x003f));
        let high = _mm256_and_si256(_mm256_srli_epi16::<2>(twelve), _mm256_set1_epi16(0x3f00));
        let six = _mm256_or_si256(low, high);
        // The upper three bits move by one place.
        let cells = _mm256_add_epi8(six, _mm256_and_si256(six, _mm256_set1_epi8(0x38)));
        *register = _mm256_or_si256(cells, repeat(lanes::repeat(4, 8)));
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

/// For each nibble, in both halves of a register: the two cells of its bits `first` and up, `k`
/// bits a cell, under a guard bit.
const fn cells_of_nibbles(k: u32, first: u32) -> [u8; 32] {
    let (mut cells, mut i) = ([0; 32], 0);
    while i < 32 {
        let (bits, mask) = ((i as u8 % 16) >> first, (1 << k) - 1);
        cells[i] = (bits & mask) | ((bits >> k) & mask) << 4 | 0x11 << k;
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
