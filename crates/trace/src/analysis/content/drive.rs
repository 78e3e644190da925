//! An ideal drive that keeps every invalid page and recycles whatever a write asks for.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::chain::{Chain, NONE};
use super::{CLASSES, PopularityClass};
use crate::request::Fingerprint;

/// A physical page that holds something.
#[derive(Clone, Copy, Debug)]
struct Copy {
    /// Its content: an index into the values, or `NONE` where that is not known.
    value: u32,
    /// The logical page that it is, or was last, mapped to.
    page: u32,
    /// Reads while it was valid, up to 15.
    reads: u8,
    /// Accesses of its value up to when it became invalid, up to 15.
    accesses: u8,
}

/// A content with at least one copy.
#[derive(Clone, Copy, Debug)]
struct Value {
    fingerprint: Fingerprint,
    /// Copies, valid and invalid.
    copies: u32,
    valid: u32,
    /// Reads of its copies, and writes of it after the first, up to 15.
    accesses: u8,
    /// The list of its invalid copies.
    newest_invalid: u32,
}

/// Counts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) values: u64,
    pub(super) invalidated: u64,
    pub(super) recycled: u64,
    pub(super) same_content: u64,
    pub(super) duplicates: u64,
    pub(super) forgotten: u64,
    pub(super) by_page_reads: [PopularityClass; CLASSES],
    pub(super) by_value_accesses: [PopularityClass; CLASSES],
    pub(super) recycled_by_version: [u64; CLASSES],
}

/// The drive. About 40 bytes a physical page in use, 80 a value, 8 a logical page.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    limit: usize,
    copies: Vec<Copy>,
    free_copies: Vec<u32>,
    values: Vec<Value>,
    free_values: Vec<u32>,
    index: HashMap<Fingerprint, u32, FixedState>,
    /// Of each logical page its valid copy, and the list of its invalid ones.
    pages: Vec<[u32; 2]>,
    by_page: Chain,
    by_value: Chain,
    by_age: Chain,
    newest_invalid: u32,
    second_half: bool,
    counts: Counts,
}

const MOST: u8 = CLASSES as u8 - 1;

impl Drive {
    /// An empty drive of `limit` physical pages. When they are used up, the page that has been
    /// invalid longest is forgotten; where all are valid, the drive grows.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            copies: Vec::new(),
            free_copies: Vec::new(),
            values: Vec::new(),
            free_values: Vec::new(),
            index: HashMap::default(),
            pages: Vec::new(),
            by_page: Chain::default(),
            by_value: Chain::default(),
            by_age: Chain::default(),
            newest_invalid: NONE,
            second_half: false,
            counts: Counts::default(),
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// From now on recycled pages count for the second half, too.
    pub(super) fn begin_second_half(&mut self) {
        self.second_half = true;
    }

    /// A write of `page`. The old copy becomes invalid after the lookup: a write does not revive
    /// what it replaces.
    pub(super) fn write(&mut self, page: u32, content: Option<Fingerprint>) {
        self.meet(page);
        let known = content.and_then(|fingerprint| self.index.get(&fingerprint).copied());
        let old = self.pages[page as usize][0];
        let mut found = NONE;
        if let Some(value) = known {
            let state = &mut self.values[value as usize];
            state.accesses = (state.accesses + 1).min(MOST);
            found = state.newest_invalid;
            self.counts.duplicates += u64::from(state.valid > 0);
            self.counts.same_content += u64::from(old != NONE && self.copies[old as usize].value == value);
        }
        if found != NONE {
            self.recycle(found);
        }
        self.invalidate(page);
        let copy = if found != NONE { found } else { self.program(content, known) };
        self.map(page, copy);
    }

    /// A read of `page`. What was there before the trace began becomes a valid page, as in the
    /// ageing of section III.A.
    pub(super) fn read(&mut self, page: u32, content: Option<Fingerprint>) {
        self.meet(page);
        if self.pages[page as usize][0] == NONE {
            let known = content.and_then(|fingerprint| self.index.get(&fingerprint).copied());
            let copy = self.program(content, known);
            self.map(page, copy);
        }
        let copy = &mut self.copies[self.pages[page as usize][0] as usize];
        copy.reads = (copy.reads + 1).min(MOST);
        if let Some(value) = self.values.get_mut(copy.value as usize) {
            value.accesses = (value.accesses + 1).min(MOST);
        }
    }

