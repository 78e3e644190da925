//! The way of a page where nobody has a say in how it is programmed, which the loops over pages are
//! compiled for by themselves.
//!
//! Every option of a drive is a question for every page, and each costs a load and a branch:
//! together a sixth of a plain write. [`Path`] asks them once a drive, or once a victim.

use crate::address::Unit;
use crate::layer::Ftl;
use crate::layer::path::Path;

impl Ftl {
    /// Who has a say in how a page is programmed, but for a scheme of reuse that chose its place.
    pub(crate) fn path_to_write(&self) -> Path {
        self.path_where(self.state.groups.is_some())
    }

    /// Who has a say in how the pages of a victim are moved: second writes only where it holds any.
    pub(crate) fn path_to_move(&self, victim: Unit) -> Path {
        self.path_where(self.state.groups.as_deref().is_some_and(|groups| groups.any_in(victim)))
    }

    fn path_where(&self, has_groups: bool) -> Path {
        let programs_normally =
            !self.state.prepares && !self.state.may_fail() && self.state.layout.most_slot_pages == 1;
        let asks_nobody =
            !self.effort.listens() && !has_groups && self.log.is_none() && !self.streams.sorts_moves();
        let asks_nobody = asks_nobody && self.slc_cache.is_none();
        match (programs_normally && asks_nobody, self.recycle.listens()) {
            (true, false) => Path::Fast,
            (true, true) => Path::Observed,
            (false, _) => Path::General,
        }
    }
}
