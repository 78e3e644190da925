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
