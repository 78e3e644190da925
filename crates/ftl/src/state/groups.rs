//! Which pages hold third and fourth writes, and on which units the parts of one lie.
//!
//! As with second writes ([`pairs`](super::pairs)): the page map points at the first part, all parts have the same slot, a table
//! names the units that belong together, and a bit for every slot says that its newest program was of this kind.

use crate::address::NONE;

/// The most pages of a write.
pub(crate) const MOST_PAGES: usize = 8;

/// One unit of each of four or eight planes, in the order of the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    units: [u32; MOST_PAGES],
    count: u8,
}

impl Group {
    /// A group of at most [`MOST_PAGES`] units.
    pub(crate) fn of(units: &[u32]) -> Group {
        let mut group = Group { units: [NONE; MOST_PAGES], count: units.len() as u8 };
        group.units[..units.len()].copy_from_slice(units);
        group
    }

    pub(crate) fn units(&self) -> &[u32] {
        &self.units[..usize::from(self.count)]
    }

    /// The unit by which the group is known.
    pub(crate) fn first(&self) -> u32 {
        self.units[0]
    }
}

/// The writes of one kind.
#[derive(Debug, Clone)]
struct Kind {
    /// Pages of a write.
    pages: usize,
    /// The units that each unit is grouped with, `pages` for each; `NONE` where there are none.
    members: Vec<u32>,
    written: Vec<u64>,
}

/// Third writes, and fourth writes where there are any.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    kinds: Vec<Kind>,
    words_per_unit: usize,
}

impl Groups {
    /// No such writes anywhere; `kinds` kinds of them.
    pub(crate) fn new(units: u32, words_per_unit: u32, kinds: usize) -> Groups {
        let kind = |index: usize| {
            let pages = 4 << index;
            Kind {
                pages,
                members: vec![NONE; units as usize * pages],
                written: vec![0; units as usize * words_per_unit as usize],
            }
        };
        Groups { kinds: (0..kinds).map(kind).collect(), words_per_unit: words_per_unit as usize }
    }

    /// Flash pages of a write of the last kind.
    pub(crate) fn most_parts(&self) -> u64 {
        2 << self.kinds.len()
    }

    /// Ties units together.
    pub(crate) fn link(&mut self, kind: usize, group: &Group) {
        let kind = &mut self.kinds[kind];
        for &unit in group.units() {
            kind.members[unit as usize * kind.pages..][..kind.pages].copy_from_slice(group.units());
        }
    }

    /// The kind of the newest program of a slot, and the units on which the write lies; `None` if it was a first or second one.
    pub(crate) fn at(&self, (unit, slot): (u32, u32)) -> Option<(usize, Group)> {
        let word = unit as usize * self.words_per_unit + (slot / 64) as usize;
        let index = self.kinds.iter().rposition(|kind| kind.written[word] >> (slot % 64) & 1 == 1)?;
        let kind = &self.kinds[index];
        Some((index, Group::of(&kind.members[unit as usize * kind.pages..][..kind.pages])))
    }

    /// Slots of a unit that a write of this kind or a later one went over: bit `i` of word `w` is slot `64 w + i`.
    pub(crate) fn written_word(&self, kind: usize, unit: u32, word: u32) -> u64 {
        let word = unit as usize * self.words_per_unit + word as usize;
        self.kinds[kind..].iter().fold(0, |bits, kind| bits | kind.written[word])
    }

    /// All parts were programmed.
    pub(crate) fn programmed(&mut self, kind: usize, group: &Group, slot: u32) {
        for &unit in group.units() {
            let word = unit as usize * self.words_per_unit + (slot / 64) as usize;
            self.kinds[kind].written[word] |= 1 << (slot % 64);
        }
    }

    /// A unit was erased or retired: it has no such writes, and those that it was grouped with have no valid ones.
    pub(crate) fn forget(&mut self, unit: u32) {
        let first = unit as usize * self.words_per_unit;
        for kind in &mut self.kinds {
            let own = unit as usize * kind.pages;
            for part in 0..kind.pages {
                let member = kind.members[own + part];
                if member != NONE && member != unit {
                    kind.members[member as usize * kind.pages..][..kind.pages].fill(NONE);
                }
            }
            kind.members[own..own + kind.pages].fill(NONE);
            kind.written[first..first + self.words_per_unit].fill(0);
        }
    }
}
