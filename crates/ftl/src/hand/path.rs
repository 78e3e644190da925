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
    /// Nobody, but the page that is replaced may lie in several slots.
    Grouped,
    /// The effort scheme, on the mode of the program and nothing else.
    Graded,
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
    const OBSERVED: bool = matches!(Self::PATH, Path::Observed | Path::General);
    /// Whether an effort scheme may have a say in its mode.
    const GRADED: bool = matches!(Self::PATH, Path::Graded | Path::General);
    /// Whether pages may lie in several slots.
    const GROUPED: bool = matches!(Self::PATH, Path::Grouped | Path::General);
}

/// [`Path::Fast`]
pub(crate) struct Fast;
/// [`Path::Grouped`]
pub(crate) struct Grouped;
/// [`Path::Graded`]
pub(crate) struct Graded;
/// [`Path::Observed`]
pub(crate) struct Observed;
/// [`Path::General`]
pub(crate) struct General;

impl Way for Fast {
    const PATH: Path = Path::Fast;
}

impl Way for Grouped {
    const PATH: Path = Path::Grouped;
}

impl Way for Graded {
    const PATH: Path = Path::Graded;
}

impl Way for Observed {
    const PATH: Path = Path::Observed;
}

impl Way for General {
    const PATH: Path = Path::General;
}

impl Hand {
    /// Who has a say in programs, where pages may lie in several slots or not.
    pub(crate) fn path(&self, has_groups: bool) -> Path {
        let is_general = self.state.prepares
            || self.state.may_fail()
            || self.state.layout.slot_pages > 1
            || self.log.is_some()
            || self.cache_mode.is_some();
        match (has_groups, self.effort.listens(), self.recycle.listens()) {
            _ if is_general => Path::General,
            (false, false, false) => Path::Fast,
            (true, false, false) => Path::Grouped,
            (false, true, false) => Path::Graded,
            (false, false, true) => Path::Observed,
            _ => Path::General,
        }
    }
}
