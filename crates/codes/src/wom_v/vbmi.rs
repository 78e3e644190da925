//! The encoder for processors with AVX-512 VBMI and GFNI, where three instructions spread data over
//! 64 bytes of cells and three more raise them.

use std::arch::x86_64::*;
use std::ops::Range;

use super::blocks::data_before;
use super::{Invalid, lanes};

/// Bytes of cells whose overflow is looked at together.
const BLOCK_BYTES: usize = 128;
const REGISTERS: usize = BLOCK_BYTES / 64;

/// Whether this processor has the instructions, beyond those of [`crate::isa::Level::Avx512`].
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("gfni")
}

/// Raises the cells of a page. Those that stop at the highest level go into `invalid`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni,bmi2,popcnt")]
pub(super) fn raise_page<const K: u32, const N: u32>(data: &[u8], image: &mut [u8], invalid: &mut Invalid) {
    let body = body::<K, N>(data, image);
    for at in edges(&body, image.len()) {
        let edge = Edge::new::<K, N>(data, invalid.cells(), &at);
        let cells = &mut image[at.clone()];
        let level = edge.load(cells);
        let (raised, over) = raise_and_stop::<N>(level, edge.mask, edge.missing);
        edge.store(raised, cells);
        if _mm512_test_epi64_mask(over, over) != 0 {
            add_stopped::<N>(invalid, at.start * lanes::in_byte(N), over);
        }
    }
    let spread = Spread::new::<K, N>();
    let mask = splat(lanes::repeat(N, (1 << K) - 1));
    let over_bits = splat(lanes::over_bits(N));
    let mut at = data_before::<K, N>(body.start);
    // No call within the loop: it would cost the constants their registers.
    for cells in image[body].chunks_exact_mut(BLOCK_BYTES) {
        let zero = _mm512_setzero_si512();
        let (mut level, mut missing, mut raised) = ([zero; REGISTERS], [zero; REGISTERS], [zero; REGISTERS]);
        let mut over = zero;
        for i in 0..REGISTERS {
            // SAFETY: a block has 64 bytes for each register, and the load needs no alignment.
            level[i] = unsafe { _mm512_loadu_si512(cells.as_ptr().cast::<__m512i>().add(i)) };
            missing[i] = _mm512_xor_si512(spread.whole::<K, N>(data, at + i * used::<K, N>()), mask);
            // As `lanes::raise`, whose last step is left to blocks in which a cell stops.
            let sum = _mm512_add_epi8(level[i], missing[i]);
            raised[i] = take_data(sum, mask, missing[i]);
            // In four bits, a cell that goes past the highest level loses its top bit.
            let past = if N == 4 { _mm512_andnot_si512(raised[i], level[i]) } else { sum };
            over = _mm512_or_si512(over, past);
        }
        if _mm512_test_epi64_mask(over, over_bits) != 0 {
            for i in 0..REGISTERS {
                (raised[i], over) = raise_and_stop::<N>(level[i], mask, missing[i]);
                let first = 8 * (at + i * used::<K, N>()) / K as usize;
                add_stopped::<N>(invalid, first, over);
            }
        }
        for (i, raised) in raised.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(cells.as_mut_ptr().cast::<__m512i>().add(i), raised) };
        }
        at += REGISTERS * used::<K, N>();
    }
}

/// Writes the levels of a page of `cells` cells that all start at level `base`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn fill_page<const K: u32, const N: u32>(base: u64, cells: usize, data: &[u8], image: &mut [u8]) {
    let base = splat(lanes::repeat(N, base));
    let body = body::<K, N>(data, image);
    for at in edges(&body, image.len()) {
        let edge = Edge::new::<K, N>(data, cells, &at);
        let level = take_data(_mm512_add_epi8(base, edge.missing), edge.mask, edge.missing);
        edge.store(_mm512_and_si512(level, edge.used), &mut image[at]);
    }
    let spread = Spread::new::<K, N>();
    let mask = splat(lanes::repeat(N, (1 << K) - 1));
    let mut at = data_before::<K, N>(body.start);
    for cells in image[body].chunks_exact_mut(64) {
        let missing = _mm512_xor_si512(spread.whole::<K, N>(data, at), mask);
        // No level of a generation is out of reach of its base.
        let level = take_data(_mm512_add_epi8(base, missing), mask, missing);
        // SAFETY: 64 bytes are one register.
        unsafe { _mm512_storeu_si512(cells.as_mut_ptr().cast(), level) };
        at += used::<K, N>();
    }
}

