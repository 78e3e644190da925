//! How well the read and write separator tells pages apart: its classes on a trace beside exact
//! histories.
//!
//! Two exact references: sets of the same life as the filters (what differs is false hits alone),
//! and all accesses since the start of the trace (what differs is also what the filters forgot).
//! Asked about the page of every access, when the scheme decides about host writes and rewrites;
//! and about a page drawn from all those touched so far, as cleaning asks.

use std::collections::HashMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_ftl::Lpn;
use rewear_ftl::effort::agcr::config::HistoryKind;
use rewear_ftl::effort::agcr::history::{History, Usage};
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::effort::differentiated_ecc::config::{Filters, SeparatorConfig};
use rewear_ftl::effort::differentiated_ecc::separator::{Class, Separator};
use rewear_ftl::effort::scheme::Access;
use rewear_trace::{Batch, Operation, Request, Source};
use serde::Serialize;

use crate::error::SimError;

/// Names of the classes, in the order of every table here.
pub const CLASSES: [&str; 4] = ["unknown", "read-only", "write-only", "overlapped"];

/// The separator on a trace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeparatorCheck {
    /// Size of the logical pages.
    pub page_bytes: u64,
    /// Distinct pages of the trace.
    pub pages: u64,
    /// Page reads and page writes.
    pub accesses: [u64; 2],
    /// Bytes of the filters in the drive.
    pub filter_bytes: u64,
    /// Estimated probability that a page never read looks read, and that one never written looks
    /// written.
    pub false_hits: Option<[f64; 2]>,
    /// Share of the host's page writes for which rule m decides as with exact sets of the same
    /// life.
    pub same_decisions: Option<f64>,
    /// The classes, by who asks and by the reference.
    pub tables: Vec<Confusion>,
}

/// Classes of the separator beside exact ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confusion {
    /// `accessed`: the page of each access; `at-rest`: a page drawn from all touched so far.
    pub asked: &'static str,
    /// `same-life`: exact sets that forget as the filters do; `since-start`: all accesses.
    pub reference: &'static str,
    /// Times that a page of each exact class (row) was put into each class (column); order of
    /// [`CLASSES`].
    pub counts: [[u64; 4]; 4],
    /// Of the pages put into a class, the share that belong to it; absent where there are none.
    pub precision: [Option<f64>; 4],
    /// Of the pages that belong to a class, the share put into it.
    pub recall: [Option<f64>; 4],
    /// Share of all that are put into the class where they belong.
    pub agreement: Option<f64>,
}

impl Confusion {
    fn new(asked: &'static str, reference: &'static str, counts: [[u64; 4]; 4]) -> Confusion {
        let share = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
        let all = counts.iter().flatten().sum();
        let right = (0..4).map(|class| counts[class][class]).sum();
        Confusion {
            asked,
            reference,
            precision: std::array::from_fn(|class| {
                share(counts[class][class], counts.iter().map(|row| row[class]).sum())
            }),
            recall: std::array::from_fn(|class| share(counts[class][class], counts[class].iter().sum())),
            agreement: share(right, all),
            counts,
        }
    }
}

/// Follows the separator of `config` over a trace with pages of `page_bytes`. Reads the trace
/// twice. About 60 bytes of memory for each distinct page.
///
/// # Errors
/// Those of the source; more than 2^32 - 1 pages of address space.
pub fn check_separator(
    source: &mut dyn Source,
    page_bytes: u64,
    config: &DifferentiatedEccConfig,
) -> Result<SeparatorCheck, SimError> {
    let numbers = number_pages(source, page_bytes)?;
    let mut check = Check::new(config, numbers);
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            check.request(request, page_bytes)?;
        }
    }
    source.rewind()?;
    Ok(check.finish(page_bytes))
}

/// The pages of a request that reads or writes.
fn pages_of(request: &Request, page_bytes: u64) -> Option<(Access, std::ops::Range<u64>)> {
    let access = match request.operation {
        Operation::Read => Access::Read,
        Operation::Write | Operation::Overwrite => Access::Write,
        Operation::Trim | Operation::Flush | Operation::UpdateHandle => return None,
    };
    (request.length_bytes > 0)
        .then(|| (access, request.offset_bytes / page_bytes..request.end_bytes().div_ceil(page_bytes)))
}

