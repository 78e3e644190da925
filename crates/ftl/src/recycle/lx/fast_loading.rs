//! Fast loading (section IV.C.3): when a page is recycled, its logical neighbours are likely to be
//! needed next.

use super::Lx;
use super::pages::Marks;
use super::probability::{MOST, version};
use crate::address::{Lpn, Ppn};
use crate::state::content_score::ContentScore;

impl Lx {
    /// A page that a logical page had left behind was recycled. The newest invalid pages of its
    /// neighbours count as read most often from now on, and enter the store if they had left it.
    pub(super) fn load_neighbours(&mut self, lpn: Lpn, loss: &mut ContentScore) {
        for distance in 1..=self.config.fast_load_reach {
            for neighbour in
                [lpn.0.checked_sub(distance), lpn.0.checked_add(distance)].into_iter().flatten().map(Lpn)
            {
                let mut ppn = self.history.newest(neighbour);
                for position in 0..self.config.fast_load_depth {
                    if ppn.is_none() {
                        break;
                    }
                    if self.load(ppn, position, loss) {
                        self.begins_to_age(neighbour, position, loss);
                    }
                    ppn = self.pages[ppn].older;
                }
            }
        }
    }

    /// Loads the page at a position of a list. Whether there was anything to load.
    fn load(&mut self, ppn: Ppn, position: u32, loss: &mut ContentScore) -> bool {
        let Some(fingerprint) = self.pages[ppn].content() else { return false };
        let class = self.classes.of(MOST, version(position));
        self.pages[ppn].marks.set(Marks::LOADED);
        self.change_class(ppn, class, loss);
        if !self.store.has(ppn) {
            self.enter_store(ppn, fingerprint);
        } else if !self.store.ranks_by_probability() {
            self.store.rerank(&mut self.pages, ppn, class);
        }
        self.counters.fast_loads += 1;
        true
    }
}
