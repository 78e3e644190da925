//! The end of pages: one at a time where it is written over, many at once where a unit is erased.

use super::Fingerprints;
use super::pages::Marks;
use crate::recycle::content_loss::ContentLoss;
use crate::{Lpn, Ppn};

/// How far ahead of its turn it is fetched what the end of a page changes elsewhere.
const AHEAD: usize = 6;

/// Pages of a row that are destroyed, as each step needs them; memory that is used again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct Doomed {
    /// The invalid ones, and who left them behind.
    invalid: Vec<(Lpn, Ppn)>,
    /// Those of them in the store.
    stored: Vec<Ppn>,
}

impl Doomed {
    /// All pages of a row that are on a list.
    fn find(&mut self, first: Ppn, owners: &[Lpn], is_listed: impl Fn(Ppn) -> bool) {
        self.invalid.resize(owners.len(), (0, 0));
        let mut count = 0;
        for (ppn, &lpn) in (first..).zip(owners) {
            self.invalid[count] = (lpn, ppn);
            count += usize::from(is_listed(ppn));
        }
        self.invalid.truncate(count);
    }

    fn find_stored(&mut self, is_stored: impl Fn(Ppn) -> bool) {
        self.stored.resize(self.invalid.len(), 0);
        let mut count = 0;
        for &(_, ppn) in &self.invalid {
            self.stored[count] = ppn;
            count += usize::from(is_stored(ppn));
        }
        self.stored.truncate(count);
    }
}

impl Fingerprints {
    /// A page was written over, or will be.
    #[inline(never)]
    pub(super) fn destroyed(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentLoss) {
        self.counters.lost_to_cleaning += u64::from(self.store.has(ppn));
        let was_invalid = self.leave_the_dead(lpn, ppn, loss);
        if let Some(fingerprint) = self.pages[ppn].content() {
            self.accesses.destroyed(&mut self.pages, ppn);
            // A page that is programmed again in place is valid.
            if !was_invalid && let Some(live) = &mut self.live {
                live.remove(fingerprint, ppn);
            }
        }
        self.pages.blank(ppn);
    }

    /// Hears that all invalid pages among some in a row were destroyed, from `first` on, which `owners` had left behind.
    ///
    /// As [`destroyed`](Self::destroyed) for each. But what is true of which page no processor can guess, and a wrong guess costs more
    /// than the work. So every step is done for the pages that need it, which are found out beforehand without a branch.
    pub fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentLoss) {
        let mut doomed = std::mem::take(&mut self.doomed);
        doomed.find(first, owners, |ppn| self.pages[ppn].marks.has(Marks::LISTED));
        for (index, &(lpn, ppn)) in doomed.invalid.iter().enumerate() {
            if let Some(&(lpn, ppn)) = doomed.invalid.get(index + AHEAD) {
                self.history.prefetch(lpn.into());
                self.pages.prefetch(self.pages[ppn].newer);
                self.pages.prefetch(self.pages[ppn].older);
            }
            self.history.remove(&mut self.pages, lpn, ppn);
        }
        doomed.find_stored(|ppn| self.store.has(ppn));
        self.counters.lost_to_cleaning += doomed.stored.len() as u64;
        for (index, &ppn) in doomed.stored.iter().enumerate() {
            if let Some(&ppn) = doomed.stored.get(index + AHEAD) {
                self.store.prefetch(self.pages[ppn].fingerprint);
            }
            self.store.remove(&mut self.pages, ppn);
        }
        for &(_, ppn) in &doomed.invalid {
            if self.pages[ppn].class > 0 {
                self.change_class(ppn, 0, loss);
            }
            if self.pages[ppn].content().is_some() {
                self.accesses.destroyed(&mut self.pages, ppn);
            }
            self.pages.blank(ppn);
        }
        self.doomed = doomed;
    }
}
