//! The log-like mapping table (LMT, section IV.B): for every logical page the list of the invalid
//! pages that it left behind, the newest first. The position in the list gives the version.
//!
//! It is bounded by the physical pages; each is on one list at most. The links of a page
//! lie in its record ([`Pages`]), beside 8 bytes a logical page. Where pages of a list age, their
//! numbers lie in its [front](super::front) as well.

use super::front::{Front, FrontNumber, Fronts};
use super::pages::{Marks, Pages};
use crate::address::{Lpn, Ppn};
use crate::cache_hints::hint;
use crate::state::table::table;

/// Lists of invalid pages, by logical page.
#[derive(Debug, Clone)]
pub struct History {
    lists: Vec<List>,
    fronts: Fronts,
}

#[derive(Debug, Clone, Copy)]
struct List {
    newest: Ppn,
    front: FrontNumber,
}

impl History {
    /// Bytes of the model for each logical page.
    pub const BYTES_PER_LPN: u64 = 8;
    /// Bytes of the model for each list with ageing pages, about.
    pub const BYTES_PER_FRONT: u64 = size_of::<Front>() as u64;

    /// Empty lists.
    pub fn new(logical_pages: u32) -> History {
        let empty = List { newest: Ppn::NONE, front: FrontNumber::NONE };
        History { lists: table(empty, logical_pages as usize), fronts: Fronts::default() }
    }

    /// Brings what is known of the list of a logical page, if there is one, into the cache.
    #[inline]
    pub fn hint(&self, lpn: u64) {
        hint(&self.lists, lpn as usize);
    }

    /// Brings the head of the list of a logical page, if there is one, into the cache, and the
    /// front.
    #[inline]
    pub(super) fn hint_head(&self, pages: &Pages, lpn: Lpn) {
        if let Some(&List { newest, front }) = self.lists.get(lpn.index()) {
            pages.hint(newest);
            self.fronts.hint(front);
        }
    }

    /// Brings the front of the list of a logical page, if it has one, into the cache.
    #[inline]
    pub(super) fn hint_front(&self, lpn: Lpn) {
        self.fronts.hint(self.lists[lpn.index()].front);
    }

    /// The front of the list of a logical page, if pages of it may age.
    #[inline]
    pub(super) fn front(&self, lpn: Lpn) -> Option<&Front> {
        self.fronts.of(self.lists[lpn.index()].front)
    }

    /// Puts a page that has just become invalid to the head of the list of its logical page.
    #[inline]
    pub fn push(&mut self, pages: &mut Pages, lpn: Lpn, ppn: Ppn) {
        let list = &mut self.lists[lpn.index()];
        let older = std::mem::replace(&mut list.newest, ppn);
        let page = &mut pages[ppn];
        (page.newer, page.older) = (Ppn::NONE, older);
        page.marks.set(Marks::LISTED);
        if older.is_some() {
            pages[older].newer = ppn;
        }
        self.fronts.push(pages, list.front, ppn);
    }

    /// The page at a place of the list of a logical page, 0 for the newest, is of a probability
    /// above 0 now.
    #[inline]
    pub(super) fn begins_to_age(&mut self, pages: &mut Pages, lpn: Lpn, place: u32) {
        let list = &mut self.lists[lpn.index()];
        list.front = self.fronts.begins_to_age(pages, (list.front, list.newest), place);
    }

    /// Takes a page off the list of the logical page that left it behind; returns whether it was on
    /// it.
    #[inline]
    pub fn remove(&mut self, pages: &mut Pages, lpn: Lpn, ppn: Ppn) -> bool {
        let page = &mut pages[ppn];
        if !page.marks.has(Marks::LISTED) {
            return false;
        }
        let may_be_in_front = page.marks.has(Marks::IN_FRONT);
        page.marks.clear(Marks::LISTED_IN_FRONT);
        let (newer, older) = (page.newer, page.older);
        match newer {
            Ppn::NONE => self.lists[lpn.index()].newest = older,
            newer => pages[newer].older = older,
        }
        if older.is_some() {
            pages[older].newer = newer;
        }
        if may_be_in_front {
            let list = &mut self.lists[lpn.index()];
            list.front = self.fronts.remove(pages, list.front, ppn);
        }
        true
    }

    /// The newest invalid page of a logical page; `NONE` if there is none (or no such logical
    /// page).
    #[inline]
    pub fn newest(&self, lpn: Lpn) -> Ppn {
        self.lists.get(lpn.index()).map_or(Ppn::NONE, |list| list.newest)
    }

    /// Compares the front of the list of a logical page with it, for tests.
    pub(super) fn audit(&self, pages: &Pages, lpn: Lpn) -> Result<(), String> {
        let List { newest, front } = self.lists[lpn.index()];
        self.fronts.audit(pages, (front, newest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGES: u32 = 120;

    proptest! {
        /// Lists longer and shorter than a front, whose pages begin to age when they join or
        /// later.
        #[test]
        fn lists_agree_with_vectors(
            steps in prop::collection::vec((0..PAGES, 0u32..4, 0u32..6), 1..600),
            ages in 1u32..6,
        ) {
            let (mut history, mut pages) = (History::new(4), Pages::new(PAGES));
            let mut lists = vec![Vec::new(); 4];
            for (ppn, lpn, what) in steps {
                let (ppn, lpn) = (Ppn(ppn), Lpn(lpn));
                let on: Option<usize> = lists.iter().position(|list: &Vec<Ppn>| list.contains(&ppn));
                prop_assert_eq!(pages[ppn].marks.has(Marks::LISTED), on.is_some());
                match on {
                    Some(on) if what == 0 => {
                        let place = lists[on].iter().position(|&other| other == ppn).unwrap_or(0);
                        pages[ppn].class = 1;
                        history.begins_to_age(&mut pages, Lpn(on as u32), place as u32);
                    }
                    Some(on) if what < 3 => {
                        prop_assert!(history.remove(&mut pages, Lpn(on as u32), ppn));
                        lists[on].retain(|&other| other != ppn);
                        pages[ppn].class = 0;
                    }
                    Some(_) => {}
                    None => {
                        prop_assert!(!history.remove(&mut pages, lpn, ppn));
                        history.push(&mut pages, lpn, ppn);
                        lists[lpn.index()].insert(0, ppn);
                        if what >= ages {
                            pages[ppn].class = 1;
                            history.begins_to_age(&mut pages, lpn, 0);
                        }
                    }
                }
                for (lpn, list) in (0..).map(Lpn).zip(&lists) {
                    let first = Some(history.newest(lpn)).filter(|&ppn| ppn.is_some());
                    let found: Vec<_> = std::iter::successors(first, |&ppn| {
                        Some(pages[ppn].older).filter(|&ppn| ppn.is_some())
                    }).collect();
                    prop_assert_eq!(&found, list);
                    prop_assert_eq!(history.audit(&pages, lpn), Ok(()));
                    let ageing: Vec<_> = history.front(lpn).into_iter().flat_map(Front::ageing).collect();
                    let places = (1..).zip(list).take(15).filter(|&(_, &ppn)| pages[ppn].class > 0);
                    let expected: Vec<_> = places.map(|(place, &ppn)| (ppn, place)).collect();
                    prop_assert_eq!(ageing, expected);
                }
            }
        }
    }
}
