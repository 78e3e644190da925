//! Writes of pages that are written again and again, which are sampled by writes.
//!
//! A few pages may have a large share of the writes, and whether they are in the sample would
//! decide everything. A page that was written shortly before is invalid again before its erase unit
//! is cleaned: its writes fill flash and leave nothing to move. So which page it is hardly matters,
//! and one of so many of these writes is taken, whatever it writes. It goes to a page of the sample
//! that was written so meanwhile, and where none was, to a page that stands for all others.

use std::collections::VecDeque;

use crate::mix::mix;

/// A page number that no page has.
const NOBODY: u32 = u32::MAX;

/// The pages written last, and the sampled ones among them that wait for a write.
#[derive(Clone, Debug)]
pub(super) struct Frequent {
    /// Page and time of a write, by a hash of the page; the later of two takes the place.
    recent: Vec<(u32, u32)>,
    /// Page writes so far, counted round.
    now: u32,
    /// Of `of` such writes `taken` are taken; `owed` is what is left over, in parts of `of`.
    taken: u64,
    of: u64,
    owed: u64,
    /// Numbers of the sampled pages that wait, and a flag for every number.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
}

impl Frequent {
    /// Pages count as frequent that were written no more than `reach` page writes before, a power
    /// of two of at most 2^30. Of `of` writes of theirs `taken` are taken, for as many sampled
    /// pages.
    pub(super) fn new(reach: u32, taken: u64, of: u64) -> Self {
        Self {
            recent: vec![(NOBODY, 0); reach as usize],
            now: 0,
            taken,
            of,
            owed: 0,
            waiting: VecDeque::new(),
            waits: vec![false; taken as usize],
        }
    }

    /// Forgets all writes.
    pub(super) fn restart(&mut self) {
        self.recent.fill((NOBODY, 0));
        (self.now, self.owed) = (0, 0);
        self.waiting.clear();
        self.waits.fill(false);
    }

    /// Notes a write of a page; returns whether the page is frequent.
    #[inline]
    pub(super) fn wrote(&mut self, page: u32) -> bool {
        self.now = self.now.wrapping_add(1);
        let mask = self.recent.len() - 1;
        let place = &mut self.recent[mix(u64::from(page)) as usize & mask];
        let (before, at) = std::mem::replace(place, (page, self.now));
        before == page && self.now.wrapping_sub(at) as usize <= mask
    }

    /// A sampled page has such a write.
    #[inline]
    pub(super) fn waits(&mut self, number: u64) {
        let flag = &mut self.waits[number as usize];
        if !*flag {
            *flag = true;
            self.waiting.push_back(number as u32);
        }
    }

    /// A sampled page was written in its own right, or trimmed, so that it waits no more.
    #[inline]
    pub(super) fn forget(&mut self, number: u64) {
        self.waits[number as usize] = false;
    }

    /// Whether this one of the frequent writes is taken.
    #[inline]
    pub(super) fn is_taken(&mut self) -> bool {
        self.owed += self.taken;
        let taken = self.owed >= self.of;
        self.owed -= if taken { self.of } else { 0 };
        taken
    }

    /// The number of the page that a taken write goes to: the first that waits, or the one behind
    /// all sampled pages.
    #[inline]
    pub(super) fn next_number(&mut self) -> u64 {
        while let Some(number) = self.waiting.pop_front() {
            if std::mem::take(&mut self.waits[number as usize]) {
                return u64::from(number);
            }
        }
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_frequent_if_it_was_written_shortly_before() {
        let mut frequent = Frequent::new(1 << 10, 1, 10);
        assert!(!frequent.wrote(5));
        assert!(frequent.wrote(5));
        (0..1023).for_each(|_| assert!(frequent.wrote(5)));
        frequent.recent.fill((NOBODY, 0));
        assert!(!frequent.wrote(5));
        frequent.now += 1 << 10;
        assert!(!frequent.wrote(5), "too long ago");
    }

    #[test]
    fn of_so_many_writes_so_many_are_taken() {
        let mut frequent = Frequent::new(16, 3, 10);
        let taken = (0..1000).filter(|_| frequent.is_taken()).count();
        assert_eq!(taken, 300);
    }

    #[test]
    fn a_taken_write_goes_to_a_page_that_waits_and_else_to_the_one_for_all_others() {
        let mut frequent = Frequent::new(16, 4, 40);
        [2, 0, 2, 3].into_iter().for_each(|number| frequent.waits(number));
        frequent.forget(0);
        let next: Vec<u64> = (0..3).map(|_| frequent.next_number()).collect();
        assert_eq!(next, [2, 3, 4]);
        frequent.waits(2);
        frequent.restart();
        assert_eq!(frequent.next_number(), 4);
    }
}
