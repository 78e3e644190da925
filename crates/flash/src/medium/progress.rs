//! Which operation the cells are in the middle of, kept beside them: it tells a torn page from a
//! damaged one.
//!
//! A process that is killed leaves the operation that it was in the middle of, and no other, torn.
//! A mount that finds a page torn which no operation was under way on knows that something else has
//! changed it. Flash alone cannot know; cells that were taken from such flash say so ([`forget`]).
//!
//! 64-bit words, little endian, in memory or in the header of an image. Words are written in such
//! an order that a process killed between any two of them leaves a true statement.

use std::sync::atomic::{Ordering, compiler_fence};

/// Bytes of the area.
pub const PROGRESS_BYTES: usize = 1024;
/// Stands for no place.
const NOWHERE: u32 = u32::MAX;

const KIND: usize = 0;
const SEQUENCE: usize = 1;
const PLACES: usize = 2;
const DONE_SEQUENCE: usize = 3;
const DONE_PLACE: usize = 4;
const SPOILED: usize = 5;
const FIRST_ENTRY: usize = 6;
const ENTRIES: usize = PROGRESS_BYTES / 8 - FIRST_ENTRY;

const IDLE: u64 = 0;
const PROGRAM: u64 = 1;
const ERASE: u64 = 2;
const UNKNOWN: u64 = 3;
/// Set in an entry that stands for an erase unit.
const UNIT: u64 = 1 << 32;

/// What the translation layer does to the cells at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Programs a logical page.
    Program {
        /// Its number among all programs.
        sequence: u64,
        /// Physical page, and that of the second half of a second write.
        places: [Option<u32>; 2],
    },
    /// Erases the blocks of an erase unit.
    Erase {
        /// Which.
        unit: u32,
    },
}

/// Where no whole program need be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoiled {
    /// A physical page.
    Page(u32),
    /// Any page of an erase unit.
    Unit(u32),
}

/// What is known of the operations on some cells.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a>(&'a [u8]);

impl<'a> Progress<'a> {
    pub(super) fn new(area: &'a [u8]) -> Progress<'a> {
        Progress(area)
    }

    /// Whether nothing is known: any page may be torn.
    pub fn is_unknown(self) -> bool {
        word(self.0, KIND) == UNKNOWN
    }

    /// The operation that had begun and not ended.
    pub fn under_way(self) -> Option<Operation> {
        let places = [word(self.0, PLACES) as u32, (word(self.0, PLACES) >> 32) as u32];
        match word(self.0, KIND) {
            PROGRAM => Some(Operation::Program {
                sequence: word(self.0, SEQUENCE),
                places: places.map(|place| (place != NOWHERE).then_some(place)),
            }),
            ERASE => Some(Operation::Erase { unit: places[0] }),
            _ => None,
        }
    }

    /// The number of the last program that ended, and its physical page; `None` where nothing is
    /// known of it.
    pub fn last_program(self) -> Option<(u64, u32)> {
        let known = word(self.0, KIND) == IDLE && word(self.0, DONE_SEQUENCE) != 0;
        known.then(|| (word(self.0, DONE_SEQUENCE), word(self.0, DONE_PLACE) as u32))
    }

    /// Whether it is known that a page need not hold a whole program.
    pub fn is_spoiled(self, page: u32, unit: u32) -> bool {
        let count = (word(self.0, SPOILED) as usize).min(ENTRIES);
        (FIRST_ENTRY..FIRST_ENTRY + count)
            .map(|index| word(self.0, index))
            .any(|entry| entry == u64::from(page) || entry == u64::from(unit) | UNIT)
    }
}

pub(super) fn begin(area: &mut [u8], operation: Operation) {
    let kind = match operation {
        Operation::Program { sequence, places } => {
            let [first, second] = places.map(|place| u64::from(place.unwrap_or(NOWHERE)));
            set(area, SEQUENCE, sequence);
            set(area, PLACES, first | second << 32);
            PROGRAM
        }
        Operation::Erase { unit } => {
            set(area, PLACES, u64::from(unit) | u64::from(NOWHERE) << 32);
            ERASE
        }
    };
    if word(area, KIND) != UNKNOWN {
        set(area, KIND, kind);
    }
}

/// A program ended.
pub(super) fn end_program(area: &mut [u8]) {
    if word(area, KIND) != UNKNOWN {
        set(area, DONE_SEQUENCE, word(area, SEQUENCE));
        set(area, DONE_PLACE, word(area, PLACES) & u64::from(u32::MAX));
        set(area, KIND, IDLE);
    }
}

/// The erase of a unit ended: none of its pages is spoiled any more.
pub(super) fn end_erase(area: &mut [u8], unit: u32, pages: std::ops::Range<u32>) {
    if word(area, KIND) == UNKNOWN {
        return;
    }
    if pages.contains(&(word(area, DONE_PLACE) as u32)) {
        set(area, DONE_SEQUENCE, 0);
    }
    let is_gone = |entry: u64| {
        if entry & UNIT == 0 { pages.contains(&(entry as u32)) } else { entry == u64::from(unit) | UNIT }
    };
    let mut index = 0;
    while index < word(area, SPOILED) as usize {
        if is_gone(word(area, FIRST_ENTRY + index)) {
            let last = word(area, SPOILED) as usize - 1;
            set(area, FIRST_ENTRY + index, word(area, FIRST_ENTRY + last));
            set(area, SPOILED, last as u64);
        } else {
            index += 1;
        }
    }
    set(area, KIND, IDLE);
}

/// Notes what is spoiled. Where there is no room nothing is known from now on.
pub(super) fn note_spoiled(area: &mut [u8], spoiled: Spoiled) {
    let (entry, known) = match spoiled {
        Spoiled::Page(page) => (u64::from(page), Progress(area).is_spoiled(page, NOWHERE)),
        Spoiled::Unit(unit) => (u64::from(unit) | UNIT, Progress(area).is_spoiled(NOWHERE, unit)),
    };
    let count = word(area, SPOILED) as usize;
    if known {
        return;
    }
    if count >= ENTRIES {
        return forget(area);
    }
    set(area, FIRST_ENTRY + count, entry);
    set(area, SPOILED, count as u64 + 1);
}

/// Nothing is known, as of cells that come from flash alone.
pub(super) fn forget(area: &mut [u8]) {
    set(area, KIND, UNKNOWN);
}

fn word(area: &[u8], index: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&area[index * 8..][..8]);
    u64::from_le_bytes(bytes)
}

