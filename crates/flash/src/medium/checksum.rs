//! Two checksums over the same bytes: CRC-32 finds a short burst of wrong bits and where it lies,
//! CRC-32C proves it.
//!
//! # Source
//! Correction by the syndrome of a CRC is that of the header error control of ATM cells (ITU-T
//! I.432.1, 4.3.2.1), there of one bit by a CRC-8. Here a burst may touch two neighbouring bytes,
//! which is what a cell of several levels can spoil.
//!
//! # Cost
//! Bytes whose CRC-32 fits are never looked at twice. The search is linear in their number.

use std::sync::LazyLock;

/// Both checksums of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksums {
    /// CRC-32 (IEEE 802.3), in the form that the owner of the bytes chose: any initial value.
    pub crc32: u32,
    /// CRC-32C (Castagnoli).
    pub crc32c: u32,
}

/// Restores bytes whose checksums should be `wanted`, where `crc32` computes the first of them.
/// Returns whether they are right now; otherwise they are as they were.
///
/// Bytes are right if one checksum fits: the other one is damaged. A burst may
/// reach from the bytes into the first checksum, or from that into the second. Torn or otherwise
/// foreign bytes pass with a probability of about `bytes * 2^-38`.
pub fn restore(bytes: &mut [u8], wanted: Checksums, crc32: impl Fn(&[u8]) -> u32) -> bool {
    let differs_in_a_byte =
        |syndrome: u32| syndrome.to_le_bytes().iter().filter(|&&byte| byte != 0).count() < 2;
    let first = |bytes: &[u8]| wanted.crc32 ^ crc32(bytes);
    let second = |bytes: &[u8]| wanted.crc32c ^ crc32c::crc32c(bytes);
    if differs_in_a_byte(first(bytes)) && differs_in_a_byte(second(bytes)) {
        return true;
    }
    restore_if(bytes, first(bytes), |bytes| second(bytes) == 0)
        || search(bytes, second(bytes), Tables::crc32c(), |bytes| differs_in_a_byte(first(bytes)))
}

/// Restores bytes by the difference between the CRC-32 that they should have and the one that they
/// have, and by whether bytes prove right otherwise.
pub fn restore_if(bytes: &mut [u8], syndrome: u32, proves_right: impl Fn(&[u8]) -> bool) -> bool {
    syndrome == 0 || proves_right(bytes) || search(bytes, syndrome, Tables::crc32(), proves_right)
}

fn search(bytes: &mut [u8], syndrome: u32, tables: &Tables, proves_right: impl Fn(&[u8]) -> bool) -> bool {
    // The state behind the last byte, then behind each earlier one: what a burst that ends there
    // leaves.
    let mut state = syndrome;
    for last in (0..bytes.len()).rev() {
        if let Some((before, own)) = tables.burst(state)
            && (last > 0 || before == 0)
        {
            apply(bytes, last, (before, own));
            if proves_right(bytes) {
                return true;
            }
            apply(bytes, last, (before, own));
        }
        state = tables.before_zero(state);
    }
    false
}

fn apply(bytes: &mut [u8], last: usize, (before, own): (u8, u8)) {
    bytes[last] ^= own;
    if last > 0 {
        bytes[last - 1] ^= before;
    }
}

/// The byte-wise table of a CRC of 32 bits, and which of its entries has a given highest byte.
struct Tables {
    forward: [u32; 256],
    by_highest_byte: [u8; 256],
}

