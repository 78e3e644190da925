//! The kinds of places that runs begin at.

use super::sites::{CLASSES, Touch, class_of};

/// Where a run begins, seen from what was touched before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the site that was touched behind one of those touched lately, the time before: things go
    /// in the same order again.
    Follow,
    /// On the last page of a recent request: a sequence of requests that are not aligned to pages.
    Edge,
    /// Where nothing was touched.
    New,
    /// At a site that an operation touched, the same one or another, of this class of sizes.
    At(Touch, usize),
}

/// Kinds of places, for a small or a large run each.
pub(super) const KINDS: usize = 2 * SORTS;
const SORTS: usize = 3 + 3 * CLASSES;
/// The least pages of a large run: there are few of them, and a stand-in has as many.
const LARGE_PAGES: u32 = 65;
/// Groups of runs: each sort of place, small or large.
pub(super) const GROUPS: usize = 12;

impl Place {
    /// The kind of a place where a run of some pages begins, as a number below [`KINDS`].
    pub(super) fn kind(self, pages: u32) -> usize {
        let sort = match self {
            Place::Follow => 0,
            Place::Edge => 1,
            Place::New => 2,
            Place::At(owner, class) => 3 + CLASSES * owner as usize + class,
        };
        if is_large(pages) { SORTS + sort } else { sort }
    }

    /// The kind of a number.
    pub(super) fn of_kind(kind: usize) -> Place {
        match kind % SORTS {
            0 => Place::Follow,
            1 => Place::Edge,
            2 => Place::New,
            kind => Place::At(Touch::ALL[(kind - 3) / CLASSES], (kind - 3) % CLASSES),
        }
    }

    /// The group of a run that began there with some pages, as a number below [`GROUPS`].
    pub(super) fn group(self, pages: u32) -> usize {
        let sort = match self {
            Place::Follow => 0,
            Place::Edge => 1,
            Place::New => 2,
            Place::At(owner, _) => 3 + owner as usize,
        };
        2 * sort + usize::from(class_of(pages) > 1)
    }
}

/// Whether a run of some pages is large.
pub(super) fn is_large(pages: u32) -> bool {
    pages >= LARGE_PAGES
}

/// Whether a kind is that of large runs.
pub(super) fn is_large_kind(kind: usize) -> bool {
    kind >= SORTS
}
