//! Where recent requests ended, so that a sequential one can go on there.

use super::profile::STREAMS;

/// The ends of the last requests of one operation with their sizes in pages, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentEnds {
    ends: Vec<(u64, u32)>,
}

impl RecentEnds {
    /// Takes the end at a page out, if there is one; says how many were later, and the size of the request that ended there.
    pub(super) fn take(&mut self, page: u64) -> Option<(usize, u32)> {
        let stream = self.ends.iter().position(|&(end, _)| end == page)?;
        let (_, pages) = self.ends.remove(stream);
        Some((stream, pages))
    }

    /// Takes out the end nearest to that of a stream among those that fit.
    pub(super) fn take_nearest(
        &mut self,
        stream: usize,
        fits: impl Fn(u64, u32) -> bool,
    ) -> Option<(u64, u32)> {
        let fitting = self.ends.iter().enumerate().filter(|&(_, &(end, pages))| fits(end, pages));
        let (nearest, _) = fitting.min_by_key(|(index, _)| index.abs_diff(stream))?;
        Some(self.ends.remove(nearest))
    }

    /// A request of some pages ended before a page.
    pub(super) fn ended(&mut self, page: u64, pages: u32) {
        self.ends.truncate(STREAMS - 1);
        self.ends.insert(0, (page, pages));
    }
}
