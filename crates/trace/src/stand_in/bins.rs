//! The scales on which a profile counts: logarithmic ones, because what matters of a distance or a
//! pause is its order.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workloads::random::below;

/// Half octaves of a rank: 0, 1, 2, 3, 4..5, 6..7, 8..11, ...
pub(super) fn rank_bin(rank: u32) -> usize {
    libm::floor(2.0 * libm::log2(f64::from(rank) + 1.0) + 1e-9) as usize
}

/// A rank of a bin, every one equally likely.
pub(super) fn draw_rank(bin: usize, random: &mut Xoshiro256PlusPlus) -> u32 {
    let edge = |bin: usize| libm::ceil(libm::exp2(bin as f64 / 2.0) - 1e-9) as u64 - 1;
    let (first, behind) = (edge(bin), edge(bin + 1));
    (first + below(random, behind.saturating_sub(first).max(1))).min(u64::from(u32::MAX)) as u32
}

/// Octaves of a pause in nanoseconds (or of any count): 0, 1, 2..3, 4..7, ...
pub(super) fn octave(count: u64) -> usize {
    (u64::BITS - count.leading_zeros()) as usize
}

/// A count of an octave, every one equally likely.
pub(super) fn draw_octave(octave: usize, random: &mut Xoshiro256PlusPlus) -> u64 {
    match octave {
        0 => 0,
        _ => {
            let first = 1u64 << (octave - 1).min(62);
            first + below(random, first)
        }
    }
}

/// The mean of what is drawn of an octave.
pub(super) fn mean_of_octave(octave: usize) -> f64 {
    if octave == 0 { 0.0 } else { 0.75 * libm::exp2(octave as f64) - 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn what_is_drawn_of_a_bin_lies_in_it() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for rank in (0..2000).chain([1 << 20, (1 << 30) + 7]) {
            let bin = rank_bin(rank);
            for _ in 0..20 {
                assert_eq!(rank_bin(draw_rank(bin, &mut random)), bin, "rank {rank}");
            }
        }
        for count in (0..100).chain([1 << 40, u64::MAX / 4]) {
            let bin = octave(count);
            assert_eq!(octave(draw_octave(bin, &mut random)), bin, "count {count}");
        }
    }
}