/// Bytes of data in a register of cells.
const fn used<const K: u32, const N: u32>() -> usize {
    data_before::<K, N>(64)
}

/// Bytes of data that are loaded for it.
const fn loaded<const K: u32, const N: u32>() -> usize {
    match used::<K, N>() {
        0..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// The blocks of an image: from a cache line on if data begin with a byte there, so that no register
/// straddles two, and as far as there are as many data as are loaded.
fn body<const K: u32, const N: u32>(data: &[u8], image: &[u8]) -> Range<usize> {
    let line = image.as_ptr().align_offset(64);
    let is_between_bytes = !line.wrapping_mul(lanes::data_bytes(K, N)).is_multiple_of(8);
    let start = if is_between_bytes || line >= image.len() { 0 } else { line };
    let loadable =
        (data.len() + used::<K, N>()).saturating_sub(data_before::<K, N>(start) + loaded::<K, N>());
    let registers = (loadable / used::<K, N>()).min((image.len() - start) / 64);
    start..start + registers / REGISTERS * BLOCK_BYTES
}

/// The rest of an image of `length` bytes, in pieces that fit a register.
fn edges(body: &Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let Range { start, end } = *body;
    let head = if start == 0 { end } else { 0 };
    std::iter::successors(Some(head), move |&at| Some(if at < end { end } else { at + 64 }))
        .take_while(move |at| *at < length)
        .map(move |at| at..if at < end { start } else { length.min(at + 64) })
}

/// Some cells of a page, fewer than fit a register.
struct Edge {
    bytes: u64,
    /// The bits of its cells; the rest is padding and stays as it is.
    used: __m512i,
    /// As for a whole block, without the padding.
    mask: __m512i,
    missing: __m512i,
}

impl Edge {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn new<const K: u32, const N: u32>(data: &[u8], cells: usize, at: &Range<usize>) -> Edge {
        let bytes = u64::MAX >> (64 - at.len());
        let mut used = _mm512_movm_epi8(bytes);
        if at.end * lanes::in_byte(N) > cells {
            used = _mm512_mask_set1_epi8(used, bytes ^ bytes >> 1, 0x0f);
        }
        let mask = _mm512_and_si512(splat(lanes::repeat(N, (1 << K) - 1)), used);
        let data = &data[data_before::<K, N>(at.start)..];
        let fields = Spread::new::<K, N>().part(data);
        Edge { bytes, used, mask, missing: _mm512_andnot_si512(fields, mask) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(&self, cells: &[u8]) -> __m512i {
        // SAFETY: there is a byte for each one of the mask.
        unsafe { _mm512_maskz_loadu_epi8(self.bytes, cells.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn store(&self, level: __m512i, cells: &mut [u8]) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_epi8(cells.as_mut_ptr().cast(), self.bytes, level) };
    }
}

/// `(sum | mask) ^ missing`: the data in the bits of `mask`, the sum above them.
#[inline]
#[target_feature(enable = "avx512f")]
fn take_data(sum: __m512i, mask: __m512i, missing: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b0101_0110>(sum, mask, missing)
}

/// As [`lanes::raise`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn raise_and_stop<const N: u32>(level: __m512i, mask: __m512i, missing: __m512i) -> (__m512i, __m512i) {
    let over_bits = splat(lanes::over_bits(N));
    if N == 4 {
        let top = _mm512_and_si512(level, over_bits);
        let sum = _mm512_add_epi8(_mm512_xor_si512(level, top), missing);
        let over = _mm512_and_si512(sum, top);
        let full = _mm512_or_si512(over, _mm512_sub_epi8(over, _mm512_srli_epi64::<3>(over)));
        let raised = _mm512_xor_si512(take_data(sum, mask, missing), top);
        (_mm512_or_si512(raised, full), over)
    } else {
        let sum = _mm512_add_epi8(level, missing);
        let over = _mm512_and_si512(sum, over_bits);
        let full = _mm512_sub_epi8(over, _mm512_srl_epi64(over, _mm_cvtsi32_si128(N as i32)));
        let raised = _mm512_andnot_si512(over, take_data(sum, mask, missing));
        (_mm512_or_si512(raised, full), over)
    }
}

/// Adds the cells of a register, from `first` on, in which `over` has a one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2,popcnt")]
fn add_stopped<const N: u32>(invalid: &mut Invalid, first: usize, over: __m512i) {
    if lanes::width(N) == 8 {
        return invalid.add(first, _mm512_test_epi8_mask(over, over));
    }
    let even = _mm512_test_epi8_mask(over, splat(0x0f0f_0f0f_0f0f_0f0f));
    let odd = _mm512_test_epi8_mask(over, splat(0xf0f0_f0f0_f0f0_f0f0));
    invalid.add(first, lanes::interleave(even as u32, odd as u32));
    invalid.add(first + 64, lanes::interleave((even >> 32) as u32, (odd >> 32) as u32));
}

/// How data gets to a register of cells.
#[derive(Clone, Copy)]
struct Spread {
    /// The eight bytes from which the data of each eight bytes of cells are cut.
    source: __m512i,
    /// Where in them the data of each byte of cells begin, in bits.
    offset: __m512i,
    /// Moves the data of a byte of cells to their places, and drops the rest.
    matrix: __m512i,
}

impl Spread {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new<const K: u32, const N: u32>() -> Spread {
        let (per_word, per_byte) = (lanes::data_bytes(K, N), lanes::in_byte(N) * K as usize);
        let (mut source, mut offset) = ([0u8; 64], [0u8; 64]);
        for i in 0..64 {
            source[i] = (i / 8 * per_word + i % 8) as u8;
            offset[i] = (i % 8 * per_byte) as u8;
        }
        // Byte `7 - i` of a matrix has the bits that bit `i` is the sum of.
        let place = |bit: usize| bit / K as usize * lanes::width(N) as usize + bit % K as usize;
        let matrix = (0..per_byte).fold(0, |all, bit| all | 1u64 << (8 * (7 - place(bit)) + bit));
        // SAFETY: both arrays are one register long.
        let load = |bytes: &[u8; 64]| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        Spread { source: load(&source), offset: load(&offset), matrix: splat(matrix) }
    }

    /// As [`lanes::spread`] on the eight words whose data are those from `at` on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn whole<const K: u32, const N: u32>(self, data: &[u8], at: usize) -> __m512i {
        debug_assert!(at + loaded::<K, N>() <= data.len());
        // SAFETY: `body` leaves out the registers whose loads would go past the end.
        self.cut(unsafe {
            let data = data.as_ptr().add(at);
            match loaded::<K, N>() {
                16 => _mm512_castsi128_si512(_mm_loadu_si128(data.cast())),
                32 => _mm512_castsi256_si512(_mm256_loadu_si256(data.cast())),
                _ => _mm512_loadu_si512(data.cast()),
            }
        })
    }

    /// The same for all of `data`; missing data are zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn part(self, data: &[u8]) -> __m512i {
        let mask = u64::MAX.checked_shr(64 - data.len().min(64) as u32).unwrap_or(0);
        // SAFETY: there is a byte for each one of the mask.
        self.cut(unsafe { _mm512_maskz_loadu_epi8(mask, data.as_ptr().cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn cut(self, data: __m512i) -> __m512i {
        let fields = _mm512_multishift_epi64_epi8(self.offset, _mm512_permutexvar_epi8(self.source, data));
        _mm512_gf2p8affine_epi64_epi8::<0>(fields, self.matrix)
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}
