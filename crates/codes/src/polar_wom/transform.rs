//! The polar transform and its counterpart on sets of known cells, on whole bitmaps.

use crate::isa::{Isa, Level};

/// `u = x G`, which is also `x = u G`: each half-size step maps `(a, b)` to `(a ^ b, b)`.
pub(super) fn transform(isa: Isa, words: &mut [u64]) {
    by_isa(isa, words, &Xor);
}

/// Which positions of `u` are determined by the known positions of `x`: each step maps `(a, b)` to `(a & b, a | b)`.
pub(super) fn determine(isa: Isa, words: &mut [u64]) {
    by_isa(isa, words, &AndOr);
}

/// One butterfly of a transform, on words and inside a word.
trait Butterfly {
    /// Maps a pair of words.
    fn pair(&self, a: u64, b: u64) -> (u64, u64);

    /// Maps all pairs of bits of a word that lie `shift` apart; `low` marks the first of each pair.
    #[inline(always)]
    fn inside(&self, word: u64, shift: u32, low: u64) -> u64 {
        let (a, b) = self.pair(word & low, word >> shift & low);
        a | b << shift
    }
}

struct Xor;
impl Butterfly for Xor {
    #[inline(always)]
    fn pair(&self, a: u64, b: u64) -> (u64, u64) {
        (a ^ b, b)
    }
    #[inline(always)]
    fn inside(&self, word: u64, shift: u32, low: u64) -> u64 {
        word ^ (word >> shift & low)
    }
}

struct AndOr;
impl Butterfly for AndOr {
    #[inline(always)]
    fn pair(&self, a: u64, b: u64) -> (u64, u64) {
        (a & b, a | b)
    }
    #[inline(always)]
    fn inside(&self, word: u64, shift: u32, low: u64) -> u64 {
        // A pair (1, 0) becomes (0, 1); the other pairs stay.
        let moving = word & !(word >> shift) & low;
        word ^ moving ^ moving << shift
    }
}

#[inline]
fn by_isa<B: Butterfly>(isa: Isa, words: &mut [u64], butterfly: &B) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn avx2<B: Butterfly>(words: &mut [u64], butterfly: &B) {
        all_stages(words, butterfly);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi2,popcnt")]
    fn avx512<B: Butterfly>(words: &mut [u64], butterfly: &B) {
        all_stages(words, butterfly);
    }
    match isa.0 {
        Level::Portable => all_stages(words, butterfly),
        // SAFETY: an `Isa` of this level exists only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(words, butterfly) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(words, butterfly) },
    }
}

/// The first bit of every pair of bits `2^i` apart.
pub(super) const LOW: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// Words of the blocks that are finished in one go, in registers.
const BLOCK: usize = 32;

/// From far to near, as the recursive definition does: the steps of [`AndOr`] do not commute. Words far apart take three
/// stages a pass over memory; then blocks are finished while they are in registers.
#[inline(always)]
fn all_stages<B: Butterfly>(words: &mut [u64], butterfly: &B) {
    debug_assert!(words.len().is_power_of_two());
    let mut stride = words.len() / 2;
    while stride >= 4 * BLOCK {
        three_stages(words, stride, butterfly);
        stride /= 8;
    }
    while stride >= BLOCK {
        one_stage(words, stride, butterfly);
        stride /= 2;
    }
    let mut blocks = words.chunks_exact_mut(BLOCK);
    for block in &mut blocks {
        let mut local = [0; BLOCK];
        local.copy_from_slice(block);
        one_block(&mut local, butterfly);
        block.copy_from_slice(&local);
    }
    let rest = blocks.into_remainder();
    while stride >= 1 {
        if rest.is_empty() {
            break;
        }
        one_stage(rest, stride, butterfly);
        stride /= 2;
    }
    for word in rest {
        *word = one_word(*word, butterfly);
    }
}

