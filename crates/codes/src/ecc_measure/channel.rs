//! Independent bit errors.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A number in [0, 1), all 2^53 multiples of 2^-53 equally likely.
pub(super) fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Flips each of the first `bits` bits (highest bit of a byte first) with probability `rber`,
/// jumping from error to error by geometric gaps; returns how many.
pub(super) fn flip_bits(bytes: &mut [u8], bits: usize, rber: f64, rng: &mut Xoshiro256PlusPlus) -> u64 {
    let ln_right = libm::log1p(-rber);
    let mut place = 0.0;
    let mut flipped = 0;
    loop {
        place += libm::floor(libm::log1p(-uniform(rng)) / ln_right);
        if place >= bits as f64 {
            return flipped;
        }
        let index = place as usize;
        bytes[index / 8] ^= 0x80 >> (index % 8);
        flipped += 1;
        place += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn every_bit_is_hit_at_the_given_rate() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let (bits, trials, rate) = (19, 40_000, 0.07);
        let mut hits = [0u32; 24];
        for _ in 0..trials {
            let mut bytes = [0u8; 3];
            let flipped = flip_bits(&mut bytes, bits, rate, &mut rng);
            assert_eq!(flipped, bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>());
            hits.iter_mut()
                .enumerate()
                .for_each(|(i, hit)| *hit += u32::from(bytes[i / 8] >> (7 - i % 8) & 1));
        }
        let (mean, sigma) = (rate * f64::from(trials), (rate * (1.0 - rate) * f64::from(trials)).sqrt());
        assert!(hits[..bits].iter().all(|&hit| (f64::from(hit) - mean).abs() < 5.0 * sigma), "{hits:?}");
        assert_eq!(hits[bits..], [0; 5]);
    }
}
