//! All that was touched so far: the sites of both operations and the clusters they lie in.

use super::clusters::Clusters;
use super::profile::Place;
use super::sites::{Shape, Sites, Touch, class_of};

/// What reads and writes have touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    sites: [Sites; 2],
    pub(super) clusters: Clusters,
    runs: u64,
}

impl Touched {
    /// The sites of an operation.
    pub(super) fn of(&self, touch: Touch) -> &Sites {
        &self.sites[touch as usize]
    }

    /// The site that an operation sees at a page, and whose it is: writes see what was written if anything was, for that
    /// decides what becomes invalid; reads see what was touched last.
    pub(super) fn find(&self, touch: Touch, page: u64) -> Option<(Touch, u32)> {
        let own = self.of(touch).find(page).map(|number| (touch, number));
        let other = self.of(touch.other()).find(page).map(|number| (touch.other(), number));
        match (touch, own, other) {
            (Touch::Read, Some((_, own)), Some((_, written)))
                if self.of(Touch::Write).site(written).at > self.of(Touch::Read).site(own).at =>
            {
                other
            }
            _ => own.or(other),
        }
    }

    /// Whether any page of a range was touched.
    pub(super) fn holds_any(&self, pages: std::ops::Range<u64>) -> bool {
        self.sites.iter().any(|sites| sites.holds_any(pages.clone()))
    }

    /// The last touched page of a range.
    pub(super) fn last_touched(&self, pages: std::ops::Range<u64>) -> Option<u64> {
        self.sites.iter().filter_map(|sites| sites.last_touched(pages.clone())).max()
    }

    /// A run touches pages.
    pub(super) fn touch(&mut self, touch: Touch, first: u64, shape: Shape) {
        self.runs += 1;
        self.sites[touch as usize].touch(first, shape, self.runs);
        self.clusters.touch(touch, first, u64::from(shape.pages));
    }
}

impl Sites {
    /// The kind of place that a site is to its own operation or to the other.
    pub(super) fn place(&self, number: u32, is_own: bool) -> Place {
        let class = class_of(self.site(number).shape.pages);
        if is_own { Place::Own(class) } else { Place::Other(class) }
    }
}
