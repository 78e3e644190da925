//! A sample of the pages of a workload, for a drive that is smaller by as much.
//!
//! Spatial sampling (Waldspurger, Park, Garthwaite, Ahmad: "Efficient MRC Construction with SHARDS",
//! FAST '15; miniature simulation: Waldspurger, Saemundsson, Ahmad, Park, USENIX ATC '17): a page is
//! in the sample or it is not, for the whole run. Here one page of each group of neighbours is
//! picked ([`picked`]), and writes of pages that are written again and again are sampled by writes
//! ([`frequent`]).

mod frequent;
mod picked;

use crate::error::{ErrorKind, TraceError};
use crate::operation::Operation;
use crate::request::{Batch, Request};
use crate::source::{Description, GoOn, Omissions, Source};
use frequent::Frequent;
use picked::Picked;

/// The whole that a sample is taken of, and the sample's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Logical pages that requests may address, fewer than 2^32.
    pub pages: u64,
    /// Bytes of a logical page.
    pub page_bytes: u64,
    /// Pools of the drive, over which the pages of a request are spread; at least 1.
    pub pools: u64,
    /// Of so many neighbours at most one is sampled.
    pub group_pages: u64,
    /// Pages of the sample, no more than there are whole groups. They have the numbers from 0 on;
    /// the page behind them stands for all others that are written again and again.
    pub sampled_pages: u64,
    /// A page counts as written again and again if it was written no more than so many page writes
    /// before. A power of two.
    pub reach: u32,
    /// Which pages are picked.
    pub seed: u64,
}

/// Counts of a sample since the last rewind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// Page writes of the workload.
    pub page_writes: u64,
    /// Of these, writes of pages that were written shortly before.
    pub frequent_writes: u64,
    /// Page writes of the sample.
    pub sampled_writes: u64,
    /// For every page write, the pages that its request writes to the same pool, itself included.
    pub pool_mates: u64,
}

/// For every page of a request of so many pages, those of them in the same pool: the sum.
fn pool_mates(pages: u64, pools: u64) -> u64 {
    let (all, more) = (pages / pools, pages % pools);
    more * (all + 1).pow(2) + (pools - more) * all.pow(2)
}

/// The part of a source's requests that goes to the pages of a sample.
///
/// A request becomes the pieces of it that lie on sampled pages, neighbours in one piece; most have
/// none and vanish. Each piece carries the length of its request ([`Batch::asked_bytes`]). Of the
/// flushes one of each group is kept, of the updates of handles all. Content is left out: equal contents on two pages would need
/// both of them in the sample.
pub struct Sample<S> {
    source: S,
    sampling: Sampling,
    picked: Picked,
    frequent: Frequent,
    incoming: Batch,
    /// The request of `incoming` that comes next, and its page that does.
    next: (usize, u64),
    /// Flushes since one was kept.
    flushes: u64,
    sampled: Sampled,
    /// An error that waits until all before it has been delivered, and whether it was.
    failure: Option<TraceError>,
    failed: bool,
}

impl<S: Source> Sample<S> {
    /// A sample of `source`.
    ///
    /// # Errors
    /// A sampling that cannot be: no page, more sampled pages than groups, a reach that is no power
    /// of two.
    pub fn new(source: S, sampling: Sampling) -> Result<Self, TraceError> {
        let Sampling { pages, page_bytes, pools, group_pages, sampled_pages, reach, seed } = sampling;
        let groups = pages.checked_div(group_pages).unwrap_or(0);
        let fits = (1..=groups).contains(&sampled_pages) && pages < 1 << 32 && page_bytes > 0 && pools > 0;
        if !fits || !reach.is_power_of_two() || reach > 1 << 30 {
            return Err(TraceError::parameter(
                format!("{sampled_pages} of {pages} pages cannot be sampled, one of each {group_pages}"),
                "give fewer sampled pages, and a reach that is a power of two up to 2^30",
            ));
        }
        Ok(Self {
            source,
            sampling,
            picked: Picked::new(pages, group_pages, sampled_pages, seed),
            frequent: Frequent::new(reach, sampled_pages, pages),
            incoming: Batch::default(),
            next: (0, 0),
            flushes: 0,
            sampled: Sampled::default(),
            failure: None,
            failed: false,
        })
    }

    /// Counts of the sample since the last rewind.
    pub fn sampled(&self) -> Sampled {
        self.sampled
    }

