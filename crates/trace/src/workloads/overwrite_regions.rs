//! The parametric benchmark of Margaglia and Brinkmann, "Improving MLC flash performance and
//! endurance with extended P/E cycles", section V. One region of a data set is written, the other
//! overwritten with data that only raise cells.
//!
//! Either region is chosen with a fixed probability, the page in it uniformly. Before, every page
//! is written once in order: the write region first, then the overwrite region, by overwrite
//! commands from the start. The paper does not say which region comes first in the address space;
//! here it is the write region.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{below, chance};
use super::settings::Settings;
use crate::error::TraceError;
use crate::operation::Operation;

/// Pages below `written_pages` are written, the others overwritten.
#[derive(Clone, Debug)]
pub(crate) struct OverwriteRegions {
    written_pages: u64,
    skew: f64,
    /// Pages of the data set that the warm-up has still to write, in order.
    warmup: std::ops::Range<u64>,
}

impl OverwriteRegions {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64) -> Result<Self, TraceError> {
        settings.refuse_reads_and_sizes()?;
        let overwritten = (settings.real("region", 0.05, 0.0, 1.0)? * pages as f64).round() as u64;
        if overwritten == 0 || overwritten >= pages {
            return Err(settings.wrong(
                "region",
                &format!("overwrites {overwritten} of {pages} pages; both regions need a page"),
            ));
        }
        let skew = settings.real("skew", 0.6, 0.0, 1.0)?;
        let warmup = if settings.flag("warmup", true)? { 0..pages } else { 0..0 };
        Ok(Self { written_pages: pages - overwritten, skew, warmup })
    }

    /// Requests that the warm-up adds.
    pub(crate) fn warmup_requests(&self) -> u64 {
        self.warmup.end - self.warmup.start
    }

    /// The page of the next request in a region of `pages`, and what happens to it.
    pub(crate) fn next_page(&mut self, random: &mut Xoshiro256PlusPlus, pages: u64) -> (u64, Operation) {
        let page = match self.warmup.next() {
            Some(page) => page,
            None if chance(random, self.skew) => {
                self.written_pages + below(random, pages - self.written_pages)
            }
            None => below(random, self.written_pages),
        };
        (page, if page < self.written_pages { Operation::Write } else { Operation::Overwrite })
    }
}
