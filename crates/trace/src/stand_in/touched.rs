//! All that was touched so far: the sites of each operation, and what lies free between them.

use super::extents::Extents;
use super::sites::{Shape, Sites, Touch};

/// Space that reads, writes and trims have touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    sites: [Sites; 3],
    /// Space that anything touched.
    pub(super) extents: Extents,
    runs: u64,
}

impl Touched {
    /// The sites of an operation.
    pub(super) fn of(&self, touch: Touch) -> &Sites {
        &self.sites[touch as usize]
    }

    /// The site that an operation sees at a page, and whose it is. Writes and trims see what was
    /// written or trimmed last if anything was, for that decides what becomes invalid; reads see
    /// what was read or written last.
    pub(super) fn find(&self, touch: Touch, page: u64) -> Option<(Touch, u32)> {
        let at = |owner: Touch| self.of(owner).find(page).map(|number| (owner, number));
        let (pair, rest) = match touch {
            Touch::Read => ([Touch::Read, Touch::Write], Touch::Trim),
            Touch::Write | Touch::Trim => ([Touch::Write, Touch::Trim], Touch::Read),
        };
        let latest =
            pair.into_iter().filter_map(at).max_by_key(|&(owner, number)| self.of(owner).site(number).at);
        latest.or_else(|| at(rest))
    }

    /// The neighbour before an untouched page: the page, whose last touch it had, and the number of
    /// that site.
    pub(super) fn before(&self, page: u64) -> Option<(u64, Touch, u32)> {
        let before = self.extents.last_before(page)?;
        let at = |owner: Touch| self.of(owner).find(before).map(|number| (before, owner, number));
        Touch::ALL.into_iter().filter_map(at).max_by_key(|&(_, owner, number)| self.of(owner).site(number).at)
    }

    /// Pages without a gap from a page on, up to a number, that were touched before: for reads by
    /// anything, as they make nothing invalid; else by the owner of the site.
    pub(super) fn held_from(&self, touch: Touch, owner: Touch, first: u64, pages: u32) -> u32 {
        match touch {
            Touch::Read => self.extents.held_from(first).min(u64::from(pages)) as u32,
            Touch::Write | Touch::Trim => self.of(owner).held_from(first, pages),
        }
    }

    /// A run touches pages.
    pub(super) fn touch(&mut self, touch: Touch, first: u64, shape: Shape) {
        self.runs += 1;
        self.extents.add(first, u64::from(shape.pages));
        self.sites[touch as usize].touch(first, shape, self.runs);
    }
}
