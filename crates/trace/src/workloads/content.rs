//! The content of writes: a model of value locality.
//!
//! A write repeats what the page holds, or returns to an earlier content of the same page, or
//! brings a content that nobody has had, or takes one of a pool of shared contents, whose
//! popularity follows Zipf's law. What it does is drawn once a request, so that neighbouring pages
//! share their fate: all of them return to the version of the same depth, and from the pool they
//! take contents of neighbouring ranks. Popular contents come and go: with a fixed probability a
//! draw replaces the content of its rank by a new one.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{chance, unit};
use super::ranks::Ranks;
use super::settings::Settings;
use crate::error::TraceError;
use crate::mix::{mix, numbered};
use crate::request::{FINGERPRINT_PAGE_BYTES, Fingerprint, Request};

/// Contents that are remembered of a page, the present one among them.
pub(crate) const VERSIONS: usize = 9;

/// Keys of the model of locality alone; elsewhere they would be ignored silently, so they are
/// refused.
const OWN: [&str; 7] = ["values", "popularity", "new", "return", "depth", "same", "churn"];

/// The parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Locality {
    /// Contents of the pool.
    pub(crate) values: u64,
    /// Exponent of their popularity.
    pub(crate) popularity: f64,
    /// Probability that a write that neither repeats nor returns brings new content.
    pub(crate) new: f64,
    /// Probability that a write to a page with earlier contents, which does not repeat, returns to
    /// one of them.
    pub(crate) returns: f64,
    /// Mean depth of the content returned to; 1 is the one before the present one. Geometric.
    pub(crate) depth: f64,
    /// Probability that a write to a page with content repeats it.
    pub(crate) same: f64,
    /// Probability that a draw from the pool replaces its content.
    pub(crate) churn: f64,
}

impl Locality {
    /// `None` where the workload has no content.
    pub(crate) fn new(settings: &Settings<'_>) -> Result<Option<Self>, TraceError> {
        match settings.text("content").unwrap_or("none") {
            "locality" => {}
            "none" => {
                return match OWN.iter().find(|key| settings.is_given(key)) {
                    Some(key) => Err(settings.wrong(key, "has no effect; it needs content=locality")),
                    None => Ok(None),
                };
            }
            _ => return Err(settings.wrong("content", "does not exist")),
        }
        let values = settings.count("values", 100_000, 1)?;
        if values > MOST_VALUES {
            return Err(settings.wrong("values", "is more than 2^28"));
        }
        Ok(Some(Self {
            values,
            popularity: settings.real("popularity", 1.0, 0.0, 10.0)?,
            new: settings.real("new", 0.5, 0.0, 1.0)?,
            returns: settings.real("return", 0.1, 0.0, 1.0)?,
            depth: settings.real("depth", 2.0, 1.0, 1e6)?,
            same: settings.real("same", 0.0, 0.0, 1.0)?,
            churn: settings.real("churn", 0.0, 0.0, 1.0)?,
        }))
    }
}

/// The contents of popular ranks.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    ranks: Ranks,
    churn: f64,
    /// The content of each rank, 0 where it has none yet.
    contents: Vec<u32>,
}

impl Pool {
    /// A pool of `values` contents (at least 1). 4 bytes each, once it is drawn from.
    pub(crate) fn new(values: u64, popularity: f64, churn: f64) -> Option<Self> {
        Some(Self { ranks: Ranks::new(values as f64, popularity)?, churn, contents: Vec::new() })
    }

    /// A rank, from 0 on.
    pub(crate) fn rank(&self, random: &mut Xoshiro256PlusPlus) -> usize {
        self.ranks.draw(random) as usize - 1
    }

    /// The content of a rank of a pool of `values`; a new one is `next`.
    pub(crate) fn content(
        &mut self,
        rank: usize,
        values: usize,
        random: &mut Xoshiro256PlusPlus,
        next: impl FnOnce() -> u32,
    ) -> u32 {
        self.contents.resize(values, 0);
        let rank = rank % values;
        if self.contents[rank] == 0 || chance(random, self.churn) {
            self.contents[rank] = next();
        }
        self.contents[rank]
    }
}

/// Pages of the largest region, 256 GiB: 2.4 GB of memory.
pub(crate) const MOST_PAGES: u64 = 1 << 26;

/// Contents of the largest pool: 1 GiB of memory.
const MOST_VALUES: u64 = 1 << 28;

