//! Scrambling of numbers, the same on every machine.

use crate::request::Fingerprint;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The fingerprint of the content with a number, for content without further knowledge.
/// Different numbers of one `space` have different fingerprints; those of two spaces are equal only
/// by chance.
#[inline]
pub(crate) fn numbered(space: u64, number: u64) -> Fingerprint {
    let low = mix(number ^ mix(space));
    Fingerprint::from(low) | Fingerprint::from(mix(low ^ space)) << 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_spaces_are_told_apart() {
        let mut all: Vec<Fingerprint> =
            (0..3).flat_map(|space| (0..10_000).map(move |number| numbered(space, number))).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30_000);
    }
}