impl Tables {
    fn crc32() -> &'static Tables {
        static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(0xedb8_8320));
        &TABLES
    }

    fn crc32c() -> &'static Tables {
        static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(0x82f6_3b78));
        &TABLES
    }

    fn new(polynomial: u32) -> Tables {
        let mut tables = Tables { forward: [0; 256], by_highest_byte: [0; 256] };
        for byte in 0..=255u8 {
            let step = |state: u32, _| if state & 1 == 1 { state >> 1 ^ polynomial } else { state >> 1 };
            let entry = (0..8).fold(u32::from(byte), step);
            tables.forward[usize::from(byte)] = entry;
            tables.by_highest_byte[(entry >> 24) as usize] = byte;
        }
        tables
    }

    /// The state that a zero byte turned into `state`.
    fn before_zero(&self, state: u32) -> u32 {
        let index = self.by_highest_byte[(state >> 24) as usize];
        (state ^ self.forward[usize::from(index)]) << 8 | u32::from(index)
    }

    /// The two bytes that turn the state 0 into `state`; the first may be zero.
    fn burst(&self, state: u32) -> Option<(u8, u8)> {
        let index = self.by_highest_byte[(state >> 24) as usize];
        let rest = state ^ self.forward[usize::from(index)];
        let first = self.by_highest_byte[(rest << 8 >> 24) as usize];
        let after_first = self.forward[usize::from(first)];
        (after_first >> 8 == rest).then_some((first, index ^ after_first as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn checksums(bytes: &[u8]) -> Checksums {
        Checksums { crc32: crc32fast::hash(bytes), crc32c: crc32c::crc32c(bytes) }
    }

    #[test]
    fn every_burst_of_two_bytes_is_restored_wherever_it_lies() {
        let bytes: Vec<u8> = (0..36u8).map(|byte| byte.wrapping_mul(77)).collect();
        let wanted = checksums(&bytes);
        for first in 0..bytes.len() {
            for pattern in (1..=u16::MAX).step_by(257).chain(1..=255).chain((1..=255).map(|high| high << 8)) {
                let mut damaged = bytes.clone();
                let [low, high] = pattern.to_le_bytes();
                damaged[first] ^= low;
                if let Some(next) = damaged.get_mut(first + 1) {
                    *next ^= high;
                }
                assert!(restore(&mut damaged, wanted, crc32fast::hash), "{pattern:04x} at {first}");
                assert_eq!(damaged, bytes);
            }
        }
    }

    #[test]
    fn a_damaged_checksum_alone_spoils_nothing() {
        let mut bytes = *b"what was written";
        let Checksums { crc32, crc32c } = checksums(&bytes);
        assert!(restore(&mut bytes, Checksums { crc32: crc32 ^ 1, crc32c }, crc32fast::hash));
        assert!(restore(&mut bytes, Checksums { crc32, crc32c: !crc32c }, crc32fast::hash));
        assert!(restore(
            &mut bytes,
            Checksums { crc32: crc32 ^ 7 << 24, crc32c: crc32c ^ 9 },
            crc32fast::hash
        ));
        assert_eq!(&bytes, b"what was written");
        bytes[15] ^= 0x55;
        assert!(restore(&mut bytes, Checksums { crc32: crc32 ^ 0xaa, crc32c }, crc32fast::hash));
        assert_eq!(&bytes, b"what was written");
    }

    proptest! {
        #[test]
        fn foreign_bytes_are_refused_and_left_alone(
            length in 8usize..5000, seed in 1u64.., wrong in proptest::collection::vec(0usize..5000, 3..40)
        ) {
            let mut state = seed;
            let mut next = || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state as u8 };
            let bytes: Vec<u8> = (0..length).map(|_| next()).collect();
            let mut damaged = bytes.clone();
            wrong.iter().for_each(|&at| damaged[at % length] ^= 0x5a);
            let differing: Vec<usize> = (0..length).filter(|&at| damaged[at] != bytes[at]).collect();
            let before = damaged.clone();
            let restored = restore(&mut damaged, checksums(&bytes), crc32fast::hash);
            let is_short = differing.last().zip(differing.first()).is_none_or(|(last, first)| last - first < 2);
            prop_assert_eq!(restored, is_short);
            prop_assert_eq!(&damaged, if is_short { &bytes } else { &before });
        }
    }
}
