//! The polar transform and its counterpart on sets of known cells, on whole bitmaps.

/// `u = x G`, which is also `x = u G`: each half-size step maps `(a, b)` to `(a ^ b, b)`. Of the
/// result only the parts of [`PART`] words that `is_wanted` become right.
pub(super) fn transform(words: &mut [u64], is_wanted: impl Fn(usize) -> bool) {
    all_stages(words, is_wanted, |a, b| (a ^ b, b), |word, shift, low| word ^ (word >> shift & low));
}

/// Which positions of `u` are determined by the known positions of `x`: each step maps `(a, b)` to
/// `(a & b, a | b)`.
pub(super) fn determine(words: &mut [u64]) {
    // Inside a word a pair (1, 0) becomes (0, 1); the other pairs stay.
    let inside = |word: u64, shift: u32, low: u64| {
        let moving = word & low & !(word >> shift);
        word ^ moving ^ moving << shift
    };
    all_stages(words, |_| true, |a, b| (a & b, a | b), inside);
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

/// From far to near, as the recursive definition does: the steps of [`determine`] do not commute.
/// `pair` maps a pair of words, `inside` all pairs of bits of a word that lie `shift` apart;
/// `low` marks the first of each.
fn all_stages(
    words: &mut [u64],
    is_wanted: impl Fn(usize) -> bool,
    pair: impl Fn(u64, u64) -> (u64, u64),
    inside: impl Fn(u64, u32, u64) -> u64,
) {
    debug_assert!(words.len().is_power_of_two());
    let far = |words: &mut [u64], strides: std::ops::Range<u32>| {
        for stride in strides.rev().map(|log| 1usize << log) {
            for block in words.chunks_exact_mut(2 * stride) {
                let (low, high) = block.split_at_mut(stride);
                for (a, b) in low.iter_mut().zip(high) {
                    (*a, *b) = pair(*a, *b);
                }
            }
        }
    };
    let (all, part) = (words.len().ilog2(), PART.min(words.len()));
    far(words, part.ilog2()..all);
    for (_, words) in words.chunks_exact_mut(part).enumerate().filter(|(i, _)| is_wanted(*i)) {
        far(words, 0..part.ilog2());
        for word in words {
            *word = (0..6).rev().fold(*word, |word, log| inside(word, 1 << log, LOW[log]));
        }
    }
}