/// The stages of `stride`, `stride / 2` and `stride / 4` words.
#[inline(always)]
fn three_stages<B: Butterfly>(words: &mut [u64], stride: usize, butterfly: &B) {
    let step = stride / 4;
    for block in words.chunks_exact_mut(2 * stride) {
        let (low, high) = block.split_at_mut(stride);
        let (low_a, low_b) = low.split_at_mut(2 * step);
        let (high_a, high_b) = high.split_at_mut(2 * step);
        let ((w0, w1), (w2, w3)) = (low_a.split_at_mut(step), low_b.split_at_mut(step));
        let ((w4, w5), (w6, w7)) = (high_a.split_at_mut(step), high_b.split_at_mut(step));
        let columns = w0.iter_mut().zip(w1).zip(w2).zip(w3).zip(w4).zip(w5).zip(w6).zip(w7);
        for (((((((w0, w1), w2), w3), w4), w5), w6), w7) in columns {
            let mut column = [*w0, *w1, *w2, *w3, *w4, *w5, *w6, *w7];
            for (i, j) in [
                (0, 4),
                (1, 5),
                (2, 6),
                (3, 7),
                (0, 2),
                (1, 3),
                (4, 6),
                (5, 7),
                (0, 1),
                (2, 3),
                (4, 5),
                (6, 7),
            ] {
                (column[i], column[j]) = butterfly.pair(column[i], column[j]);
            }
            [*w0, *w1, *w2, *w3, *w4, *w5, *w6, *w7] = column;
        }
    }
}

#[inline(always)]
fn one_stage<B: Butterfly>(words: &mut [u64], stride: usize, butterfly: &B) {
    for block in words.chunks_exact_mut(2 * stride) {
        let (low, high) = block.split_at_mut(stride);
        for (a, b) in low.iter_mut().zip(high) {
            (*a, *b) = butterfly.pair(*a, *b);
        }
    }
}

#[inline(always)]
fn one_block<B: Butterfly>(block: &mut [u64; BLOCK], butterfly: &B) {
    let mut stride = BLOCK / 2;
    while stride >= 1 {
        one_stage(block, stride, butterfly);
        stride /= 2;
    }
    for word in block.iter_mut() {
        *word = one_word(*word, butterfly);
    }
}

#[inline(always)]
fn one_word<B: Butterfly>(mut word: u64, butterfly: &B) -> u64 {
    for (i, low) in LOW.iter().enumerate().rev() {
        word = butterfly.inside(word, 1 << i, *low);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;
    use crate::polar_wom::whitening::Keystream;

    fn by_definition(x: &[bool], map: fn(bool, bool) -> (bool, bool)) -> Vec<bool> {
        if x.len() == 1 {
            return x.to_vec();
        }
        let (a, b) = x.split_at(x.len() / 2);
        let (a, b): (Vec<_>, Vec<_>) = a.iter().zip(b).map(|(a, b)| map(*a, *b)).unzip();
        [by_definition(&a, map), by_definition(&b, map)].concat()
    }

    #[test]
    fn transforms_follow_their_recursive_definition_at_every_size() {
        for isa in Isa::available() {
            for log in 0..=7 {
                let count = 1 << log;
                let original: Vec<u64> = (0..count).map(|i| Keystream::new(7, 0).word(i)).collect();
                let bools: Vec<bool> = (0..64 * count).map(|i| bits::get(&original, i)).collect();
                let cases: [(fn(Isa, &mut [u64]), fn(bool, bool) -> (bool, bool)); 2] =
                    [(transform, |a, b| (a ^ b, b)), (determine, |a, b| (a & b, a | b))];
                for (run, map) in cases {
                    let mut words = original.clone();
                    run(isa, &mut words);
                    let wanted = by_definition(&bools, map);
                    assert!(
                        (0..64 * count).all(|i| bits::get(&words, i) == wanted[i]),
                        "{} {log}",
                        isa.name()
                    );
                }
                let mut twice = original.clone();
                transform(isa, &mut twice);
                transform(isa, &mut twice);
                assert_eq!(twice, original);
            }
        }
    }
}
