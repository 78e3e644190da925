//! The front of a list of invalid pages: its newest pages side by side, with a bit for each whose
//! probability is above 0.
//!
//! A newer version ages the pages at the front. Along the links each page would be fetched before
//! the next is known, and most of them have probability 0 and stay as they are. So a list has a
//! front, a cache line of it, as long as it holds pages that may age.

use super::pages::{Marks, Pages};
use super::probability::MOST;
use crate::address::Ppn;
use crate::cache_hints::hint;

/// Pages of a front: those that the next version gives another probability.
const PLACES: usize = MOST as usize;

/// The front of one list. Pages behind it are of probability 0 unless `is_deep`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Front {
    /// The newest first.
    pages: [Ppn; PLACES],
    /// A bit for each page of probability above 0.
    ageing: u16,
    len: u8,
    /// Whether pages of probability above 0 may lie behind a front that is full.
    is_deep: bool,
}

const _: () = assert!(size_of::<Front>() == 64);

impl Front {
    const EMPTY: Front = Front { pages: [Ppn::NONE; PLACES], ageing: 0, len: 0, is_deep: false };

    /// The pages that a newer version ages, the newest first, and where they are on the list then.
    #[inline]
    pub(super) fn ageing(&self) -> impl Iterator<Item = (Ppn, u32)> + use<> {
        let (pages, mut left) = (self.pages, self.ageing);
        std::iter::from_fn(move || {
            let place = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some((pages[place as usize], place + 1))
        })
    }

    /// A page becomes the head of the list, of probability 0 as yet.
    #[inline]
    fn push(&mut self, pages: &mut Pages, ppn: Ppn) {
        pages[ppn].marks.set(Marks::IN_FRONT);
        self.is_deep |= self.ageing >> (PLACES - 1) & 1 == 1;
        self.pages.copy_within(..PLACES - 1, 1);
        self.pages[0] = ppn;
        self.ageing = self.ageing << 1 & ((1 << PLACES) - 1);
        self.len = (self.len + 1).min(PLACES as u8);
    }

    /// The front takes in the page behind its last one.
    fn extend(&mut self, pages: &mut Pages, next: Ppn) {
        pages[next].marks.set(Marks::IN_FRONT);
        self.pages[usize::from(self.len)] = next;
        self.ageing |= u16::from(pages[next].class > 0) << self.len;
        self.len += 1;
    }

    /// A page left the list, which is linked without it.
    #[inline]
    fn remove(&mut self, pages: &mut Pages, ppn: Ppn) {
        let len = usize::from(self.len);
        let Some(place) = self.pages[..len].iter().position(|&other| other == ppn) else { return };
        self.pages.copy_within(place + 1..len, place);
        let newer = (1 << place) - 1;
        self.ageing = self.ageing & newer | self.ageing >> 1 & !newer;
        self.len -= 1;
        if self.is_deep {
            match pages[self.pages[len - 2]].older {
                Ppn::NONE => self.is_deep = false,
                next => self.extend(pages, next),
            }
        }
    }

    #[inline]
    fn is_needed(&self) -> bool {
        self.ageing != 0 || self.is_deep
    }
}

/// No front.
const NONE: u32 = u32::MAX;

/// The number of a front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrontNumber(u32);

impl FrontNumber {
    pub(super) const NONE: FrontNumber = FrontNumber(NONE);
}

/// The fronts of all lists that have one.
#[derive(Debug, Clone, Default)]
pub(super) struct Fronts {
    fronts: Vec<Front>,
    free: Vec<u32>,
}

impl Fronts {
    #[inline]
    pub(super) fn of(&self, number: FrontNumber) -> Option<&Front> {
        self.fronts.get(number.0 as usize)
    }

    /// Brings a front, if there is one, into the cache.
    #[inline]
    pub(super) fn hint(&self, number: FrontNumber) {
        hint(&self.fronts, number.0 as usize);
    }

    /// A page became the head of a list.
    #[inline]
    pub(super) fn push(&mut self, pages: &mut Pages, number: FrontNumber, ppn: Ppn) {
        if let Some(front) = self.fronts.get_mut(number.0 as usize) {
            front.push(pages, ppn);
        }
    }

    /// A page left a list, which is linked without it; returns the list's front.
    #[inline(never)] // Few pages are in a front.
    pub(super) fn remove(&mut self, pages: &mut Pages, number: FrontNumber, ppn: Ppn) -> FrontNumber {
        let Some(front) = self.fronts.get_mut(number.0 as usize) else { return number };
        front.remove(pages, ppn);
        if front.is_needed() {
            return number;
        }
        self.free.push(number.0);
        FrontNumber::NONE
    }

    /// The page at `place` of a list that begins with `newest` is of a probability above 0 now;
    /// returns the list's front.
    pub(super) fn begins_to_age(
        &mut self,
        pages: &mut Pages,
        (number, newest): (FrontNumber, Ppn),
        place: u32,
    ) -> FrontNumber {
        let number = if number == FrontNumber::NONE { self.take() } else { number };
        let front = &mut self.fronts[number.0 as usize];
        let place = place as usize;
        while usize::from(front.len) <= place.min(PLACES - 1) {
            let next = match front.len {
                0 => newest,
                len => pages[front.pages[usize::from(len) - 1]].older,
            };
            front.extend(pages, next);
        }
        if place < PLACES {
            front.ageing |= 1 << place;
        } else {
            front.is_deep = true;
        }
        number
    }

    fn take(&mut self) -> FrontNumber {
        match self.free.pop() {
            Some(number) => {
                self.fronts[number as usize] = Front::EMPTY;
                FrontNumber(number)
            }
            None => {
                self.fronts.push(Front::EMPTY);
                FrontNumber(self.fronts.len() as u32 - 1)
            }
        }
    }

    /// Compares a front with its list, from `newest` on, for tests.
    pub(super) fn audit(&self, pages: &Pages, (number, newest): (FrontNumber, Ppn)) -> Result<(), String> {
        let front = self.of(number).copied().unwrap_or(Front::EMPTY);
        let (known, len) = (front.pages, usize::from(front.len));
        let older = |&ppn: &Ppn| Some(pages[ppn].older).filter(|&older| older.is_some());
        let mut list = std::iter::successors(Some(newest).filter(|ppn| ppn.is_some()), older);
        for (place, expected) in known[..len].iter().enumerate() {
            let found = list.next();
            if found != Some(*expected) {
                return Err(format!("place {place} of the front from PPN {newest} on names PPN {expected}"));
            }
            if !pages[*expected].marks.has(Marks::IN_FRONT) {
                return Err(format!("PPN {expected} does not know that it is in a front"));
            }
            if (pages[*expected].class > 0) != (front.ageing >> place & 1 == 1) {
                return Err(format!("the front from PPN {newest} on mistakes the probability of {expected}"));
            }
        }
        if front.is_deep && len < PLACES {
            return Err(format!("the front from PPN {newest} on is deep and not full"));
        }
        match list.find(|&ppn| !front.is_deep && pages[ppn].class > 0) {
            None => Ok(()),
            Some(ppn) => Err(format!("PPN {ppn} lies behind the front from PPN {newest} on")),
        }
    }
}
