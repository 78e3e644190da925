//! What will be asked for soon, brought into the cache; no effect on results.

use super::{Lx, pages};
use crate::address::Ppn;
use crate::cache_hints::Soon;

impl Lx {
    /// Gives the processor hints of what is looked up for `soon`.
    #[inline(always)]
    pub(super) fn hint_of(&self, soon: Soon) {
        match soon {
            Soon::Keys { lpn, content } => {
                self.history.hint(lpn);
                let Some(content) = content else { return };
                self.store.hint(content);
                self.accesses.hint_value(content);
                if let Some(live) = &self.live {
                    live.hint(content);
                }
            }
            Soon::Place { lpn, ppn } => {
                self.pages.hint(ppn);
                self.history.hint_head(&self.pages, lpn);
                self.accesses.hint(ppn);
            }
            Soon::Left(ppn) => {
                self.store.hint(self.pages[ppn].fingerprint);
                self.accesses.hint_value_of(ppn);
            }
            Soon::Match(content) => {
                self.pages.hint(self.store.likely(content));
                self.accesses.hint_count(content);
            }
            Soon::Row { first, pages } => Ppn::each(first..first + pages)
                .step_by(pages::PER_CACHE_LINE)
                .for_each(|ppn| self.pages.hint(ppn)),
        }
    }
}