/// Draws the contents of writes. 4 bytes for each content of the pool, 36 for each page of the
/// region.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    model: Locality,
    pool: Pool,
    random: Xoshiro256PlusPlus,
    space: u64,
    /// Contents so far; 0 is none.
    count: u32,
    /// Contents of pages, the latest first, each content once.
    history: Vec<[u32; VERSIONS]>,
    first_page: u64,
    drawn: Vec<Fingerprint>,
}

/// The content of one request's pages: repeated, returned to, new or drawn.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Same,
    Return { depth: usize },
    New,
    Shared { rank: usize },
}

impl Contents {
    /// For a region that begins at `offset_bytes`. Contents have a generator of their own: the
    /// requests are those of the workload without content.
    pub(crate) fn new(
        settings: &Settings<'_>,
        offset_bytes: u64,
        seed: u64,
    ) -> Result<Option<Self>, TraceError> {
        let Some(model) = Locality::new(settings)? else { return Ok(None) };
        let pool = Pool::new(model.values, model.popularity, model.churn)
            .ok_or_else(|| settings.wrong("popularity", "is refused"))?;
        let space = mix(seed ^ 0x636f_6e74_656e_7473);
        Ok(Some(Self {
            model,
            pool,
            random: Xoshiro256PlusPlus::seed_from_u64(space),
            space,
            count: 0,
            history: Vec::new(),
            first_page: offset_bytes / FINGERPRINT_PAGE_BYTES,
            drawn: Vec::new(),
        }))
    }

    /// The fingerprints of the pages of a write.
    pub(crate) fn draw(&mut self, request: &Request) -> &[Fingerprint] {
        let pages = request.pages(FINGERPRINT_PAGE_BYTES);
        let first = (pages.start - self.first_page) as usize;
        let behind = first + (pages.end - pages.start) as usize;
        if behind > self.history.len() {
            self.history.resize(behind, [0; VERSIONS]);
        }
        let Contents { model, pool, random, count, history, drawn, .. } = self;
        drawn.clear();
        let held = &mut history[first..behind];
        let Some(first) = held.first() else { return drawn };
        let deed = Deed::draw(model, pool, random, first);
        for (index, held) in held.iter_mut().enumerate() {
            let content = deed.content(index, held, (model, pool), random, count);
            remember(held, content);
            drawn.push(numbered(self.space, u64::from(content)));
        }
        drawn
    }
}

impl Deed {
    /// Drawn for the first page of a request, which decides for the others.
    #[inline]
    fn draw(model: &Locality, pool: &Pool, random: &mut Xoshiro256PlusPlus, held: &[u32; VERSIONS]) -> Deed {
        if held[0] != 0 && chance(random, model.same) {
            return Deed::Same;
        }
        if held[1] != 0 && chance(random, model.returns) {
            // Inversion of the geometric distribution with mean `depth`.
            let deeper = 1.0 - 1.0 / model.depth;
            let depth = if deeper > 0.0 { libm::log(1.0 - unit(random)) / libm::log(deeper) } else { 0.0 };
            return Deed::Return { depth: 1 + depth.min(VERSIONS as f64) as usize };
        }
        if chance(random, model.new) {
            return Deed::New;
        }
        Deed::Shared { rank: pool.rank(random) }
    }

    /// The content of page `index` of a request; `count` contents were made so far.
    #[inline]
    fn content(
        self,
        index: usize,
        held: &[u32; VERSIONS],
        (model, pool): (&Locality, &mut Pool),
        random: &mut Xoshiro256PlusPlus,
        count: &mut u32,
    ) -> u32 {
        let mut next = || {
            // After 2^32 - 1 contents the numbers begin anew.
            *count = count.checked_add(1).unwrap_or(1);
            *count
        };
        match self {
            Deed::Same if held[0] != 0 => held[0],
            Deed::Return { depth } if held[1] != 0 => {
                let oldest = held.iter().rposition(|&content| content != 0).unwrap_or(0);
                held[depth.min(oldest)]
            }
            // Pages of the request that have no content to repeat or to return to.
            Deed::Same | Deed::Return { .. } | Deed::New => next(),
            Deed::Shared { rank } => pool.content(rank + index, model.values as usize, random, next),
        }
    }
}

/// Moves `content` to the front, or puts it there, and drops the oldest.
pub(crate) fn remember(held: &mut [u32; VERSIONS], content: u32) {
    let at = held.iter().position(|&other| other == content).unwrap_or(VERSIONS - 1);
    held.copy_within(0..at, 1);
    held[0] = content;
}
