//! The polar transform and its counterpart on sets of known cells, on whole bitmaps.

use super::lanes::{Lanes, MAX_LANES};

/// `u = x G`, which is also `x = u G`: each half-size step maps `(a, b)` to `(a ^ b, b)`. Of the
/// result only the parts of [`PART`] words that `is_wanted` become right.
#[inline(always)]
pub(super) fn transform<T: Lanes>(words: &mut [u64], is_wanted: impl Fn(usize) -> bool) {
    all_stages::<T, Xor>(words, is_wanted);
}

/// Which positions of `u` are determined by the known positions of `x`: each step maps `(a, b)` to
/// `(a & b, a | b)`.
#[inline(always)]
pub(super) fn determine<T: Lanes>(words: &mut [u64]) {
    all_stages::<T, AndOr>(words, |_| true);
}

/// One butterfly of a transform, on words and inside a word.
trait Butterfly {
    /// Maps a pair of words.
    fn pair<T: Lanes>(a: T, b: T) -> (T, T);

    /// Maps all pairs of bits of a word that lie `SHIFT` apart; `low` marks the first of each pair.
    fn inside<T: Lanes, const SHIFT: u32>(word: T, low: T) -> T;
}

struct Xor;
impl Butterfly for Xor {
    #[inline(always)]
    fn pair<T: Lanes>(a: T, b: T) -> (T, T) {
        (a.xor(b), b)
    }
    #[inline(always)]
    fn inside<T: Lanes, const SHIFT: u32>(word: T, low: T) -> T {
        word.xor(word.shr::<SHIFT>().and(low))
    }
}

struct AndOr;
impl Butterfly for AndOr {
    #[inline(always)]
    fn pair<T: Lanes>(a: T, b: T) -> (T, T) {
        (a.and(b), a.or(b))
    }
    #[inline(always)]
    fn inside<T: Lanes, const SHIFT: u32>(word: T, low: T) -> T {
        // A pair (1, 0) becomes (0, 1); the other pairs stay.
        let moving = word.and(low).minus(word.shr::<SHIFT>());
        word.xor(moving).xor(moving.shl::<SHIFT>())
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

/// Words that are wanted or not.
pub(super) const PART: usize = 64;

/// From far to near, as the recursive definition does: the steps of [`AndOr`] do not commute. Words
/// far apart take a pass over memory for every two stages. What remains is squares of as many
/// registers as each has words. They are transposed in between, so that stages within a register
/// become stages between registers.
#[inline(always)]
fn all_stages<T: Lanes, B: Butterfly>(words: &mut [u64], is_wanted: impl Fn(usize) -> bool) {
    debug_assert!(words.len().is_power_of_two());
    let square = T::COUNT * T::COUNT;
    if words.len() < square {
        return all_stages::<u64, B>(words, is_wanted);
    }
    let mut stride = words.len() / 2;
    while stride >= 2 * square {
        two_stages::<T, B>(words, stride);
        stride /= 4;
    }
    if stride >= square {
        one_stage::<T, B>(words, stride);
    }
    for (i, square_words) in words.chunks_exact_mut(square).enumerate() {
        if is_wanted(i * square / PART) {
            one_square::<T, B>(square_words);
        }
    }
}

/// The stage of `stride` words.
#[inline(always)]
fn one_stage<T: Lanes, B: Butterfly>(words: &mut [u64], stride: usize) {
    for block in words.chunks_exact_mut(2 * stride) {
        let (low, high) = block.split_at_mut(stride);
        for (low, high) in low.chunks_exact_mut(T::COUNT).zip(high.chunks_exact_mut(T::COUNT)) {
            let (a, b) = B::pair(T::load(low), T::load(high));
            a.store(low);
            b.store(high);
        }
    }
}

/// The stages of `stride` words and of half as many.
#[inline(always)]
fn two_stages<T: Lanes, B: Butterfly>(words: &mut [u64], stride: usize) {
    for block in words.chunks_exact_mut(2 * stride) {
        let (first, second) = block.split_at_mut(stride);
        let (a, b) = first.split_at_mut(stride / 2);
        let (c, d) = second.split_at_mut(stride / 2);
        let [a, b, c, d] = [a, b, c, d].map(|quarter| quarter.chunks_exact_mut(T::COUNT));
        for (((a, b), c), d) in a.zip(b).zip(c).zip(d) {
            let (x, y) = B::pair(T::load(a), T::load(c));
            let (z, w) = B::pair(T::load(b), T::load(d));
            let ((x, z), (y, w)) = (B::pair(x, z), B::pair(y, w));
            x.store(a);
            z.store(b);
            y.store(c);
            w.store(d);
        }
    }
}

/// All stages of a square.
#[inline(always)]
fn one_square<T: Lanes, B: Butterfly>(words: &mut [u64]) {
    let mut rows = [T::splat(0); MAX_LANES];
    let rows = &mut rows[..T::COUNT];
    for (row, words) in rows.iter_mut().zip(words.chunks_exact(T::COUNT)) {
        *row = T::load(words);
    }
    stages_of_rows::<T, B>(rows);
    T::transpose(rows);
    stages_of_rows::<T, B>(rows);
    for row in rows.iter_mut() {
        let mut word = B::inside::<T, 32>(*row, T::splat(LOW[5]));
        word = B::inside::<T, 16>(word, T::splat(LOW[4]));
        word = B::inside::<T, 8>(word, T::splat(LOW[3]));
        word = B::inside::<T, 4>(word, T::splat(LOW[2]));
        word = B::inside::<T, 2>(word, T::splat(LOW[1]));
        *row = B::inside::<T, 1>(word, T::splat(LOW[0]));
    }
    T::transpose(rows);
    for (row, words) in rows.iter().zip(words.chunks_exact_mut(T::COUNT)) {
        row.store(words);
    }
}

#[inline(always)]
fn stages_of_rows<T: Lanes, B: Butterfly>(rows: &mut [T]) {
    let mut stride = T::COUNT / 2;
    while stride > 0 {
        for first in (0..T::COUNT).filter(|i| i & stride == 0) {
            (rows[first], rows[first + stride]) = B::pair(rows[first], rows[first + stride]);
        }
        stride /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;
    use crate::isa::Isa;
    use crate::keystream::Keystream;
    use crate::polar_wom::lanes::{LaneKernel, run_lanes};

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
    impl LaneKernel for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<T: Lanes>(self) {
            if self.0 { determine::<T>(self.1) } else { transform::<T>(self.1, |_| true) }
        }
    }

    #[test]
    fn transforms_follow_their_recursive_definition_at_every_size() {
        for isa in Isa::available() {
            for log in 0..=9 {
                let count = 1 << log;
                let original: Vec<u64> = (0..count).map(|i| Keystream::new(7, 0).word(i)).collect();
                let bools: Vec<bool> = (0..64 * count).map(|i| bits::get(&original, i)).collect();
                let cases: [(bool, Map); 2] = [(false, |a, b| (a ^ b, b)), (true, |a, b| (a & b, a | b))];
                for (known, map) in cases {
                    let mut words = original.clone();
                    run_lanes(isa, Run(known, &mut words));
                    let wanted = by_definition(&bools, map);
                    assert!(
                        (0..64 * count).all(|i| bits::get(&words, i) == wanted[i]),
                        "{} {log}",
                        isa.name()
                    );
                }
                let mut twice = original.clone();
                run_lanes(isa, Run(false, &mut twice));
                run_lanes(isa, Run(false, &mut twice));
                assert_eq!(twice, original);
            }
        }
    }
}
