//! Hot and cold: a part of the pages gets most of the requests (Rosenblum and Ousterhout, "The
//! design and implementation of a log-structured file system", section 3.5: 90% of the writes to
//! 10% of the files).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::random::{below, chance};
use super::settings::Settings;
use crate::error::TraceError;

/// The hot pages are the first ones, before scattering.
#[derive(Clone, Debug)]
pub(crate) struct HotCold {
    hot_pages: u64,
    hits: f64,
    scatter: Option<Permutation>,
}

impl HotCold {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64, seed: u64) -> Result<Self, TraceError> {
        let hot_pages = (settings.real("hot", 0.2, 0.0, 1.0)? * pages as f64).round() as u64;
        if hot_pages == 0 || hot_pages >= pages {
            return Err(settings
                .wrong("hot", &format!("makes {hot_pages} of {pages} pages hot; both parts need a page")));
        }
        let hits = settings.real("hits", 0.8, 0.0, 1.0)?;
        let scatter = settings.flag("scatter", true)?.then(|| Permutation::new(pages, seed));
        Ok(Self { hot_pages, hits, scatter })
    }

    /// The first page of a request of `span` pages in a region of `pages`, and its component: 0
    /// hot, 1 cold. The page is moved back where the request would reach beyond the end.
    pub(crate) fn next_page(&self, random: &mut Xoshiro256PlusPlus, pages: u64, span: u64) -> (u64, u8) {
        let is_hot = chance(random, self.hits);
        let index = match is_hot {
            true => below(random, self.hot_pages),
            false => self.hot_pages + below(random, pages - self.hot_pages),
        };
        let page = self.scatter.as_ref().map_or(index, |permutation| permutation.apply(index));
        (page.min(pages - span), u8::from(!is_hot))
    }
}