/// Distinct pages, in the order in which they are touched.
fn number_pages(source: &mut dyn Source, page_bytes: u64) -> Result<HashMap<u64, Lpn>, SimError> {
    let mut numbers = HashMap::new();
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for (_, pages) in batch.requests.iter().filter_map(|request| pages_of(request, page_bytes)) {
            for page in pages {
                let next = Lpn(numbers.len() as u32);
                numbers.entry(page).or_insert(next);
            }
        }
    }
    source.rewind()?;
    Ok(numbers)
}

struct Check {
    numbers: HashMap<u64, Lpn>,
    /// Pages by number: what the filters hash.
    touched: Vec<Lpn>,
    filters: Separator,
    same_life: Separator,
    since_start: History,
    m: f64,
    random: Xoshiro256PlusPlus,
    /// By who asks, and by the reference.
    counts: [[[[u64; 4]; 4]; 2]; 2],
    accesses: [u64; 2],
    same_decisions: u64,
}

impl Check {
    fn new(config: &DifferentiatedEccConfig, numbers: HashMap<u64, Lpn>) -> Check {
        let pages = numbers.len() as u32;
        let exact = SeparatorConfig { filters: Filters::Exact, ..config.separator.clone() };
        let bloom = SeparatorConfig { filters: Filters::Bloom, ..config.separator.clone() };
        Check {
            touched: Vec::with_capacity(numbers.len()),
            numbers,
            filters: Separator::new(&bloom, pages),
            same_life: Separator::new(&exact, pages),
            since_start: History::new(HistoryKind::SinceStart, pages),
            m: config.m,
            random: Xoshiro256PlusPlus::seed_from_u64(1),
            counts: Default::default(),
            accesses: [0; 2],
            same_decisions: 0,
        }
    }

    fn request(&mut self, request: &Request, page_bytes: u64) -> Result<(), SimError> {
        let Some((access, pages)) = pages_of(request, page_bytes) else { return Ok(()) };
        self.filters.begin_request();
        self.same_life.begin_request();
        for page in pages {
            let lpn = Lpn::try_from(page).map_err(|_| {
                SimError::Options(format!(
                    "page {page} of {page_bytes} bytes is beyond the 2^32 that a drive can number; use larger pages"
                ))
            })?;
            self.access(lpn, access);
        }
        Ok(())
    }

    fn access(&mut self, lpn: Lpn, access: Access) {
        let number = self.numbers[&u64::from(lpn)];
        if number.index() == self.touched.len() {
            self.touched.push(lpn);
        }
        self.accesses[access as usize] += 1;
        self.filters.hear(lpn, access);
        self.same_life.hear(number, access);
        self.since_start.hear(number, access);
        if access == Access::Write {
            let decisions = (
                self.filters.hotness(lpn).favours_low_cost(self.m),
                self.same_life.hotness(number).favours_low_cost(self.m),
            );
            self.same_decisions += u64::from(decisions.0 == decisions.1);
        }
        self.ask(0, number);
        let drawn = (u64::from(self.random.next_u32()) * self.touched.len() as u64) >> 32;
        self.ask(1, Lpn(drawn as u32));
    }

    fn ask(&mut self, who: usize, number: Lpn) {
        let found = self.filters.hotness(self.touched[number.index()]).class() as usize;
        let same_life = self.same_life.hotness(number).class() as usize;
        let since_start = match self.since_start.usage(number) {
            Usage::Unknown => Class::Unknown,
            Usage::ReadOnly => Class::ReadOnly,
            Usage::WriteOnly => Class::WriteOnly,
            Usage::Interleaved => Class::Overlapped,
        } as usize;
        self.counts[who][0][same_life][found] += 1;
        self.counts[who][1][since_start][found] += 1;
    }

    fn finish(self, page_bytes: u64) -> SeparatorCheck {
        let tables = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(who, reference): (usize, usize)| {
            Confusion::new(
                ["accessed", "at-rest"][who],
                ["same-life", "since-start"][reference],
                self.counts[who][reference],
            )
        });
        let writes = self.accesses[1];
        SeparatorCheck {
            page_bytes,
            pages: self.touched.len() as u64,
            accesses: self.accesses,
            filter_bytes: self.filters.bytes(),
            false_hits: self.filters.false_hits(),
            same_decisions: (writes > 0).then(|| self.same_decisions as f64 / writes as f64),
            tables: tables.to_vec(),
        }
    }
}