    /// The valid copy of `page`, if there is one, becomes invalid.
    pub(super) fn invalidate(&mut self, page: u32) {
        let Some([valid, history]) = self.pages.get_mut(page as usize) else { return };
        let copy = std::mem::replace(valid, NONE);
        if copy == NONE {
            return;
        }
        self.counts.invalidated += 1;
        self.by_page.push(history, copy);
        self.by_age.push(&mut self.newest_invalid, copy);
        let state = &mut self.copies[copy as usize];
        if let Some(value) = self.values.get_mut(state.value as usize) {
            state.accesses = value.accesses;
            value.valid -= 1;
            self.by_value.push(&mut value.newest_invalid, copy);
        }
        self.counts.by_page_reads[usize::from(state.reads)].invalid += 1;
        self.counts.by_value_accesses[usize::from(state.accesses)].invalid += 1;
    }

    fn meet(&mut self, page: u32) {
        if page as usize >= self.pages.len() {
            self.pages.resize(page as usize + 1, [NONE; 2]);
        }
    }

    fn map(&mut self, page: u32, copy: u32) {
        self.pages[page as usize][0] = copy;
        let state = &mut self.copies[copy as usize];
        state.page = page;
        if let Some(value) = self.values.get_mut(state.value as usize) {
            value.valid += 1;
        }
    }

    /// Takes an invalid copy out of all lists, to become valid.
    fn recycle(&mut self, copy: u32) {
        let state = self.copies[copy as usize];
        let newest = self.pages[state.page as usize][1];
        let position = self.by_page.newer_than(newest, copy, CLASSES - 1);
        self.counts.recycled += 1;
        self.counts.recycled_by_version[CLASSES - 1 - position] += 1;
        let reads = &mut self.counts.by_page_reads[usize::from(state.reads)];
        let accesses = &mut self.counts.by_value_accesses[usize::from(state.accesses)];
        for class in [reads, accesses] {
            class.recycled += 1;
            class.recycled_in_second_half += u64::from(self.second_half);
        }
        self.take_out(copy);
    }

    fn take_out(&mut self, copy: u32) {
        let state = self.copies[copy as usize];
        self.by_page.remove(&mut self.pages[state.page as usize][1], copy);
        self.by_age.remove(&mut self.newest_invalid, copy);
        if let Some(value) = self.values.get_mut(state.value as usize) {
            self.by_value.remove(&mut value.newest_invalid, copy);
        }
    }

    /// A new copy of `content`, whose value is `known` unless it is new.
    fn program(&mut self, content: Option<Fingerprint>, known: Option<u32>) -> u32 {
        // The value first: that a copy is forgotten must not take the value with it.
        let value = match (content, known) {
            (None, _) => NONE,
            (Some(_), Some(value)) => value,
            (Some(fingerprint), None) => self.new_value(fingerprint),
        };
        if let Some(state) = self.values.get_mut(value as usize) {
            state.copies += 1;
        }
        if self.copies.len() - self.free_copies.len() >= self.limit && self.newest_invalid != NONE {
            self.forget(self.by_age.oldest(self.newest_invalid));
        }
        let fresh = Copy { value, page: NONE, reads: 0, accesses: 0 };
        match self.free_copies.pop() {
            Some(copy) => {
                self.copies[copy as usize] = fresh;
                copy
            }
            None => {
                self.copies.push(fresh);
                let count = self.copies.len();
                for chain in [&mut self.by_page, &mut self.by_value, &mut self.by_age] {
                    chain.grow(count);
                }
                count as u32 - 1
            }
        }
    }

    fn new_value(&mut self, fingerprint: Fingerprint) -> u32 {
        self.counts.values += 1;
        let fresh = Value { fingerprint, copies: 0, valid: 0, accesses: 0, newest_invalid: NONE };
        let value = match self.free_values.pop() {
            Some(value) => {
                self.values[value as usize] = fresh;
                value
            }
            None => {
                self.values.push(fresh);
                self.values.len() as u32 - 1
            }
        };
        self.index.insert(fingerprint, value);
        value
    }

    /// An invalid copy is erased; a value goes with its last copy.
    fn forget(&mut self, copy: u32) {
        self.counts.forgotten += 1;
        self.take_out(copy);
        self.free_copies.push(copy);
        let index = self.copies[copy as usize].value;
        if let Some(value) = self.values.get_mut(index as usize) {
            value.copies -= 1;
            if value.copies == 0 {
                self.index.remove(&value.fingerprint);
                self.free_values.push(index);
            }
        }
    }
}
