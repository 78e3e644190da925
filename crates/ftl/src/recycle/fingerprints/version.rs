//! The log-like mapping table (LMT, section IV.B): for every logical page the list of the invalid pages that it left behind,
//! the newest first. The position in the list gives the version.
//!
//! Bounded by the physical pages, each of which is on one list at most: 12 bytes a slot, which lie with what else is known of
//! the page ([`Pages`]), and 4 bytes a logical page.

use super::pages::{Link, Pages};
use crate::map::prefetch;
use crate::{Lpn, NONE, Ppn};

/// See the module's page.
#[derive(Debug, Clone)]
pub struct History {
    newest: Vec<Ppn>,
    /// A bit for each logical page whose list may hold a page of probability above 0.
    promising: Vec<u64>,
}

impl History {
    /// Bytes of the model for each logical page.
    pub const BYTES_PER_LPN: u64 = 4;

    /// Empty lists.
    pub fn new(logical_pages: u32) -> History {
        let logical_pages = logical_pages as usize;
        History { newest: vec![NONE; logical_pages], promising: vec![0; logical_pages.div_ceil(64)] }
    }

    /// Brings the head of the list of a logical page into the cache.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        prefetch(&self.newest, lpn as usize);
    }

    /// The logical page on whose list a page is.
    #[inline]
    pub fn lpn_of(pages: &Pages, ppn: Ppn) -> Option<Lpn> {
        Some(pages.link(ppn).lpn).filter(|&lpn| lpn != NONE)
    }

    /// Puts a page that has just become invalid to the head of the list of its logical page; returns the former head.
    #[inline]
    pub fn push(&mut self, pages: &mut Pages, lpn: Lpn, ppn: Ppn) -> Ppn {
        let older = std::mem::replace(&mut self.newest[lpn as usize], ppn);
        *pages.link_mut(ppn) = Link { newer: NONE, older, lpn };
        if older != NONE {
            pages.link_mut(older).newer = ppn;
        }
        older
    }

    /// Takes a page off its list; returns the logical page, or `None` if it was on none.
    #[inline]
    pub fn remove(&mut self, pages: &mut Pages, ppn: Ppn) -> Option<Lpn> {
        let link = pages.link_mut(ppn);
        let Link { newer, older, lpn } = *link;
        if lpn == NONE {
            return None;
        }
        *link = Link::UNLISTED;
        match newer {
            NONE => self.newest[lpn as usize] = older,
            newer => pages.link_mut(newer).older = older,
        }
        if older != NONE {
            pages.link_mut(older).newer = newer;
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_agree_with_vectors(steps in prop::collection::vec((0u32..40, 0u32..5), 1..300)) {
            let (mut history, mut pages) = (History::new(5), Pages::new(40));
            let mut lists = vec![Vec::new(); 5];
            for (ppn, lpn) in steps {
                let on: Option<usize> = lists.iter().position(|list: &Vec<u32>| list.contains(&ppn));
                prop_assert_eq!(History::lpn_of(&pages, ppn), on.map(|lpn| lpn as u32));
                match on {
                    Some(on) => {
                        prop_assert_eq!(history.remove(&mut pages, ppn), Some(on as u32));
                        lists[on].retain(|&other| other != ppn);
                    }
                    None => {
                        prop_assert_eq!(history.remove(&mut pages, ppn), None);
                        let head = lists[lpn as usize].first().copied();
                        prop_assert_eq!(history.push(&mut pages, lpn, ppn), head.unwrap_or(NONE));
                        lists[lpn as usize].insert(0, ppn);
                    }
                }
                for (lpn, list) in (0..).zip(&lists) {
                    let first = Some(history.newest(lpn)).filter(|&ppn| ppn != NONE);
                    let found: Vec<_> = std::iter::successors(first, |&ppn| {
                        Some(pages.link(ppn).older).filter(|&ppn| ppn != NONE)
                    }).collect();
                    prop_assert_eq!(&found, list);
                }
            }
        }
    }
}