/// Neither the compiler nor, for whoever maps the same file, the processor moves a write over the
/// fence.
fn set(area: &mut [u8], index: usize, value: u64) {
    compiler_fence(Ordering::SeqCst);
    area[index * 8..][..8].copy_from_slice(&value.to_le_bytes());
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_and_what_is_spoiled_is_known_until_it_ends() {
        let mut area = vec![0; PROGRESS_BYTES];
        assert_eq!((Progress(&area).under_way(), Progress(&area).last_program()), (None, None));
        let program = Operation::Program { sequence: 7, places: [Some(5), None] };
        begin(&mut area, program);
        assert_eq!((Progress(&area).under_way(), Progress(&area).last_program()), (Some(program), None));
        end_program(&mut area);
        assert_eq!((Progress(&area).under_way(), Progress(&area).last_program()), (None, Some((7, 5))));
        for spoiled in [Spoiled::Page(5), Spoiled::Unit(5), Spoiled::Page(9), Spoiled::Page(5)] {
            note_spoiled(&mut area, spoiled);
        }
        assert!(Progress(&area).is_spoiled(9, 0) && Progress(&area).is_spoiled(1, 5));
        begin(&mut area, Operation::Erase { unit: 5 });
        assert_eq!(Progress(&area).under_way(), Some(Operation::Erase { unit: 5 }));
        end_erase(&mut area, 5, 0..8);
        assert_eq!((Progress(&area).under_way(), Progress(&area).last_program()), (None, None));
        assert!(!Progress(&area).is_spoiled(5, 5) && Progress(&area).is_spoiled(9, 0));
    }

    #[test]
    fn without_room_nothing_is_known() {
        let mut area = vec![0; PROGRESS_BYTES];
        (0..ENTRIES as u32).for_each(|page| note_spoiled(&mut area, Spoiled::Page(page)));
        assert!(!Progress(&area).is_unknown());
        note_spoiled(&mut area, Spoiled::Unit(1));
        begin(&mut area, Operation::Erase { unit: 5 });
        assert!(Progress(&area).is_unknown() && Progress(&area).under_way().is_none());
    }
}
