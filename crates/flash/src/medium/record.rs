//! What a page says of itself in its spare area: the record that is programmed together with it.
//!
//! 44 bytes, little endian, the last eight a CRC-32 and a CRC-32C of the others. An erased spare
//! area is no record, and neither is one that was half programmed. A record with two
//! wrong neighbouring bytes is read as it was.

use super::checksum::{self, Checksums};

/// Bytes of a record.
pub const RECORD_BYTES: usize = 44;
/// Bytes of it before its checksums.
const FIELD_BYTES: usize = 36;
/// The highest number of a program: 36 years of one each nanosecond. A record that says more was not
/// written by a drive, and counting on from it would end.
pub const MOST_PROGRAMS: u64 = 1 << 60;
/// The most erases, and emptyings, of a block or unit, for the same reason.
pub const MOST_ERASES: u32 = 1 << 30;
/// The most programs of a page between two erases.
const MOST_PASSES: u16 = 1 << 14;
/// What a blank record may hold: more bytes were programmed.
const STRAY_BYTES: usize = 2;

/// Sets the checksum of a record apart from that of any other 36 bytes, zeros above all.
const CHECKSUM_OF_NOTHING: u32 = 0x7265_6377;

/// Which kind of program wrote a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A program of a whole slot: the first since the erase, or a later pass of a code.
    Slot = 1,
    /// The first half of a second write over two invalid pages.
    SecondFirstHalf = 2,
    /// The second half of one.
    SecondSecondHalf = 3,
    /// A page programmed again in place.
    Again = 4,
    /// A page of the translation layer's own log.
    Log = 5,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Kind> {
        [Kind::Slot, Kind::SecondFirstHalf, Kind::SecondSecondHalf, Kind::Again, Kind::Log]
            .into_iter()
            .find(|&kind| kind as u8 == byte)
    }
}

/// The record of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Which kind of program wrote the page.
    pub kind: Kind,
    /// Programming mode (see [`ProgramMode`](crate::ProgramMode)).
    pub mode: u8,
    /// Index of the open unit that the page was written through.
    pub stream: u8,
    /// Whether the slot takes no further write before an erase.
    pub exhausted: bool,
    /// Logical page; of a log page its number within its epoch.
    pub lpn: u32,
    /// Number of the program among all programs of the drive: the newest record of a logical page
    /// names its place.
    pub sequence: u64,
    /// Erases of the page's block before this program: the incarnation of the block.
    pub erases: u32,
    /// Times that the page's erase unit was emptied: erased, or given back by a code.
    pub passes: u32,
    /// Programs of the page since the erase, this one included: the generation.
    pub programs: u16,
    /// Number of the flash page within its logical page.
    pub part: u16,
    /// Of a second write: the physical page number of the other half. Where a code leaves more in
    /// the spare area: the CRC-32 of that.
    pub other: u32,
    /// CRC-32 of the logical page.
    pub data_checksum: u32,
}

impl Record {
    /// As the spare area holds it.
    pub fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[0] = self.kind as u8;
        bytes[1] = self.mode;
        bytes[2] = self.stream;
        bytes[3] = u8::from(self.exhausted);
        bytes[4..8].copy_from_slice(&self.lpn.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.erases.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.passes.to_le_bytes());
        bytes[24..26].copy_from_slice(&self.programs.to_le_bytes());
        bytes[26..28].copy_from_slice(&self.part.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.other.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.data_checksum.to_le_bytes());
        let fields = &bytes[..FIELD_BYTES];
        let (crc32, crc32c) = (checksum(fields), crc32c::crc32c(fields));
        bytes[36..40].copy_from_slice(&crc32.to_le_bytes());
        bytes[40..].copy_from_slice(&crc32c.to_le_bytes());
        bytes
    }

    /// The record in a spare area, or in a part of one; `None` if it is erased, torn or otherwise
    /// none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Record> {
        let mut bytes: [u8; RECORD_BYTES] = bytes.get(..RECORD_BYTES)?.try_into().ok()?;
        if is_blank(&bytes) {
            return None;
        }
        let [fields @ .., c0, c1, c2, c3, d0, d1, d2, d3] = &mut bytes;
        let wanted = Checksums {
            crc32: u32::from_le_bytes([*c0, *c1, *c2, *c3]),
            crc32c: u32::from_le_bytes([*d0, *d1, *d2, *d3]),
        };
        if !checksum::restore(fields, wanted, checksum) {
            return None;
        }
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let record = Record {
            kind: Kind::from_byte(bytes[0])?,
            mode: bytes[1],
            stream: bytes[2],
            exhausted: bytes[3] == 1,
            lpn: u32_at(4),
            sequence: u64::from(u32_at(8)) | u64::from(u32_at(12)) << 32,
            erases: u32_at(16),
            passes: u32_at(20),
            programs: u16_at(24),
            part: u16_at(26),
            other: u32_at(28),
            data_checksum: u32_at(32),
        };
        let is_possible = record.sequence <= MOST_PROGRAMS
            && record.erases.max(record.passes) <= MOST_ERASES
            && record.programs <= MOST_PASSES;
        is_possible.then_some(record)
    }
}

