//! 64 powers at a time with AVX2: a constant factor is a sum of look-ups by the four nibbles of an
//! element.

use super::Roots;
use crate::bch::MAX_ERRORS;
use crate::bch::berlekamp_massey::ErrorLocator;
use crate::gf2m::Gf2m;
use std::arch::x86_64::*;

/// Products of one factor with all values of nibble k: low bytes at [2 k], high bytes at [2 k + 1].
type NibbleTables = [[u8; 16]; 8];

#[derive(Debug, Clone)]
pub(super) struct NibbleSteps {
    /// Entry i-1 multiplies by alpha^(-64 i).
    steps: Vec<NibbleTables>,
}

impl NibbleSteps {
    /// To be called under an [`Isa`](crate::isa::Isa) with AVX2 only.
    pub(super) fn new(field: &Gf2m, t: usize) -> NibbleSteps {
        let steps = (1..=t as u64).map(|i| nibble_tables(field, block_step(field, i))).collect();
        NibbleSteps { steps }
    }

    pub(super) fn search(&self, field: &Gf2m, locator: &ErrorLocator, length: u32, roots: &mut Roots) {
        // SAFETY: a `NibbleSteps` is made under an `Isa` with AVX2. Few errors touch little memory.
        unsafe {
            match locator.degree {
                0..=8 => self.search_blocks::<8>(field, locator, length, roots),
                9..=32 => self.search_blocks::<32>(field, locator, length, roots),
                33..=128 => self.search_blocks::<128>(field, locator, length, roots),
                _ => self.search_blocks::<MAX_ERRORS>(field, locator, length, roots),
            }
        }
    }

    #[target_feature(enable = "avx2")]
    fn search_blocks<const CAPACITY: usize>(
        &self,
        field: &Gf2m,
        locator: &ErrorLocator,
        length: u32,
        roots: &mut Roots,
    ) {
        let mut storage = [Terms::ZERO; CAPACITY];
        let terms = &mut storage[..locator.degree];
        for (i, term) in terms.iter_mut().enumerate() {
            *term = Terms::new(field, locator.coefficients[i + 1], i as u32 + 1);
        }
        let [one_low, one_high] = locator.coefficients[0].to_le_bytes();
        for first in (0..length).step_by(64) {
            let mut low = [_mm256_set1_epi8(one_low as i8); 2];
            let mut high = [_mm256_set1_epi8(one_high as i8); 2];
            for (term, tables) in terms.iter_mut().zip(&self.steps) {
                let tables = load_tables(tables);
                for half in 0..2 {
                    // SAFETY: `Terms` is two arrays of 64 bytes, aligned to 64; each half is 32
                    // bytes.
                    unsafe {
                        let low_at = term.low.as_mut_ptr().add(32 * half).cast::<__m256i>();
                        let high_at = term.high.as_mut_ptr().add(32 * half).cast::<__m256i>();
                        let (term_low, term_high) = (_mm256_load_si256(low_at), _mm256_load_si256(high_at));
                        low[half] = _mm256_xor_si256(low[half], term_low);
                        high[half] = _mm256_xor_si256(high[half], term_high);
                        let (next_low, next_high) = multiply(&tables, term_low, term_high);
                        _mm256_store_si256(low_at, next_low);
                        _mm256_store_si256(high_at, next_high);
                    }
                }
            }
            let mask = zero_mask(low[0], high[0]) | zero_mask(low[1], high[1]) << 32;
            if mask != 0 && roots.push_mask(mask, first, length, locator.degree) {
                return;
            }
        }
    }
}

/// The terms locator_i alpha^(-i l), l = 0..64, of one coefficient i, as low and high bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Terms {
    low: [u8; 64],
    high: [u8; 64],
}

impl Terms {
    const ZERO: Terms = Terms { low: [0; 64], high: [0; 64] };

    /// The terms of coefficient number `i` with value `coefficient`, for the first 64 powers.
    fn new(field: &Gf2m, coefficient: u16, i: u32) -> Terms {
        let mut terms = Terms::ZERO;
        let Some(mut exponent) = field.log(coefficient) else { return terms };
        let order = field.order();
        let step = order - i % order;
        for lane in 0..64 {
            let term = field.alpha_pow_reduced(exponent);
            [terms.low[lane], terms.high[lane]] = term.to_le_bytes();
            exponent += step;
            if exponent >= order {
                exponent -= order;
            }
        }
        terms
    }
}

/// alpha^(-64 i), the factor of coefficient i between two blocks of 64 powers.
fn block_step(field: &Gf2m, i: u64) -> u16 {
    let order = u64::from(field.order());
    field.alpha_pow(order - 64 * i % order)
}

#[inline]
#[target_feature(enable = "avx2")]
fn zero_mask(low: __m256i, high: __m256i) -> u64 {
    let zero = _mm256_cmpeq_epi8(_mm256_or_si256(low, high), _mm256_setzero_si256());
    u64::from(_mm256_movemask_epi8(zero) as u32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_tables(tables: &NibbleTables) -> [__m256i; 8] {
    let mut loaded = [_mm256_setzero_si256(); 8];
    for (register, table) in loaded.iter_mut().zip(tables) {
        // SAFETY: a table is 16 readable bytes, and the load needs no alignment.
        *register = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())) };
    }
    loaded
}

#[inline]
#[target_feature(enable = "avx2")]
fn multiply(tables: &[__m256i; 8], low: __m256i, high: __m256i) -> (__m256i, __m256i) {
    let mask = _mm256_set1_epi8(15);
    let nibbles = [
        _mm256_and_si256(low, mask),
        _mm256_and_si256(_mm256_srli_epi16(low, 4), mask),
        _mm256_and_si256(high, mask),
        _mm256_and_si256(_mm256_srli_epi16(high, 4), mask),
    ];
    let (mut product_low, mut product_high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for (k, nibble) in nibbles.into_iter().enumerate() {
        product_low = _mm256_xor_si256(product_low, _mm256_shuffle_epi8(tables[2 * k], nibble));
        product_high = _mm256_xor_si256(product_high, _mm256_shuffle_epi8(tables[2 * k + 1], nibble));
    }
    (product_low, product_high)
}

fn nibble_tables(field: &Gf2m, factor: u16) -> NibbleTables {
    let mut tables = [[0u8; 16]; 8];
    for k in 0..4 {
        for value in 0..16u32 {
            let element = value << (4 * k);
            if element > field.order() {
                continue;
            }
            let product = field.mul(factor, element as u16);
            [tables[2 * k][value as usize], tables[2 * k + 1][value as usize]] = product.to_le_bytes();
        }
    }
    tables
}
