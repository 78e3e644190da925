//! Zipf: the page of rank r with a probability proportional to 1/r^theta (see [`Ranks`]).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::ranks::Ranks;
use super::settings::{Settings, real};
use crate::error::TraceError;

/// Ranks whose places are looked up: five of six draws from 100,000 pages where theta is 1.1.
const POPULAR: u64 = 4096;

/// Ranks, and where they lie.
#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    ranks: Ranks,
    scatter: Option<Permutation>,
    /// Where the scattered ranks below [`POPULAR`] lie.
    popular: Vec<u64>,
}

impl Zipf {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64, seed: u64) -> Result<Self, TraceError> {
        let theta =
            settings.real("theta", real(settings.table_default("theta")).unwrap_or(1.0), 0.0, 10.0)?;
        let ranks = Ranks::new(pages as f64, theta).ok_or_else(|| settings.wrong("theta", "is refused"))?;
        let scatter = settings.flag("scatter", true)?.then(|| Permutation::new(pages, seed));
        let places = |permutation: &Permutation| -> Vec<u64> {
            (0..pages.min(POPULAR)).map(|rank| permutation.apply(rank)).collect()
        };
        let popular = scatter.as_ref().map(places).unwrap_or_default();
        Ok(Self { ranks, scatter, popular })
    }

    /// The first page of a request of `span` pages in a region of `pages`; moved back where it
    /// would reach beyond the end.
    #[inline(never)] // Its callers are loops with nothing else in them.
    pub(crate) fn next_page(&self, random: &mut Xoshiro256PlusPlus, pages: u64, span: u64) -> u64 {
        let rank = (self.ranks.draw(random) - 1).min(pages - 1);
        let page = match (self.popular.get(rank as usize), &self.scatter) {
            (Some(&page), _) => page,
            (None, Some(permutation)) => permutation.apply(rank),
            (None, None) => rank,
        };
        page.min(pages - span)
    }
}