/// Whether no record was programmed here, not even a part of one that two wrong bytes could be told
/// from.
pub fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().filter(|&&byte| byte != 0).take(STRAY_BYTES + 1).count() <= STRAY_BYTES
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(CHECKSUM_OF_NOTHING);
    hasher.update(bytes);
    hasher.finalize()
}

/// CRC-32 of a logical page, as records hold it.
pub fn data_checksum(data: &[u8]) -> u32 {
    crc32fast::hash(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(kind: Kind, numbers: (u32, u64, u32, u16)) -> Record {
        let (word, sequence, erases, short) = numbers;
        Record {
            kind,
            mode: word as u8,
            stream: short as u8,
            exhausted: word & 1 == 1,
            lpn: word,
            sequence: sequence % MOST_PROGRAMS,
            erases: erases % MOST_ERASES,
            passes: !erases % MOST_ERASES,
            programs: short % MOST_PASSES,
            part: !short,
            other: word.rotate_left(7),
            data_checksum: !word,
        }
    }

    proptest! {
        #[test]
        fn records_come_back_and_torn_ones_do_not(numbers: (u32, u64, u32, u16), kind in 1u8..6, flips: [u8; RECORD_BYTES]) {
            let record = record(Kind::from_byte(kind).unwrap(), numbers);
            let bytes = record.to_bytes();
            prop_assert_eq!(Record::from_bytes(&bytes), Some(record));
            // Half programmed: some of the bits that should be set are not.
            let mut torn = bytes;
            torn.iter_mut().zip(flips).for_each(|(byte, flip)| *byte &= flip);
            prop_assert!(Record::from_bytes(&torn).is_none_or(|found| found == record));
        }

        #[test]
        fn two_neighbouring_bytes_may_be_wrong(numbers: (u32, u64, u32, u16), at in 0..RECORD_BYTES - 1, wrong: [u8; 2]) {
            let record = record(Kind::Slot, numbers);
            let mut bytes = record.to_bytes();
            bytes[at] ^= wrong[0];
            bytes[at + 1] ^= wrong[1];
            prop_assert_eq!(Record::from_bytes(&bytes), Some(record));
        }
    }

    #[test]
    fn counts_that_no_drive_reaches_are_no_record() {
        let record = record(Kind::Slot, (1, 2, 3, 4));
        for impossible in [
            Record { sequence: u64::MAX, ..record },
            Record { erases: u32::MAX, ..record },
            Record { passes: u32::MAX, ..record },
            Record { programs: u16::MAX, ..record },
        ] {
            assert_eq!(Record::from_bytes(&impossible.to_bytes()), None);
        }
    }

    #[test]
    fn erased_and_short_areas_hold_no_record() {
        assert_eq!(Record::from_bytes(&[0; RECORD_BYTES]), None);
        assert_eq!(Record::from_bytes(&[0xff; RECORD_BYTES]), None);
        assert_eq!(Record::from_bytes(&[0; 3]), None);
    }
}
