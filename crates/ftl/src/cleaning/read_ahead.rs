//! Reads of a victim's pages ahead of their programs.
//!
//! Where an erase unit spans planes, a moved page is read on one plane and programmed on another. A
//! plane serves what it is asked for in order. If a page were read only when the one before it has
//! been asked for, its read would wait for programs of pages before it, its own program for that
//! read, and so on: the planes would work in turn instead of side by side. So reads are asked for
//! some rows of the unit ahead of the programs. The controller needs a buffer of as many pages.

use std::collections::VecDeque;

use rewear_flash::Nanos;

use crate::address::{Slot, Unit};
use crate::shape::layout::Layout;
use crate::state::map::Map;

/// Rows of the unit, a page on each of its planes, that are read ahead.
const ROWS: u32 = 2;

/// How far the reads of a victim are.
#[derive(Debug, Clone)]
pub(crate) struct ReadAhead {
    /// Pages that are read ahead at most; 0 where pages are moved within their plane, or several
    /// slots hold one.
    depth: usize,
    /// Ends of the reads of the pages that are moved next.
    ends: VecDeque<Nanos>,
    /// The word of the map of valid slots that is read, and its slots that are still to be read.
    word: u32,
    valid: u64,
}

impl ReadAhead {
    /// For a drive of this layout; `has_groups` where several slots may hold one page.
    pub(crate) fn new(layout: &Layout, has_groups: bool) -> ReadAhead {
        let row = if layout.width == 1 || has_groups { 0 } else { layout.width.div_ceil(layout.slot_pages) };
        let depth = (ROWS * row) as usize;
        ReadAhead { depth, ends: VecDeque::with_capacity(depth), word: 0, valid: 0 }
    }

    /// Whether pages are read ahead.
    pub(super) fn is_on(&self) -> bool {
        self.depth > 0
    }

    /// The pages of a victim are to be read, from its first slot on.
    pub(super) fn begin(&mut self, map: &Map, victim: Unit) {
        self.ends.clear();
        (self.word, self.valid) = (0, map.valid_word(victim, 0));
    }

    /// The slot to be read next, while the buffer has room and fewer than `left` pages lie in it;
    /// `None` if there is none.
    pub(super) fn next_to_read(&mut self, map: &Map, victim: Unit, left: u32) -> Option<Slot> {
        if self.ends.len() >= self.depth.min(left as usize) {
            return None;
        }
        while self.valid == 0 {
            if self.word + 1 >= map.words_per_unit() {
                return None;
            }
            self.word += 1;
            self.valid = map.valid_word(victim, self.word);
        }
        let slot = Slot::of_bit(self.word, self.valid.trailing_zeros());
        self.valid &= self.valid - 1;
        Some(slot)
    }

    /// The read of that slot ends.
    pub(super) fn reads(&mut self, end: Nanos) {
        self.ends.push_back(end);
    }

    /// When the page that is moved next is read.
    pub(super) fn take(&mut self) -> Option<Nanos> {
        self.ends.pop_front()
    }
}
