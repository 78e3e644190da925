//! The log-like mapping table (LMT, section IV.B): for every logical page the list of the invalid
//! pages that it left behind, the newest first. The position in the list gives the version.
//!
//! It is bounded by the physical pages, each of which is on one list at most. The links of a page
//! lie in its record ([`Pages`]), beside 4 bytes a logical page.

use super::pages::{Marks, Pages};
use crate::address::{Lpn, Ppn};
use crate::cache_hints::hint;
use crate::state::table::table;

/// Lists of invalid pages, by logical page.
///
/// The head of a list tells its `reach`: pages from the head on among which are all of probability
/// above 0, or [`FAR`](Self::FAR). Only they grow older.
#[derive(Debug, Clone)]
pub struct History {
    newest: Vec<Ppn>,
}

impl History {
    /// Bytes of the model for each logical page.
    pub const BYTES_PER_LPN: u64 = 4;
    /// The reach of a list whose pages of probability above 0 are not bounded.
    pub const FAR: u8 = u8::MAX;

    /// Empty lists.
    pub fn new(logical_pages: u32) -> History {
        History { newest: table(Ppn::NONE, logical_pages as usize) }
    }

    /// Brings the head of the list of a logical page, if there is one, into the cache.
    #[inline]
    pub fn hint(&self, lpn: u64) {
        hint(&self.newest, lpn as usize);
    }

    /// Puts a page that has just become invalid to the head of the list of its logical page;
    /// returns the former head.
    #[inline]
    pub fn push(&mut self, pages: &mut Pages, lpn: Lpn, ppn: Ppn) -> Ppn {
        let older = std::mem::replace(&mut self.newest[lpn.index()], ppn);
        let page = &mut pages[ppn];
        (page.newer, page.older) = (Ppn::NONE, older);
        page.marks.set(Marks::LISTED);
        if older.is_some() {
            pages[older].newer = ppn;
        }
        older
    }

    /// Takes a page off the list of the logical page that left it behind; returns whether it was on
    /// it.
    #[inline]
    pub fn remove(&mut self, pages: &mut Pages, lpn: Lpn, ppn: Ppn) -> bool {
        let page = &mut pages[ppn];
        if !page.marks.has(Marks::LISTED) {
            return false;
        }
        page.marks.clear(Marks::LISTED);
        let (newer, older, reach) = (page.newer, page.older, page.reach);
        match newer {
            Ppn::NONE => self.newest[lpn.index()] = older,
            newer => pages[newer].older = older,
        }
        if older.is_some() {
            let page = &mut pages[older];
            page.newer = newer;
            if newer.is_none() {
                page.reach = reach;
            }
        }
        true
    }

    /// The newest invalid page of a logical page; `NONE` if there is none (or no such logical
    /// page).
    #[inline]
    pub fn newest(&self, lpn: Lpn) -> Ppn {
        self.newest.get(lpn.index()).copied().unwrap_or(Ppn::NONE)
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
            // What the latest head was given.
            let mut reaches = [0; 5];
            for (step, (ppn, lpn)) in (1u32..).zip(steps) {
                let (ppn, lpn) = (Ppn(ppn), Lpn(lpn));
                let on: Option<usize> = lists.iter().position(|list: &Vec<Ppn>| list.contains(&ppn));
                prop_assert_eq!(pages[ppn].marks.has(Marks::LISTED), on.is_some());
                match on {
                    Some(on) => {
                        prop_assert!(history.remove(&mut pages, Lpn(on as u32), ppn));
                        lists[on].retain(|&other| other != ppn);
                    }
                    None => {
                        prop_assert!(!history.remove(&mut pages, lpn, ppn));
                        let head = lists[lpn.index()].first().copied();
                        prop_assert_eq!(history.push(&mut pages, lpn, ppn), head.unwrap_or(Ppn::NONE));
                        reaches[lpn.index()] = step as u8;
                        pages[ppn].reach = step as u8;
                        lists[lpn.index()].insert(0, ppn);
                    }
                }
                for (lpn, list) in (0..).map(Lpn).zip(&lists) {
                    let first = Some(history.newest(lpn)).filter(|&ppn| ppn.is_some());
                    let found: Vec<_> = std::iter::successors(first, |&ppn| {
                        Some(pages[ppn].older).filter(|&ppn| ppn.is_some())
                    }).collect();
                    prop_assert_eq!(&found, list);
                    prop_assert!(first.is_none_or(|head| pages[head].reach == reaches[lpn.index()]));
                }
            }
        }
    }
}
