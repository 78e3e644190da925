//! The places of JEDEC's workload for the endurance of drives in servers (JESD219, "Solid-State
//! Drive (SSD) Endurance Workloads", 2010, enterprise): half of the requests go to a twentieth of
//! the pages, 30% to the next 15%, and 20% to the rest. Within each part every page is equally
//! likely.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{below, unit};
use super::settings::Settings;
use crate::error::TraceError;

/// Where each part but the last ends, as a fraction of the pages, and of the requests.
const ENDS: [(f64, f64); 2] = [(0.05, 0.5), (0.2, 0.8)];

/// The parts lie one behind the other.
#[derive(Clone, Debug)]
pub(crate) struct Jesd219 {
    /// The first page of each part, and the end.
    bounds: [u64; 4],
}

impl Jesd219 {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64) -> Result<Self, TraceError> {
        let [first, second] = ENDS.map(|(part, _)| (part * pages as f64).round() as u64);
        if first == 0 || first >= second || second >= pages {
            return Err(settings.wrong("pages", "are too few; each of the three parts needs a page"));
        }
        Ok(Self { bounds: [0, first, second, pages] })
    }

    /// The first page of a request of `span` pages, and its component: 0 the hottest part, 2 the
    /// coldest. The page is moved back where the request would reach beyond the end.
    pub(crate) fn next_page(&self, random: &mut Xoshiro256PlusPlus, span: u64) -> (u64, u8) {
        let drawn = unit(random);
        let part = ENDS.iter().take_while(|(_, requests)| drawn >= *requests).count();
        let [begin, end] = [self.bounds[part], self.bounds[part + 1]];
        let page = begin + below(random, end - begin);
        (page.min(self.bounds[3] - span), part as u8)
    }
}
