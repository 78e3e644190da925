//! Whether second writes are worth it: they pause while the pages that they hold cost more moves
//! than they save writes.
//!
//! The paper shows workloads with little to gain and leaves a scheme that follows the workload to
//! others (section 6.5). A second write takes no clean page. What it costs is the spare area that
//! it holds, since cleaning finds fuller victims. A page that is moved, and written again before as
//! many pages are written as are held, would not have been moved with those pages to spare: its
//! block would have been cleaned that much later. Such moves are counted, as the ghost lists of a
//! cache count what a larger one would have hit (Megiddo, Modha: ARC, FAST '03).
//!
//! All of it is lost with the power: a mounted drive counts anew.

use crate::address::Lpn;

/// Looks at the counts while as many pages are written as the drive has. The first pause lasts
/// as long.
const LOOKS_PER_DRIVE: u64 = 32;
/// Weight of a look beside the one after it: about ten looks count, a third of the drive.
const RECENT: f64 = 0.9;

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// The ghost list, a bit for each logical page: moved since all bits were cleared, and not
    /// written since.
    moved: Vec<u64>,
    /// Looks until all bits are cleared.
    looks_to_clear: u64,
    /// Moves that a hit stands for. A page is on average remembered for half of the time between
    /// two times that all bits are cleared.
    weight: f64,
    /// Moves that pages held by second writes cost, and clean pages that second writes saved.
    cost: f64,
    saved: f64,
    /// Pages written, by host and cleaning, between two looks, and since the last one.
    pages_a_look: u64,
    written: u64,
    /// Looks that are left of a pause, and that the next one lasts.
    pause: u64,
    next_pause: u64,
}

impl Guard {
    /// Of a drive of `slots` slots and `pages` logical pages.
    pub(super) fn new(slots: u64, pages: u32) -> Guard {
        Guard {
            moved: vec![0; pages.div_ceil(u64::BITS) as usize],
            looks_to_clear: 1,
            weight: 0.0,
            cost: 0.0,
            saved: 0.0,
            pages_a_look: slots.div_ceil(LOOKS_PER_DRIVE),
            written: 0,
            pause: 0,
            next_pause: LOOKS_PER_DRIVE,
        }
    }

    /// Bytes of the ghost list.
    pub(super) fn bytes(pages: u32) -> u64 {
        u64::from(pages.div_ceil(8))
    }

    /// Whether no second writes are made.
    #[inline]
    pub(super) fn pauses(&self) -> bool {
        self.pause > 0
    }

    /// The host writes a page. Whether it is time for a [`look`](Self::look).
    #[inline]
    pub(super) fn host_writes(&mut self, lpn: Lpn) -> bool {
        self.invalidated(lpn);
        self.written += 1;
        self.written >= self.pages_a_look
    }

    /// The old content of a page is not needed any more.
    #[inline]
    pub(super) fn invalidated(&mut self, Lpn(lpn): Lpn) {
        let (word, bit) = (&mut self.moved[(lpn / u64::BITS) as usize], 1 << (lpn % u64::BITS));
        if *word & bit != 0 {
            *word &= !bit;
            self.cost += self.weight;
        }
    }

    /// Cleaning is about to move a page.
    #[inline]
    pub(super) fn moves(&mut self, Lpn(lpn): Lpn) {
        self.moved[(lpn / u64::BITS) as usize] |= 1 << (lpn % u64::BITS);
        self.written += 1;
    }

    /// A second write was made.
    #[inline]
    pub(super) fn saved_a_page(&mut self) {
        debug_assert!(!self.pauses(), "a second write in a pause");
        self.saved += 1.0;
    }

    /// Second writes hold this number of pages beyond their data. A pause may begin or end.
    #[cold]
    pub(super) fn look(&mut self, held: u64) {
        self.written = 0;
        if self.pauses() {
            self.pause -= 1;
        } else if self.cost > self.saved {
            (self.pause, self.next_pause) = (self.next_pause, 2 * self.next_pause);
            (self.cost, self.saved) = (0.0, 0.0);
        }
        (self.cost, self.saved) = (RECENT * self.cost, RECENT * self.saved);
        self.looks_to_clear -= 1;
        if self.looks_to_clear == 0 {
            // At most once a look, so that clearing costs less than a word a page.
            self.looks_to_clear = held.div_ceil(self.pages_a_look).max(1);
            self.weight = 2.0 * held as f64 / (self.looks_to_clear * self.pages_a_look) as f64;
            self.moved.fill(0);
        }
        debug_assert!((0.0..=2.0).contains(&self.weight), "{self:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: u32 = 6400;

    fn guard() -> Guard {
        Guard::new(PAGES.into(), PAGES)
    }

    /// Looks with second writes and looks in pauses, in turn. Between two looks cleaning moves `moved`
    /// pages, which the host writes `later` pages after that; `saved` second writes are made where
    /// there is no pause, and hold two looks' pages.
    fn looks(guard: &mut Guard, moved: u32, later: u32, saved: u32) -> Vec<u32> {
        let (mut runs, mut was, mut now) = (vec![0], false, 0u32);
        for _ in 0..500 {
            loop {
                if now % 200 < moved {
                    guard.moves(Lpn(now % PAGES));
                }
                if !guard.pauses() && now % 200 < saved {
                    guard.saved_a_page();
                }
                now += 1;
                let page = if now >= later { (now - later) % PAGES } else { PAGES - 1 };
                if guard.host_writes(Lpn(page)) {
                    break;
                }
            }
            guard.look(400);
            if guard.pauses() != was {
                was = guard.pauses();
                runs.push(0);
            }
            *runs.last_mut().unwrap() += 1;
        }
        runs
    }

    #[test]
    fn second_writes_pause_where_pages_are_moved_that_are_written_again_soon() {
        let runs = looks(&mut guard(), 20, 100, 5);
        let pauses: Vec<u32> = runs.chunks(2).filter_map(|runs| runs.get(1).copied()).collect();
        assert_eq!(pauses[..3], [32, 64, 128], "{runs:?}");
    }

    #[test]
    fn second_writes_go_on_where_they_save_more_than_that() {
        assert_eq!(looks(&mut guard(), 5, 100, 20), [500]);
    }

    #[test]
    fn pages_that_are_written_long_after_their_move_cost_nothing() {
        assert_eq!(looks(&mut guard(), 20, 3000, 5), [500]);
    }
}
