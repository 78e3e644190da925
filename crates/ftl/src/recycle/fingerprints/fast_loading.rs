//! Fast loading (section IV.C.3): when a page is recycled, its logical neighbours are likely to be needed next.

use super::Fingerprints;
use super::probability::{MOST, version};
use crate::recycle::content_loss::ContentLoss;
use crate::{Lpn, NONE, Ppn};

impl Fingerprints {
    /// A page that a logical page had left behind was recycled: the newest invalid pages of its neighbours count as read most
    /// often from now on, and enter the store if they had left it.
    pub(super) fn load_neighbours(&mut self, lpn: Lpn, loss: &mut ContentLoss) {
        for distance in 1..=self.config.fast_load_reach {
            for neighbour in [lpn.checked_sub(distance), lpn.checked_add(distance)].into_iter().flatten() {
                let mut ppn = self.history.newest(neighbour);
                for position in 0..self.config.fast_load_depth {
                    if ppn == NONE {
                        break;
                    }
                    self.history.set_promising(neighbour, true);
                    self.load(ppn, position, loss);
                    ppn = self.pages.link(ppn).older;
                }
            }
        }
    }

    fn load(&mut self, ppn: Ppn, position: u32, loss: &mut ContentLoss) {
        let Some(fingerprint) = self.pages.fingerprint(ppn) else { return };
        let class = self.classes.of(MOST, version(position));
        self.loaded[ppn as usize / 64] |= 1 << (ppn % 64);
        self.change_class(ppn, class, loss);
        match self.entry(ppn) {
            NONE => self.enter_store(ppn, fingerprint, class),
            entry => self.store.rerank(entry, class),
        }
        self.counters.fast_loads += 1;
    }
}
