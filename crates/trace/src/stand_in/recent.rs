//! The latest accesses of one operation: where requests ended, and which site would come next.

use super::sites::Sites;

/// Ends of recent requests that a run goes on from, and successors of recently touched sites.
pub(super) const REMEMBERED: usize = 16;

/// The latest items first, at most [`REMEMBERED`].
#[derive(Clone, Debug)]
pub(super) struct Recent<T> {
    items: Vec<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent { items: Vec::new() }
    }
}

impl<T: Copy> Recent<T> {
    /// Adds an item as the latest.
    pub(super) fn push(&mut self, item: T) {
        self.items.truncate(REMEMBERED - 1);
        self.items.insert(0, item);
    }

    /// Takes out what fits nearest to a place.
    pub(super) fn take_nearest(&mut self, place: usize, fits: impl Fn(T) -> bool) -> Option<T> {
        let fitting = self.items.iter().enumerate().filter(|&(_, &item)| fits(item));
        let (nearest, _) = fitting.min_by_key(|(index, _)| index.abs_diff(place))?;
        Some(self.items.remove(nearest))
    }
}

/// A site that is next to be touched if sites are touched in the order of the last time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) number: u32,
    at: u64,
}

impl Successor {
    /// The successor of a site that is about to be touched.
    pub(super) fn of(sites: &Sites, number: u32, touched: std::ops::Range<u64>) -> Option<Successor> {
        let number = sites.successor(number, touched)?;
        Some(Successor { number, at: sites.site(number).at })
    }

    /// Whether the site was not touched or forgotten since.
    pub(super) fn is_current(self, sites: &Sites) -> bool {
        sites.site(self.number).at == self.at
    }
}
