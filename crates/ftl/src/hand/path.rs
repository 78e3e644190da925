//! The ways of a page through the loops over pages, each compiled by itself.
//!
//! Every option of a drive is a question for every page, and each costs a load and a branch:
//! together a sixth of a plain write. [`Path`] asks them once a drive, or once a victim.

use crate::hand::Hand;

/// Who has a say in how a page is programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// Nobody, and nobody hears of it: programs are normal ones, of one page each, need no
    /// preparation and cannot fail.
    Fast,
    /// Nobody, but a recycling scheme hears of it.
    Observed,
    /// A scheme or an option.
    General,
}

/// A [`Path`] as a type, for which a loop over pages is compiled.
pub(crate) trait Way {
    const PATH: Path;
    /// Whether a scheme or an option has a say.
    const GENERAL: bool = matches!(Self::PATH, Path::General);
    /// Whether a recycling scheme may hear of it.
    const OBSERVED: bool = !matches!(Self::PATH, Path::Fast);
}

/// [`Path::Fast`]
pub(crate) struct Fast;
/// [`Path::Observed`]
pub(crate) struct Observed;
/// [`Path::General`]
pub(crate) struct General;

impl Way for Fast {
    const PATH: Path = Path::Fast;
}

impl Way for Observed {
    const PATH: Path = Path::Observed;
}

impl Way for General {
    const PATH: Path = Path::General;
}

impl Hand {
    /// Who has a say in programs, where second writes have one or not.
    pub(crate) fn path(&self, has_groups: bool) -> Path {
        let programs_normally =
            !self.state.prepares && !self.state.may_fail() && self.state.layout.most_slot_pages == 1;
        let asks_nobody = !self.effort.listens() && !has_groups && self.log.is_none();
        match (programs_normally && asks_nobody && self.cache_mode.is_none(), self.recycle.listens()) {
            (true, false) => Path::Fast,
            (true, true) => Path::Observed,
            (false, _) => Path::General,
        }
    }
}
