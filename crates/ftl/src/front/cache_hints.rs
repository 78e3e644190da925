//! What a replay may tell of pages that come soon, so that they are in the cache when they come. No
//! effect on results.

use crate::address::{Lpn, Ppn};
use crate::cache_hints::{Ahead, MATCHES_AHEAD_IN_REQUEST, PAGES_AHEAD_IN_REQUEST, Soon};
use crate::front::Ftl;
use crate::host::fingerprint::Fingerprint;

impl Ftl {
    /// Gives the processor hints of what a coming access to a logical page, which may lie beyond
    /// the drive, looks up in a step. `content` is what will be written there, if that is known.
    /// Beyond [`Ahead::Map`] only drives that [want contents](Self::wants_content) have anything to
    /// look up.
    #[inline(always)]
    pub fn hint(&self, ahead: Ahead, lpn: u64, content: Option<Fingerprint>) {
        let recycle = self.hand.recycle();
        match ahead {
            Ahead::Map => self.hand.state().map.hint(lpn),
            Ahead::Keys => {
                recycle.hint(Soon::Keys { lpn, content });
                if let Some(sharing) = &self.hand.state().sharing {
                    sharing.hint(lpn);
                }
            }
            Ahead::Place => {
                if let Some(ppn) = self.present_place(lpn) {
                    recycle.hint(Soon::Place { lpn: Lpn(lpn as u32), ppn });
                }
            }
            Ahead::Match => {
                if let Some(ppn) = self.present_place(lpn) {
                    recycle.hint(Soon::Left(ppn));
                }
                if let Some(content) = content {
                    recycle.hint(Soon::Match(content));
                }
            }
        }
    }

    /// As [`hint`](Self::hint), of pages behind one that a trim of those up to `end` has come to.
    #[inline]
    pub(super) fn hint_in_trim(&self, lpn: Lpn, end: u32) {
        let lpn = u64::from(lpn.0);
        if lpn + PAGES_AHEAD_IN_REQUEST < u64::from(end) {
            self.hint(Ahead::Keys, lpn + PAGES_AHEAD_IN_REQUEST, None);
            self.hint(Ahead::Place, lpn + PAGES_AHEAD_IN_REQUEST, None);
        }
        if lpn + MATCHES_AHEAD_IN_REQUEST < u64::from(end) {
            self.hint(Ahead::Match, lpn + MATCHES_AHEAD_IN_REQUEST, None);
        }
    }

    /// Whether [`hint_present_place`](Self::hint_present_place) is worth its instructions: where
    /// the tables that it looks at are larger than a processor's own cache.
    pub fn hints_present_places(&self) -> bool {
        const OWN_CACHE_BYTES: usize = 1 << 20;
        self.hand.state().map.valid_bytes() + self.hand.state().units.bytes() > OWN_CACHE_BYTES
    }

    /// Gives the processor hints of what a write of a logical page will change at its present
    /// place: the validity of the slot and the counts of the unit. The entry in the page map should
    /// be in the cache.
    #[inline(always)]
    pub fn hint_present_place(&self, lpn: u64) {
        if let Some(ppn) = self.present_place(lpn) {
            let at = self.hand.state().layout.slot_address(ppn);
            self.hand.state().map.hint_valid(at.unit, at.slot);
            self.hand.state().units.hint(at.unit);
        }
    }

    #[inline]
    fn present_place(&self, lpn: u64) -> Option<Ppn> {
        let map = &self.hand.state().map;
        let ppn = if lpn < u64::from(map.logical_pages()) { map.find(Lpn(lpn as u32)) } else { Ppn::NONE };
        ppn.is_some().then_some(ppn)
    }
}
