//! The polar transform and its counterpart on sets of known cells, on whole bitmaps.

/// `u = x G`, which is also `x = u G`: each half-size step maps `(a, b)` to `(a ^ b, b)`.
#[inline(always)]
pub(super) fn transform(words: &mut [u64]) {
    all_stages(words, &Xor);
}

/// Which positions of `u` are determined by the known positions of `x`: each step maps `(a, b)` to
/// `(a & b, a | b)`.
#[inline(always)]
pub(super) fn determine(words: &mut [u64]) {
    all_stages(words, &AndOr);
}

/// One butterfly of a transform, on words and inside a word.
trait Butterfly {
    /// Maps a pair of words.
    fn pair(&self, a: u64, b: u64) -> (u64, u64);

    /// The mapped `word`, given its `partner`: as the first of the pair where `first` has ones,
    /// else as the second.
    fn one_of(&self, word: u64, partner: u64, first: u64) -> u64;

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
    fn one_of(&self, word: u64, partner: u64, first: u64) -> u64 {
        word ^ (partner & first)
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
    fn one_of(&self, word: u64, partner: u64, first: u64) -> u64 {
        (word & partner) | ((word | partner) & !first)
    }
    #[inline(always)]
    fn inside(&self, word: u64, shift: u32, low: u64) -> u64 {
        // A pair (1, 0) becomes (0, 1); the other pairs stay.
        let moving = word & !(word >> shift) & low;
        word ^ moving ^ moving << shift
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

/// From far to near, as the recursive definition does: the steps of [`AndOr`] do not commute. Words
/// far apart take a pass over memory for each stage; then blocks are finished while they are in
/// registers.
#[inline(always)]
fn all_stages<B: Butterfly>(words: &mut [u64], butterfly: &B) {
    debug_assert!(words.len().is_power_of_two());
    let mut stride = words.len() / 2;
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
    one_stage(block, 16, butterfly);
    one_stage(block, 8, butterfly);
    let (eights, _) = block.as_chunks_mut::<8>();
    for eight in eights {
        near_stage::<4, B>(eight, butterfly);
        near_stage::<2, B>(eight, butterfly);
        near_stage::<1, B>(eight, butterfly);
    }
    for word in block.iter_mut() {
        *word = one_word(*word, butterfly);
    }
}

/// The stage of `STRIDE` words within eight words: written without a change of places, as vector
/// code wants it.
#[inline(always)]
fn near_stage<const STRIDE: usize, B: Butterfly>(words: &mut [u64; 8], butterfly: &B) {
    let partners: [u64; 8] = std::array::from_fn(|i| words[i ^ STRIDE]);
    for (i, (word, partner)) in words.iter_mut().zip(partners).enumerate() {
        *word = butterfly.one_of(*word, partner, if i & STRIDE == 0 { u64::MAX } else { 0 });
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
    use crate::isa::{Isa, Kernel};
    use crate::keystream::Keystream;

    fn by_definition(x: &[bool], map: Map) -> Vec<bool> {
        if x.len() == 1 {
            return x.to_vec();
        }
        let (a, b) = x.split_at(x.len() / 2);
        let (a, b): (Vec<_>, Vec<_>) = a.iter().zip(b).map(|(a, b)| map(*a, *b)).unzip();
        [by_definition(&a, map), by_definition(&b, map)].concat()
    }

    type Map = fn(bool, bool) -> (bool, bool);

    /// The transform of known cells or else that of bits.
    struct Run<'a>(bool, &'a mut [u64]);
    impl Kernel for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            if self.0 { determine(self.1) } else { transform(self.1) }
        }
    }

    #[test]
    fn transforms_follow_their_recursive_definition_at_every_size() {
        for isa in Isa::available() {
            for log in 0..=7 {
                let count = 1 << log;
                let original: Vec<u64> = (0..count).map(|i| Keystream::new(7, 0).word(i)).collect();
                let bools: Vec<bool> = (0..64 * count).map(|i| bits::get(&original, i)).collect();
                let cases: [(bool, Map); 2] = [(false, |a, b| (a ^ b, b)), (true, |a, b| (a & b, a | b))];
                for (known, map) in cases {
                    let mut words = original.clone();
                    isa.run(Run(known, &mut words));
                    let wanted = by_definition(&bools, map);
                    assert!(
                        (0..64 * count).all(|i| bits::get(&words, i) == wanted[i]),
                        "{} {log}",
                        isa.name()
                    );
                }
                let mut twice = original.clone();
                transform(&mut twice);
                transform(&mut twice);
                assert_eq!(twice, original);
            }
        }
    }
}
