//! Pairs of Bloom filters, laid side by side.

use super::separator::{PAIRS, PairSet};
use crate::address::Lpn;
use crate::effort::scheme::Access;

/// Hash functions (section IV.A of the paper).
const HASHES: i32 = 2;

/// A Bloom filter for reads and one for writes in each pair.
///
/// The filters of all pairs lie side by side: byte `i` of a table holds bit `i` of each pair's
/// filter, so that one look answers for all pairs. The model spends a byte where the drive has as
/// many bits as there are pairs.
#[derive(Debug, Clone)]
pub(super) struct Bloom {
    /// Of reads and of writes.
    tables: [Vec<u8>; 2],
    /// Bits that are set in each filter.
    ones: [[u32; PAIRS]; 2],
}

impl Bloom {
    pub(super) fn new(bits: u32) -> Bloom {
        let table = vec![0; bits as usize];
        Bloom { tables: [table.clone(), table], ones: Default::default() }
    }

    /// Memory that the filters take in the drive.
    pub(super) fn bytes(&self) -> u64 {
        self.tables[0].len() as u64 * 2 * PAIRS as u64 / 8
    }

    /// Adds a page to one filter.
    #[inline]
    pub(super) fn add(&mut self, access: Access, pair: usize, lpn: Lpn) {
        let (table, ones) = (&mut self.tables[access as usize], &mut self.ones[access as usize][pair]);
        let (mut hash, last) = (mix(lpn), table.len() - 1);
        for _ in 0..HASHES {
            let byte = &mut table[hash as usize & last];
            *ones += u32::from(*byte >> pair & 1 == 0);
            *byte |= 1 << pair;
            hash >>= 16;
        }
    }

    /// The pairs whose filters say that they know a page: of reads and of writes.
    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> [PairSet; 2] {
        let (mut hash, last) = (mix(lpn), self.tables[0].len() - 1);
        let mut found = [PairSet::MAX; 2];
        for _ in 0..HASHES {
            let at = hash as usize & last;
            found[0] &= self.tables[0][at];
            found[1] &= self.tables[1][at];
            hash >>= 16;
        }
        found
    }

    /// Empties both filters of a pair.
    pub(super) fn reset(&mut self, pair: usize) {
        for table in &mut self.tables {
            table.iter_mut().for_each(|byte| *byte &= !(1 << pair));
        }
        self.ones[0][pair] = 0;
        self.ones[1][pair] = 0;
    }

    /// The probability that some filter of a kind knows a page which was never added, from the bits
    /// that are set.
    pub(super) fn false_hits(&self, access: Access) -> f64 {
        let bits = self.tables[0].len() as f64;
        let misses = self.ones[access as usize].iter().map(|&ones| {
            let load = f64::from(ones) / bits;
            1.0 - load.powi(HASHES)
        });
        1.0 - misses.product::<f64>()
    }
}

/// The hash functions: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA '14) on the page
/// number plus one times the golden ratio. Function `i` takes the low bits of the 16 bits from bit
/// `16 i` on.
#[inline]
fn mix(lpn: Lpn) -> u64 {
    let mut z = (u64::from(lpn) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_generator() {
        // The first output of SplitMix64 with seed 0 and with seed 0x9E3779B97F4A7C15.
        assert_eq!(mix(Lpn(0)), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(Lpn(1)), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn a_page_that_was_added_is_found_until_its_pair_is_reset() {
        let mut filters = Bloom::new(2048);
        (0..200).for_each(|lpn| filters.add(Access::Write, (lpn % 4) as usize, Lpn(lpn)));
        for lpn in 0..200u32 {
            assert_ne!(filters.find(Lpn(lpn))[1] & 1 << (lpn % 4), 0);
            assert_eq!(filters.find(Lpn(lpn))[0], 0);
        }
        filters.reset(2);
        assert!((0..4000).all(|lpn| filters.find(Lpn(lpn))[1] & 4 == 0));
        assert_ne!(filters.find(Lpn(3))[1] & 8, 0);
    }

    #[test]
    fn the_estimate_of_false_hits_agrees_with_a_count() {
        let mut filters = Bloom::new(2048);
        (0..1024).for_each(|lpn| filters.add(Access::Read, (lpn % 4) as usize, Lpn(lpn)));
        let strangers = 100_000;
        let hits = (5000..5000 + strangers).filter(|&lpn| filters.find(Lpn(lpn))[0] != 0).count() as f64;
        let estimate = filters.false_hits(Access::Read);
        assert!((hits / f64::from(strangers) - estimate).abs() < 0.01, "{hits} {estimate}");
        assert_eq!(filters.false_hits(Access::Write), 0.0);
    }
}
