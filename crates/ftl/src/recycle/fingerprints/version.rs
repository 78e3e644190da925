//! The log-like mapping table (LMT, section IV.B): for every logical page the list of the invalid pages that it left behind,
//! the newest first. The position in the list gives the version.
//!
//! Bounded by the physical pages, each of which is on one list at most: 12 bytes a slot, 4 bytes a logical page.

use crate::map::prefetch;
use crate::{Lpn, NONE, Ppn};

/// A page that is on no list.
const UNLISTED: Lpn = NONE;

#[derive(Debug, Clone, Copy)]
struct Link {
    newer: Ppn,
    older: Ppn,
    lpn: Lpn,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct History {
    newest: Vec<Ppn>,
    links: Vec<Link>,
    /// A bit for each logical page whose list may hold a page of probability above 0.
    promising: Vec<u64>,
}

impl History {
    /// Bytes of the model for each logical page and each slot.
    pub const BYTES_PER_LPN: u64 = 4;
    /// See [`BYTES_PER_LPN`](Self::BYTES_PER_LPN).
    pub const BYTES_PER_SLOT: u64 = 12;

    /// Empty lists.
    pub fn new(logical_pages: u32, slots: u32) -> History {
        let unlisted = Link { newer: NONE, older: NONE, lpn: UNLISTED };
        History {
            newest: vec![NONE; logical_pages as usize],
            links: vec![unlisted; slots as usize],
            promising: vec![0; (logical_pages as usize).div_ceil(64)],
        }
    }

    /// Brings the links of a page and the head of the list that it will join into the cache.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn, ppn: Ppn) {
        prefetch(&self.newest, lpn as usize);
        prefetch(&self.links, ppn as usize);
    }

    /// The logical page on whose list a page is.
    #[inline]
    pub fn lpn_of(&self, ppn: Ppn) -> Option<Lpn> {
        Some(self.links[ppn as usize].lpn).filter(|&lpn| lpn != UNLISTED)
    }

    /// Puts a page that has just become invalid to the head of the list of its logical page.
    #[inline]
    pub fn push(&mut self, lpn: Lpn, ppn: Ppn) {
        let older = std::mem::replace(&mut self.newest[lpn as usize], ppn);
        self.links[ppn as usize] = Link { newer: NONE, older, lpn };
        if older != NONE {
            self.links[older as usize].newer = ppn;
        }
    }

    /// Takes a page off its list; returns the logical page, or `None` if it was on none.
    #[inline]
    pub fn remove(&mut self, ppn: Ppn) -> Option<Lpn> {
        let Link { newer, older, lpn } = self.links[ppn as usize];
        if lpn == UNLISTED {
            return None;
        }
        match newer {
            NONE => self.newest[lpn as usize] = older,
            newer => self.links[newer as usize].older = older,
        }
        if older != NONE {
            self.links[older as usize].newer = newer;
        }
        self.links[ppn as usize].lpn = UNLISTED;
        Some(lpn)
    }

    /// Notes whether the list of a logical page may hold a page of probability above 0; only then ageing matters.
    #[inline]
    pub fn set_promising(&mut self, lpn: Lpn, promising: bool) {
        let (word, bit) = (lpn as usize / 64, 1 << (lpn % 64));
        if promising {
            self.promising[word] |= bit;
        } else {
            self.promising[word] &= !bit;
        }
    }

    /// See [`set_promising`](Self::set_promising).
    #[inline]
    pub fn is_promising(&self, lpn: Lpn) -> bool {
        self.promising[lpn as usize / 64] >> (lpn % 64) & 1 == 1
    }

    /// The newest invalid page of a logical page; [`NONE`] if there is none (or no such logical page).
    #[inline]
    pub fn newest(&self, lpn: Lpn) -> Ppn {
        self.newest.get(lpn as usize).copied().unwrap_or(NONE)
    }

    /// The next older page on the same list; [`NONE`] at its end.
    #[inline]
    pub fn older(&self, ppn: Ppn) -> Ppn {
        self.links[ppn as usize].older
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_agree_with_vectors(steps in prop::collection::vec((0u32..40, 0u32..5), 1..300)) {
            let mut history = History::new(5, 40);
            let mut lists = vec![Vec::new(); 5];
            for (ppn, lpn) in steps {
                let on: Option<usize> = lists.iter().position(|list: &Vec<u32>| list.contains(&ppn));
                prop_assert_eq!(history.lpn_of(ppn), on.map(|lpn| lpn as u32));
                match on {
                    Some(on) => {
                        prop_assert_eq!(history.remove(ppn), Some(on as u32));
                        lists[on].retain(|&other| other != ppn);
                    }
                    None => {
                        prop_assert_eq!(history.remove(ppn), None);
                        history.push(lpn, ppn);
                        lists[lpn as usize].insert(0, ppn);
                    }
                }
                for (lpn, list) in (0..).zip(&lists) {
                    let first = Some(history.newest(lpn)).filter(|&ppn| ppn != NONE);
                    let found: Vec<_> = std::iter::successors(first, |&ppn| {
                        Some(history.older(ppn)).filter(|&ppn| ppn != NONE)
                    }).collect();
                    prop_assert_eq!(&found, list);
                }
            }
        }
    }
}