    /// Fills a batch.
    fn advance(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<(), TraceError> {
        while !batch.is_full() {
            if self.next.0 == self.incoming.requests.len() {
                self.next = (0, 0);
                if self.source.fill_watched(&mut self.incoming, go_on)? == 0 {
                    break;
                }
                if !go_on(self.source.progress()) {
                    return Err(TraceError::interrupted());
                }
            }
            if self.deliver(batch)? {
                self.next = (self.next.0 + 1, 0);
            }
        }
        Ok(())
    }

    /// Moves what is sampled of the current request into the batch until it is full; returns
    /// whether the request is finished.
    fn deliver(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        let request = self.incoming.requests[self.next.0];
        let exported_bytes = self.sampling.pages * self.sampling.page_bytes;
        if request.end_bytes() > exported_bytes && request.length_bytes > 0 {
            return Err(TraceError::new(
                ErrorKind::DoesNotFit,
                format!(
                    "the workload reaches byte {}, but the drive exports {exported_bytes} bytes",
                    request.end_bytes()
                ),
                "use a larger drive, or fit the trace: fit dense renumbers the touched pages",
            ));
        }
        match request.operation {
            Operation::Write | Operation::Overwrite => return Ok(self.write(&request, batch)),
            Operation::Read | Operation::Trim => self.stretch(&request, batch),
            // Units of the smaller drive are smaller by as much, so each update closes as many pages in
            // relation.
            Operation::UpdateHandle => batch.push_piece(request, 0),
            Operation::Flush => {
                self.flushes += 1;
                if self.flushes == self.sampling.group_pages {
                    self.flushes = 0;
                    batch.push_piece(request, 0);
                }
            }
        }
        Ok(true)
    }

    /// The sampled pages of a read or a trim: one piece, since neighbours stay neighbours.
    fn stretch(&mut self, request: &Request, batch: &mut Batch) {
        let page_bytes = self.sampling.page_bytes;
        let pages = request.pages(page_bytes);
        let numbers = self.picked.numbers(pages.clone());
        if numbers.is_empty() {
            return;
        }
        let picked = |page| self.picked.page_of_group(self.picked.group_of(page)) == Some(page);
        // The first and the last page of a request may be covered in part.
        let cut_front = if picked(pages.start) { request.offset_bytes % page_bytes } else { 0 };
        let behind = pages.end * page_bytes - request.end_bytes();
        let cut_back = if picked(pages.end - 1) { behind } else { 0 };
        let offset = numbers.start * page_bytes + cut_front;
        let length = numbers.end * page_bytes - cut_back - offset;
        if request.operation == Operation::Trim {
            let whole = crate::pages::covered_pages(offset, length, page_bytes);
            whole.for_each(|number| self.frequent.forget(number));
        }
        batch.push_piece(piece(request, offset, length), request.length_bytes);
    }

    /// The sampled pages of a write, until the batch is full; returns whether the request is
    /// finished.
    fn write(&mut self, request: &Request, batch: &mut Batch) -> bool {
        let page_bytes = self.sampling.page_bytes;
        let pages = request.pages(page_bytes);
        let mut page = self.next.1.max(pages.start);
        let mut group = self.picked.group_of(page);
        let mut group_end = (group + 1) * self.sampling.group_pages;
        let mut picked = self.picked.page_of_group(group);
        // Whether the last piece of the batch is one of this request's.
        let mut own = false;
        while page < pages.end {
            if batch.is_full() {
                self.next.1 = page;
                return false;
            }
            if page == group_end {
                group += 1;
                group_end += self.sampling.group_pages;
                picked = self.picked.page_of_group(group);
            }
            let is_frequent = self.frequent.wrote(page as u32);
            let number = (picked == Some(page)).then(|| self.picked.groups_before(group));
            if let Some(number) = self.number_to_write(number, is_frequent) {
                let start = request.offset_bytes.max(page * page_bytes);
                let end = request.end_bytes().min((page + 1) * page_bytes);
                let part = piece(request, number * page_bytes + start % page_bytes, end - start);
                match own {
                    true => batch.extend_or_push_piece(part, request.length_bytes),
                    false => batch.push_piece(part, request.length_bytes),
                }
                own = true;
                self.sampled.sampled_writes += 1;
            }
            page += 1;
        }
        let written = pages.end - pages.start;
        self.sampled.page_writes += written;
        self.sampled.pool_mates += pool_mates(written, self.sampling.pools);
        true
    }

    /// Where a page write goes in the sample, if it is taken; `number` is that of a sampled page.
    #[inline]
    fn number_to_write(&mut self, number: Option<u64>, is_frequent: bool) -> Option<u64> {
        if !is_frequent {
            number.inspect(|&number| self.frequent.forget(number))
        } else {
            self.sampled.frequent_writes += 1;
            if let Some(number) = number {
                self.frequent.waits(number);
            }
            self.frequent.is_taken().then(|| self.frequent.next_number())
        }
    }
}

/// A piece of a request at its place in the sample.
fn piece(request: &Request, offset_bytes: u64, length_bytes: u64) -> Request {
    Request::placed(request.at_ns, request.operation, (offset_bytes, length_bytes), request.stream)
}

impl<S> Sample<S> {
    /// Forgets what was read and not delivered, and what was counted.
    fn restart(&mut self) {
        self.incoming.clear();
        (self.next, self.flushes, self.sampled) = ((0, 0), 0, Sampled::default());
        (self.failure, self.failed) = (None, false);
        self.frequent.restart();
    }
}

impl<S: Source> Source for Sample<S> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        batch.clear();
        if !self.failed
            && let Err(error) = self.advance(batch, go_on)
        {
            (self.failure, self.failed) = (Some(error), true);
        }
        match self.failure.take_if(|_| batch.requests.is_empty()) {
            Some(error) => Err(error),
            None => Ok(batch.requests.len()),
        }
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.restart();
        self.source.rewind()
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.restart();
        self.source.next_pass()
    }

    fn description(&self) -> Description {
        let mut description = self.source.description();
        let separator = if description.note.is_empty() { "" } else { "; " };
        let Sampling { pages, sampled_pages, seed, .. } = self.sampling;
        description.note += &format!("{separator}{sampled_pages} of {pages} pages sampled (seed {seed})");
        description.requests = None;
        description
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.source.progress()
    }

    fn volumes(&self) -> &[String] {
        self.source.volumes()
    }

    fn omissions(&self) -> Omissions {
        self.source.omissions()
    }
}
