//! The page map, its inverse, and which physical pages are valid.

use std::ops::Range;

use crate::address::{Lpn, Ppn, Slot, Unit};
use crate::cache_hints::{hint, hint_known};
use crate::state::table::table;

/// LPN to PPN and back, with a validity bit for every PPN.
///
/// Memory: 4 bytes a logical page, 4 bytes and one bit a physical page. The inverse keeps the owner
/// of an invalid page until the page is programmed again, as the spare area of a chip does.
#[derive(Debug, Clone)]
pub struct Map {
    forward: Vec<Ppn>,
    inverse: Vec<Lpn>,
    /// Units start at word boundaries, so that cleaning walks whole words.
    valid: Vec<u64>,
    words_per_unit: u32,
}

impl Map {
    /// Nothing mapped.
    pub fn new(logical_pages: u32, units: u32, slots_per_unit: u32) -> Map {
        let words_per_unit = slots_per_unit.div_ceil(64);
        Map {
            forward: table(Ppn::NONE, logical_pages as usize),
            inverse: table(Lpn::NONE, units as usize * slots_per_unit as usize),
            valid: vec![0; units as usize * words_per_unit as usize],
            words_per_unit,
        }
    }

    /// Logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.forward.len() as u32
    }

    /// Where a logical page lies; `NONE` if it was never written or was trimmed.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Ppn {
        self.forward[lpn.index()]
    }

    /// The first of these logical pages that is mapped.
    #[inline]
    pub(crate) fn first_mapped(&self, pages: Range<u32>) -> Option<Lpn> {
        let places = &self.forward[pages.start as usize..pages.end as usize];
        places.iter().position(|ppn| ppn.is_some()).map(|index| Lpn(pages.start + index as u32))
    }

    /// Brings the entry of a logical page, if there is one, into the cache.
    #[inline]
    pub fn hint(&self, lpn: u64) {
        hint(&self.forward, lpn as usize);
    }

    /// Bytes that the validity bits take.
    pub(crate) fn valid_bytes(&self) -> usize {
        size_of_val(self.valid.as_slice())
    }

    /// Brings the validity of a slot into the cache.
    #[inline]
    pub(crate) fn hint_valid(&self, unit: Unit, slot: Slot) {
        hint(&self.valid, self.word(unit, slot));
    }

    /// Brings the entries of the owners of some pages into the cache: bit `i` of `which` stands for
    /// page `first + i`.
    #[inline]
    pub fn hint_owners(&self, first: Ppn, which: u64) {
        let mut left = which;
        while left != 0 {
            self.hint(self.inverse[(first + left.trailing_zeros()).index()].into());
            left &= left - 1;
        }
    }

    /// The logical page that was last written to a physical page, or revived it; where several
    /// share it, one of them.
    #[inline]
    pub fn owner(&self, ppn: Ppn) -> Lpn {
        self.inverse[ppn.index()]
    }

    /// The [`owner`](Self::owner) of each of some physical pages in a row.
    #[inline]
    pub fn owners(&self, first: Ppn, pages: u32) -> &[Lpn] {
        &self.inverse[first.index()..(first + pages).index()]
    }

    /// Points a logical page to `ppn` (slot `slot` of `unit`), which becomes valid. The old page is
    /// the caller's concern.
    #[inline]
    pub fn bind(&mut self, lpn: Lpn, ppn: Ppn, unit: Unit, slot: Slot) {
        debug_assert!(!self.is_valid(unit, slot), "slot {slot} of unit {unit} holds another page");
        debug_assert!(ppn.is_some() && lpn != Lpn::NONE, "LPN {lpn} to PPN {ppn}");
        self.forward[lpn.index()] = ppn;
        self.inverse[ppn.index()] = lpn;
        let word = self.word(unit, slot);
        self.valid[word] |= 1 << (slot.0 % 64);
    }

    /// Brings the owners of pages in a row into the cache.
    #[inline]
    pub(crate) fn hint_row(&self, first: Ppn, pages: u32) {
        const IN_A_LINE: usize = 64 / size_of::<Lpn>();
        (first.index()..(first + pages).index())
            .step_by(IN_A_LINE)
            .for_each(|page| hint(&self.inverse, page));
    }

    /// Lists the valid slots of a unit in ascending order with their owners, and brings the entries
    /// of these into the cache; returns how many they are. `first` is the PPN of its first slot.
    /// The list must have room for all slots of a unit, rounded up to whole words.
    #[inline]
    pub(crate) fn list_valid(&self, unit: Unit, first: Ppn, list: &mut [(Slot, Lpn)]) -> usize {
        let mut count = 0;
        for word in 0..self.words_per_unit {
            let mut left = self.valid_word(unit, word);
            let owners = &self.inverse[(first + word * 64).index()..];
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let owner = owners[bit as usize];
                hint_known(&self.forward, owner.index());
                list[count] = (Slot::of_bit(word, bit), owner);
                count += 1;
            }
        }
        count
    }

    /// As [`bind`](Self::bind) of some logical pages to slots in a row, from `first` on, whose PPN
    /// is `ppn`.
    #[inline]
    pub(crate) fn bind_row(
        &mut self,
        lpns: impl ExactSizeIterator<Item = Lpn>,
        (unit, first): (Unit, Slot),
        ppn: Ppn,
    ) {
        let slots = lpns.len() as u32;
        let places = &mut self.inverse[ppn.index()..(ppn + slots).index()];
        for ((place, lpn), new) in places.iter_mut().zip(lpns).zip(ppn.0..) {
            *place = lpn;
            self.forward[lpn.index()] = Ppn(new);
        }
        self.each_word_of(unit, first.0..first.0 + slots, |word, bits| *word |= bits);
    }

    /// Marks the slots of a unit before `end` invalid.
    #[inline]
    pub(crate) fn invalidate_before(&mut self, unit: Unit, end: Slot) {
        self.each_word_of(unit, 0..end.0, |word, bits| *word &= !bits);
    }

    /// Changes the validity words of slots in a row, each with its bits that stand for them.
    #[inline(always)]
    fn each_word_of(&mut self, unit: Unit, slots: Range<u32>, mut change: impl FnMut(&mut u64, u64)) {
        let mut from = slots.start;
        while from < slots.end {
            let until = slots.end.min((from / 64 + 1) * 64);
            let bits = (u64::MAX >> (64 - (until - from))) << (from % 64);
            let word = self.word(unit, Slot(from));
            change(&mut self.valid[word], bits);
            from = until;
        }
    }

    /// Points one more logical page to a valid page.
    #[inline]
    pub fn redirect(&mut self, lpn: Lpn, ppn: Ppn) {
        self.forward[lpn.index()] = ppn;
    }

    /// Names another owner of a page that several logical pages share.
    #[inline]
    pub fn set_owner(&mut self, ppn: Ppn, lpn: Lpn) {
        self.inverse[ppn.index()] = lpn;
    }

    /// Forgets where a logical page lies.
    #[inline]
    pub fn unbind(&mut self, lpn: Lpn) {
        self.forward[lpn.index()] = Ppn::NONE;
    }

    /// Marks a physical page invalid.
    #[inline]
    pub fn invalidate(&mut self, unit: Unit, slot: Slot) {
        debug_assert!(self.is_valid(unit, slot), "slot {slot} of unit {unit} is valid");
        let word = self.word(unit, slot);
        self.valid[word] &= !(1 << (slot.0 % 64));
    }

    /// Whether a physical page is valid.
    #[inline]
    pub fn is_valid(&self, unit: Unit, slot: Slot) -> bool {
        self.valid[self.word(unit, slot)] >> (slot.0 % 64) & 1 == 1
    }

    /// Validity words of a unit: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub fn valid_word(&self, unit: Unit, word: u32) -> u64 {
        self.valid[(unit.0 * self.words_per_unit + word) as usize]
    }

    /// All of a unit's validity words.
    #[inline]
    pub fn valid_words(&self, unit: Unit) -> &[u64] {
        let first = (unit.0 * self.words_per_unit) as usize;
        &self.valid[first..first + self.words_per_unit as usize]
    }

    /// Words that hold a unit's validity bits.
    pub fn words_per_unit(&self) -> u32 {
        self.words_per_unit
    }

    #[inline]
    fn word(&self, unit: Unit, slot: Slot) -> usize {
        (unit.0 * self.words_per_unit + slot.0 / 64) as usize
    }
}
