//! Zipf: the page of rank r with a probability proportional to 1/r^theta, exactly, by
//! rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
//! monotone discrete distributions", 1996).

use rand_distr::{Distribution, Zipf as Ranks};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::settings::{Settings, real};
use crate::error::TraceError;

/// Ranks, and where they lie.
#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    ranks: Ranks<f64>,
    scatter: Option<Permutation>,
}

impl Zipf {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64, seed: u64) -> Result<Self, TraceError> {
        let theta =
            settings.real("theta", real(settings.table_default("theta")).unwrap_or(1.0), 0.0, 10.0)?;
        let ranks = Ranks::new(pages as f64, theta)
            .map_err(|error| settings.wrong("theta", &format!("is refused ({error})")))?;
        let scatter = settings.flag("scatter", true)?.then(|| Permutation::new(pages, seed));
        Ok(Self { ranks, scatter })
    }

    /// The first page of a request of `span` pages in a region of `pages`; moved back where it
    /// would reach beyond the end.
    pub(crate) fn next_page(&self, random: &mut Xoshiro256PlusPlus, pages: u64, span: u64) -> u64 {
        let rank = (self.ranks.sample(random) as u64 - 1).min(pages - 1);
        let page = self.scatter.as_ref().map_or(rank, |permutation| permutation.apply(rank));
        page.min(pages - span)
    }
}
