//! Which operation the cells are in the middle of, kept beside them: it tells a torn page from a
//! damaged one.
//!
//! A process that is killed leaves the operation that it was in the middle of, and no other, torn.
//! A mount that finds a page torn which no operation was under way on knows that something else has
//! changed it. Flash alone cannot know; cells that were taken from such flash say so ([`forget`]).
//!
//! 64-bit words, little endian, in memory or in the header of an image. Words are written in such
//! an order that a process killed between any two of them leaves a true statement.
//!
//! Every word is there three times, and what two copies agree on holds. So a word has its old value
//! or its new one wherever a process is killed, which a checksum beside it could not promise, and
//! damage to one copy changes nothing. Copies of a word lie a kilobyte apart. Where no two agree
//! nothing is known. The same holds of an area that was overwritten as a whole: words are masked, so
//! that neither zeros nor ones are a statement.

use std::sync::atomic::{Ordering, compiler_fence};

/// Bytes of the area.
pub const PROGRESS_BYTES: usize = COPIES * COPY_BYTES;
const COPIES: usize = 3;
const COPY_BYTES: usize = 1024;
/// What words are combined with.
const MASK: u64 = 0x7265_7765_6172_2d33;
/// Stands for no place.
const NOWHERE: u32 = u32::MAX;

const KIND: usize = 0;
const SEQUENCE: usize = 1;
const PLACES: usize = 2;
const DONE_SEQUENCE: usize = 3;
const DONE_PLACE: usize = 4;
const SPOILED: usize = 5;
const FIRST_ENTRY: usize = 6;
const ENTRIES: usize = COPY_BYTES / 8 - FIRST_ENTRY;

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
        let kind = word(self.0, KIND).unwrap_or(UNKNOWN);
        let entries = word(self.0, SPOILED).filter(|&count| count <= ENTRIES as u64);
        let is_damaged = |index| word(self.0, index).is_none();
        kind >= UNKNOWN || entries.is_none() || (0..FIRST_ENTRY + count(self.0)).any(is_damaged)
    }

    /// The operation that had begun and not ended.
    pub fn under_way(self) -> Option<Operation> {
        if self.is_unknown() {
            return None;
        }
        let places = word(self.0, PLACES)?;
        let places = [places as u32, (places >> 32) as u32];
        match word(self.0, KIND)? {
            PROGRAM => Some(Operation::Program {
                sequence: word(self.0, SEQUENCE)?,
                places: places.map(|place| (place != NOWHERE).then_some(place)),
            }),
            ERASE => Some(Operation::Erase { unit: places[0] }),
            _ => None,
        }
    }

    /// The number of the last program that ended, and its physical page; `None` where nothing is
    /// known of it.
    pub fn last_program(self) -> Option<(u64, u32)> {
        let sequence = word(self.0, DONE_SEQUENCE)?;
        let known = !self.is_unknown() && word(self.0, KIND)? == IDLE && sequence != 0;
        known.then_some((sequence, word(self.0, DONE_PLACE)? as u32))
    }

    /// Whether it is known that a page need not hold a whole program.
    pub fn is_spoiled(self, page: u32, unit: u32) -> bool {
        (FIRST_ENTRY..FIRST_ENTRY + count(self.0))
            .filter_map(|index| word(self.0, index))
            .any(|entry| entry == u64::from(page) || entry == u64::from(unit) | UNIT)
    }
}

/// An area of cells on which nothing was done.
pub(super) fn fresh() -> Box<[u8]> {
    MASK.to_le_bytes().repeat(PROGRESS_BYTES / size_of::<u64>()).into()
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
    if is_known(area) {
        set(area, KIND, kind);
    }
}

/// A program ended.
pub(super) fn end_program(area: &mut [u8]) {
    if is_known(area)
        && let (Some(sequence), Some(places)) = (word(area, SEQUENCE), word(area, PLACES))
    {
        set(area, DONE_SEQUENCE, sequence);
        set(area, DONE_PLACE, places & u64::from(u32::MAX));
        set(area, KIND, IDLE);
    }
}

/// The erase of a unit ended: none of its pages is spoiled any more.
pub(super) fn end_erase(area: &mut [u8], unit: u32, pages: std::ops::Range<u32>) {
    if Progress(area).is_unknown() {
        return forget(area);
    }
    if word(area, DONE_PLACE).is_some_and(|place| pages.contains(&(place as u32))) {
        set(area, DONE_SEQUENCE, 0);
    }
    let is_gone = |entry: u64| {
        if entry & UNIT == 0 { pages.contains(&(entry as u32)) } else { entry == u64::from(unit) | UNIT }
    };
    let mut index = 0;
    while index < count(area) {
        let last = count(area) - 1;
        match (word(area, FIRST_ENTRY + index), word(area, FIRST_ENTRY + last)) {
            (Some(entry), Some(moved)) if is_gone(entry) => {
                set(area, FIRST_ENTRY + index, moved);
                set(area, SPOILED, last as u64);
            }
            _ => index += 1,
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
    let count = count(area);
    if known {
        return;
    }
    if count >= ENTRIES || Progress(area).is_unknown() {
        return forget(area);
    }
    set(area, FIRST_ENTRY + count, entry);
    set(area, SPOILED, count as u64 + 1);
}

/// Nothing is known, as of cells that come from flash alone.
pub(super) fn forget(area: &mut [u8]) {
    set(area, KIND, UNKNOWN);
}

/// Whether operations are still kept account of.
fn is_known(area: &[u8]) -> bool {
    word(area, KIND).is_some_and(|kind| kind < UNKNOWN)
}

/// How many entries there are.
fn count(area: &[u8]) -> usize {
    word(area, SPOILED).map_or(0, |count| (count as usize).min(ENTRIES))
}

/// What two copies of a word agree on.
fn word(area: &[u8], index: usize) -> Option<u64> {
    let copy = |number: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&area[number * COPY_BYTES + index * 8..][..8]);
        u64::from_le_bytes(bytes) ^ MASK
    };
    let [first, second, third] = [copy(0), copy(1), copy(2)];
    if first == second || first == third { Some(first) } else { (second == third).then_some(second) }
}

