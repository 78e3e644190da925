//! The encoder for processors with AVX-512 VBMI, where one instruction cuts a word of data into
//! fields: 64 bytes of cells at a time.

use std::arch::x86_64::*;

use super::lanes;

/// Whether this processor has the instructions.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512bw")
}

/// Raises whole blocks of 64 bytes of cells and returns how many there were: from the levels they
/// have, or without reading them from `base` in every cell. Calls `stopped` with the number of each
/// block in which a cell had to stop at the highest level.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn raise_blocks<const K: u32, const N: u32>(
    data: &[u8],
    image: &mut [u8],
    base: Option<u64>,
    mut stopped: impl FnMut(usize, &[u8], &[u8]),
) -> usize {
    let data_bytes = 8 * lanes::data_bytes(K, N);
    let mut blocks = 0;
    for (cells, number) in image.chunks_exact_mut(64).zip(data.chunks_exact(data_bytes)) {
        // SAFETY: both slices have the lengths that are read and written.
        let number_bytes =
            unsafe { _mm512_maskz_loadu_epi8(u64::MAX >> (64 - data_bytes), number.as_ptr().cast()) };
        let level = match base {
            Some(base) => splat(lanes::repeat(N, base)),
            // SAFETY: as above.
            None => unsafe { _mm512_loadu_si512(cells.as_ptr().cast()) },
        };
        let (raised, over) = if N == 4 && K <= 2 {
            look_up::<K>(level, number_bytes)
        } else {
            raise::<K, N>(level, spread::<K, N>(number_bytes))
        };
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(cells.as_mut_ptr().cast(), raised) };
        if _mm512_test_epi64_mask(over, over) != 0 {
            stopped(blocks, cells, number);
        }
        blocks += 1;
    }
    blocks
}

/// As [`lanes::spread`] on eight words, from their data side by side.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn spread<const K: u32, const N: u32>(data: __m512i) -> __m512i {
    let per_word = lanes::data_bytes(K, N);
    let (mut source, mut offset) = ([0u8; 64], [0u8; 64]);
    for i in 0..64 {
        source[i] = (i / 8 * per_word + i % 8) as u8;
        offset[i] = (i % 8 * if lanes::width(N) == 4 { 2 } else { 1 } * K as usize) as u8;
    }
    // SAFETY: both arrays are one register long.
    let (source, offset) =
        unsafe { (_mm512_loadu_si512(source.as_ptr().cast()), _mm512_loadu_si512(offset.as_ptr().cast())) };
    let fields = _mm512_multishift_epi64_epi8(offset, _mm512_permutexvar_epi8(source, data));
    let mask = splat(lanes::repeat(N, (1 << K) - 1));
    if lanes::width(N) == 8 {
        return _mm512_and_si512(fields, mask);
    }
    // A byte has two fields of K bits: the second one moves to the upper half.
    let upper = _mm512_sll_epi64(fields, _mm_cvtsi32_si128(4 - K as i32));
    let halves = splat(0xf0f0_f0f0_f0f0_f0f0);
    _mm512_and_si512(
        _mm512_or_si512(_mm512_and_si512(upper, halves), _mm512_andnot_si512(halves, fields)),
        mask,
    )
}

/// As [`lanes::raise`] on eight words.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn raise<const K: u32, const N: u32>(level: __m512i, data: __m512i) -> (__m512i, __m512i) {
    let mask = splat(lanes::repeat(N, (1 << K) - 1));
    let guarded = _mm512_or_si512(data, splat(lanes::repeat(N, 1 << K)));
    let step = _mm512_and_si512(_mm512_sub_epi64(guarded, _mm512_and_si512(level, mask)), mask);
    if N == 4 {
        let top = splat(lanes::repeat(N, 8));
        let sum = _mm512_add_epi64(_mm512_andnot_si512(top, level), step);
        let over = _mm512_and_si512(_mm512_and_si512(sum, level), top);
        let full = _mm512_or_si512(over, _mm512_sub_epi64(over, _mm512_srli_epi64::<3>(over)));
        (_mm512_or_si512(_mm512_xor_si512(sum, _mm512_and_si512(level, top)), full), over)
    } else {
        let sum = _mm512_add_epi64(level, step);
        let over = _mm512_and_si512(sum, splat(lanes::repeat(N, 1 << N)));
        let full = _mm512_sub_epi64(over, _mm512_srl_epi64(over, _mm_cvtsi32_si128(N as i32)));
        (_mm512_or_si512(_mm512_andnot_si512(over, sum), full), over)
    }
}

/// The same for four-bit cells with one or two bits of data, by a table. Level and data are six
/// bits, the most that one instruction can look up. Entries hold the new level in one half of a
/// byte, and a one in the other half if the cell stops.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up<const K: u32>(level: __m512i, data: __m512i) -> (__m512i, __m512i) {
    let per_word = lanes::data_bytes(K, 4);
    let (mut source, mut even_offset, mut odd_offset) = ([0u8; 64], [0u8; 64], [0u8; 64]);
    let (mut even_table, mut odd_table) = ([0u8; 64], [0u8; 64]);
    for i in 0..64 {
        source[i] = (i / 8 * per_word + i % 8) as u8;
        // The data of both cells of a byte go to bits 4 and up; offsets count modulo 64.
        even_offset[i] = ((i % 8 * 2 * K as usize + 60) % 64) as u8;
        odd_offset[i] = ((i % 8 * 2 * K as usize + K as usize + 60) % 64) as u8;
        let (raised, over) = lanes::raise::<K, 4>(i as u64 & 15, i as u64 >> 4 & ((1 << K) - 1));
        let (raised, over) = (raised as u8 & 15, u8::from(over & 15 != 0));
        even_table[i] = raised | over << 4;
        odd_table[i] = raised << 4 | over;
    }
    let load = |bytes: &[u8; 64]| {
        // SAFETY: the array is one register long.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    };
    let data = _mm512_permutexvar_epi8(load(&source), data);
    let low = splat(0x0f0f_0f0f_0f0f_0f0f);
    // `low ? a : b`, bit by bit.
    let halves = |a, b| _mm512_ternarylogic_epi64::<0xca>(low, a, b);
    let even = halves(level, _mm512_multishift_epi64_epi8(load(&even_offset), data));
    let odd = halves(_mm512_srli_epi64::<4>(level), _mm512_multishift_epi64_epi8(load(&odd_offset), data));
    let even = _mm512_permutexvar_epi8(even, load(&even_table));
    let odd = _mm512_permutexvar_epi8(odd, load(&odd_table));
    (halves(even, odd), halves(odd, even))
}

#[target_feature(enable = "avx512f")]
fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}
