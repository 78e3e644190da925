//! What the journal notes: changes of the translation layer's state that program no page of their
//! own.

use rewear_flash::medium::record::MOST_PROGRAMS;

use crate::address::{Lpn, Ppn, Unit};

pub(crate) const ENTRY_BYTES: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A logical page lies in a physical page that was programmed for another;
    /// [`NONE`](crate::address::NONE): it was trimmed.
    Mapped { lpn: Lpn, ppn: Ppn },
    /// A program failed on a unit.
    Condemned { unit: Unit },
    /// A unit went out of service.
    Retired { unit: Unit },
}

/// A change, and its place among the programs and other changes of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) sequence: u64,
    pub(crate) change: Change,
}

impl Entry {
    pub(super) fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let (kind, first, second) = match self.change {
            Change::Mapped { lpn, ppn } => (1u32, lpn.0, ppn.0),
            Change::Condemned { unit } => (2, unit.0, 0),
            Change::Retired { unit } => (3, unit.0, 0),
        };
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&first.to_le_bytes());
        bytes[8..12].copy_from_slice(&second.to_le_bytes());
        bytes[16..].copy_from_slice(&self.sequence.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Option<Entry> {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let change = match (u32_at(0), u32_at(4)) {
            (1, lpn) => Change::Mapped { lpn: Lpn(lpn), ppn: Ppn(u32_at(8)) },
            (2, unit) => Change::Condemned { unit: Unit(unit) },
            (3, unit) => Change::Retired { unit: Unit(unit) },
            _ => return None,
        };
        let sequence = u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32;
        (sequence <= MOST_PROGRAMS).then_some(Entry { sequence, change })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_come_back(sequence in 0..=MOST_PROGRAMS, first: u32, second: u32) {
            for change in [
                Change::Mapped { lpn: Lpn(first), ppn: Ppn(second) },
                Change::Condemned { unit: Unit(first) },
                Change::Retired { unit: Unit(second) },
            ] {
                let entry = Entry { sequence, change };
                prop_assert_eq!(Entry::from_bytes(&entry.to_bytes()), Some(entry));
            }
            prop_assert_eq!(Entry::from_bytes(&[0; ENTRY_BYTES]), None);
        }
    }
}
