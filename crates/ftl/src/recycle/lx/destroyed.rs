//! The end of pages: one at a time where it is written over, many at once where a unit is erased.

use super::Lx;
use super::pages::Marks;
use crate::address::{Lpn, Ppn};
use crate::state::content_score::ContentScore;

/// How far ahead of its turn it is fetched what the end of a page changes elsewhere.
const AHEAD: usize = 6;

/// Pages of a row that are destroyed, as each step needs them; memory that is used again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct ErasedRow {
    /// The invalid ones, and the logical pages that left them behind.
    invalid: Vec<(Lpn, Ppn)>,
    /// Those of them in the store.
    stored: Vec<Ppn>,
}

impl ErasedRow {
    /// All pages of a row that are on a list.
    fn find(&mut self, first: Ppn, owners: &[Lpn], is_listed: impl Fn(Ppn) -> bool) {
        self.invalid.resize(owners.len(), (Lpn(0), Ppn(0)));
        let mut count = 0;
        for (ppn, &lpn) in (first.0..).map(Ppn).zip(owners) {
            self.invalid[count] = (lpn, ppn);
            count += usize::from(is_listed(ppn));
        }
        self.invalid.truncate(count);
    }

    fn find_stored(&mut self, is_stored: impl Fn(Ppn) -> bool) {
        self.stored.resize(self.invalid.len(), Ppn(0));
        let mut count = 0;
        for &(_, ppn) in &self.invalid {
            self.stored[count] = ppn;
            count += usize::from(is_stored(ppn));
        }
        self.stored.truncate(count);
    }
}

impl Lx {
    /// A page was written over, or will be.
    #[inline(never)]
    pub(super) fn destroyed(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentScore) {
        self.counters.lost_to_cleaning += u64::from(self.store.has(ppn));
        let was_invalid = self.forget_invalid(lpn, ppn, loss);
        if let Some(fingerprint) = self.pages[ppn].content() {
            self.accesses.destroyed(&mut self.pages, ppn);
            // A page that is programmed again in place is valid.
            if !was_invalid && let Some(live) = &mut self.live {
                live.remove(fingerprint, ppn);
            }
        }
        self.pages.blank(ppn);
    }

    /// Hears that all invalid pages among some in a row were destroyed, from `first` on, which
    /// `owners` had left behind.
    ///
    /// As [`destroyed`](Self::destroyed) for each. But no processor can guess the facts of
    /// a page, and a wrong guess costs more than the work. So every step is done for the pages that
    /// need it, which are found out beforehand without a branch.
    pub(super) fn row_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) {
        let mut row = std::mem::take(&mut self.row);
        row.find(first, owners, |ppn| self.pages[ppn].marks.has(Marks::LISTED));
        for (index, &(lpn, ppn)) in row.invalid.iter().enumerate() {
            if let Some(&(lpn, ppn)) = row.invalid.get(index + AHEAD) {
                self.history.hint(lpn.into());
                self.pages.hint(self.pages[ppn].newer);
                self.pages.hint(self.pages[ppn].older);
                let (lpn, ppn) = row.invalid[index + AHEAD / 2];
                if self.pages[ppn].marks.has(Marks::IN_FRONT) {
                    self.history.hint_front(lpn);
                }
            }
            self.history.remove(&mut self.pages, lpn, ppn);
        }
        row.find_stored(|ppn| self.store.has(ppn));
        self.counters.lost_to_cleaning += row.stored.len() as u64;
        for (index, &ppn) in row.stored.iter().enumerate() {
            if let Some(&ppn) = row.stored.get(index + AHEAD) {
                self.store.hint(self.pages[ppn].fingerprint);
            }
            self.store.remove(&mut self.pages, ppn);
        }
        for (index, &(_, ppn)) in row.invalid.iter().enumerate() {
            if let Some(&(_, ppn)) = row.invalid.get(index + 2 * AHEAD) {
                self.accesses.hint_value_of(ppn);
                self.accesses.hint_key_of(row.invalid[index + AHEAD].1);
            }
            if self.pages[ppn].class > 0 {
                self.change_class(ppn, 0, loss);
            }
            if self.pages[ppn].content().is_some() {
                self.accesses.destroyed(&mut self.pages, ppn);
            }
            self.pages.blank(ppn);
        }
        self.row = row;
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{Answers, LxConfig, Popularity};
    use super::*;
    use crate::address::Unit;
    use crate::recycle::scheme::{Event, Scheme};
    use proptest::prelude::*;

    const PAGES: u32 = 32;

    proptest! {
        #[test]
        fn a_row_is_destroyed_as_its_pages_are_one_by_one(
            writes in prop::collection::vec((0u32..6, 1u128..5, 0u32..3), PAGES as usize),
            first in 0..PAGES,
            entries in 1u32..12,
            by_value: bool,
            shares: bool,
        ) {
            let config = LxConfig {
                entries,
                popularity: if by_value { Popularity::ValueAccesses } else { Popularity::PageReads },
                answers: if shares { Answers::All } else { Answers::Invalid },
                ..LxConfig::default()
            };
            let (mut scheme, mut loss) = (Lx::of_pages(&config, 6, PAGES), ContentScore::new(4, PAGES / 4));
            let (mut places, mut owners) = ([Ppn::NONE; 6], Vec::new());
            for (ppn, (lpn, content, reads)) in (0..).map(Ppn).zip(writes) {
                let lpn = Lpn(lpn);
                scheme.begin_write(0, Some(content));
                scheme.hear(Event::Written { ppn }, &mut loss);
                (0..reads).for_each(|_| scheme.hear(Event::Read { ppn }, &mut loss));
                match std::mem::replace(&mut places[lpn.index()], ppn) {
                    Ppn::NONE => {}
                    old => scheme.hear(Event::Invalidated { lpn, ppn: old }, &mut loss),
                }
                owners.push(lpn);
            }
            let (mut singly, mut loss_singly) = (scheme.clone(), loss.clone());
            for (ppn, &lpn) in (first..).map(Ppn).zip(&owners[first as usize..]) {
                if places[lpn.index()] != ppn {
                    singly.hear(Event::Destroyed { lpn, ppn }, &mut loss_singly);
                }
            }
            scheme.hear_destroyed(Ppn(first), &owners[first as usize..], &mut loss);
            let known = |scheme: &Lx, loss: &ContentScore| {
                let finds = (1..5).map(|content| scheme.store.latest(&scheme.pages, content));
                let accesses = (0..PAGES).map(|ppn| scheme.accesses.of(&scheme.pages, Ppn(ppn)));
                let (finds, accesses) = (finds.collect::<Vec<_>>(), accesses.collect::<Vec<_>>());
                let losses: Vec<_> = (0..4).map(|unit| loss.of(Unit(unit))).collect();
                format!("{:?} {:?} {:?} {finds:?} {accesses:?} {losses:?}", scheme.pages, scheme.history, scheme.counters())
            };
            prop_assert_eq!(known(&scheme, &loss), known(&singly, &loss_singly));
        }
    }
}