/// Neither the compiler nor, for other mappings of the file, the processor moves a write over the
/// fence.
fn set(area: &mut [u8], index: usize, value: u64) {
    for copy in area.chunks_exact_mut(COPY_BYTES) {
        compiler_fence(Ordering::SeqCst);
        copy[index * 8..][..8].copy_from_slice(&(value ^ MASK).to_le_bytes());
    }
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_and_what_is_spoiled_is_known_until_it_ends() {
        let mut area = fresh();
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
        let mut area = fresh();
        (0..ENTRIES as u32).for_each(|page| note_spoiled(&mut area, Spoiled::Page(page)));
        assert!(!Progress(&area).is_unknown());
        note_spoiled(&mut area, Spoiled::Unit(1));
        begin(&mut area, Operation::Erase { unit: 5 });
        assert!(Progress(&area).is_unknown() && Progress(&area).under_way().is_none());
    }

    /// Areas in every state that a word of theirs can be in.
    fn areas() -> Vec<Box<[u8]>> {
        let (program, erase) = (
            Operation::Program { sequence: 1 << 40 | 77, places: [Some(5), Some(1 << 30)] },
            Operation::Erase { unit: 3 },
        );
        let mut areas = vec![fresh()];
        let mut then = |act: fn(&mut [u8], Operation), operation| {
            let mut area = areas.last().expect("there is one").clone();
            act(&mut area, operation);
            areas.push(area);
        };
        then(begin, program);
        then(|area, _| end_program(area), program);
        then(
            |area, _| {
                (0..ENTRIES as u32).for_each(|place| {
                    let spoiled =
                        if place % 3 == 0 { Spoiled::Unit(place) } else { Spoiled::Page(place << 5) };
                    note_spoiled(area, spoiled);
                });
            },
            program,
        );
        then(begin, erase);
        then(|area, _| end_erase(area, 3, 0..1000), erase);
        then(|area, _| forget(area), erase);
        areas
    }

    fn said(area: &[u8]) -> impl PartialEq + use<> {
        let progress = Progress(area);
        let places = [0, 1, 2, ENTRIES as u32 - 1];
        let spoiled = places.map(|place| progress.is_spoiled(place << 5, place));
        (progress.is_unknown(), progress.under_way(), progress.last_program(), spoiled)
    }

    /// A change of one bit, and any other within one copy.
    #[test]
    fn damage_to_one_copy_changes_nothing_that_is_said() {
        for area in areas() {
            let expected = said(&area);
            let mut damaged = area.clone();
            for bit in 0..PROGRESS_BYTES * 8 {
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(said(&damaged) == expected, "bit {bit}");
                damaged[bit / 8] ^= 1 << (bit % 8);
            }
            for copy in 0..COPIES {
                for value in [0, 0x5a, 0xff] {
                    let mut damaged = area.clone();
                    damaged[copy * COPY_BYTES..][..COPY_BYTES].fill(value);
                    assert!(said(&damaged) == expected, "copy {copy}");
                }
            }
        }
    }

    /// Whatever an operation finds there, and however much of it is damaged.
    #[test]
    fn of_an_overwritten_area_nothing_is_known() {
        for area in areas() {
            for value in [0, 0x5a, 0xff] {
                let mut damaged = area.clone();
                damaged[8..].fill(value);
                begin(&mut damaged, Operation::Program { sequence: 9, places: [Some(2), None] });
                end_program(&mut damaged);
                note_spoiled(&mut damaged, Spoiled::Page(7));
                end_erase(&mut damaged, 0, 0..8);
                assert!(Progress(&damaged).is_unknown() && Progress(&damaged).under_way().is_none());
            }
        }
    }

    /// A process that is killed between any two stores leaves what was said before or after.
    #[test]
    fn between_two_copies_the_old_word_or_the_new_one_holds() {
        let mut area = fresh();
        set(&mut area, SEQUENCE, 4);
        let old = area.clone();
        set(&mut area, SEQUENCE, 5);
        for written in 0..=COPIES {
            let mut cut = old.clone();
            cut[..written * COPY_BYTES].copy_from_slice(&area[..written * COPY_BYTES]);
            assert_eq!(word(&cut, SEQUENCE), Some(if written < 2 { 4 } else { 5 }));
        }
    }
}
