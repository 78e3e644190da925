//! What a replay may tell of pages that come soon, so that they are in the cache when they come. No
//! effect on results.

use crate::address::{Lpn, Ppn};
use crate::cache_hints::{Ahead, Soon};
use crate::host::fingerprint::Fingerprint;
use crate::layer::Ftl;

impl Ftl {
    /// Gives the processor hints of what a coming access to a logical page, which may lie beyond
    /// the drive, looks up in a step. `content` is what will be written there, if that is known.
    /// Beyond [`Ahead::Map`] only drives that [want contents](Self::wants_content) have anything to
    /// look up.
    #[inline(always)]
    pub fn hint(&self, ahead: Ahead, lpn: u64, content: Option<Fingerprint>) {
        let recycle = &self.recycle;
        match ahead {
            Ahead::Map => self.state.map.hint(lpn),
            Ahead::Keys => recycle.hint(Soon::Keys { lpn, content }),
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

    #[inline]
    fn present_place(&self, lpn: u64) -> Option<Ppn> {
        let map = &self.state.map;
        let ppn = if lpn < u64::from(map.logical_pages()) { map.find(Lpn(lpn as u32)) } else { Ppn::NONE };
        ppn.is_some().then_some(ppn)
    }
}
