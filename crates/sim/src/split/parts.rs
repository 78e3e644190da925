//! All parts of a drive: pages out, figures in.

use std::ops::Range;

use rewear_ftl::Ftl;
use rewear_trace::{Operation, PageCutter, Request};

use super::ByParts;
use super::part::{Part, Run, Step, Worker};
use crate::error::SimError;
use crate::halves::Halves;

/// The parts of a drive at work.
#[derive(Debug)]
pub(crate) struct Parts {
    workers: Vec<Worker>,
    by_parts: ByParts,
}

impl Parts {
    /// Part `p` holds the pages whose number leaves `p` when divided by the number of parts.
    pub(super) fn new(parts: Vec<Ftl>) -> Parts {
        let by_parts = ByParts::new(parts.len() as u32);
        Parts { workers: parts.into_iter().map(Worker::new).collect(), by_parts }
    }

    /// Writes a page, which lies within the drive.
    #[inline]
    pub(crate) fn write_page(&mut self, page: u32) {
        self.ask(page..page + 1, Step::Write);
    }

    /// Serves a request, which lies within the drive. Returns the pages that it writes.
    #[inline]
    pub(crate) fn serve(&mut self, request: &Request, cutter: &PageCutter) -> u64 {
        match request.operation {
            Operation::Write | Operation::Overwrite => return self.write(request, cutter),
            Operation::Read => self.ask(pages_of(request, cutter), Step::Read),
            Operation::Trim => {
                let pages = request.whole_pages(cutter.page_bytes());
                self.ask(pages.start as u32..pages.end as u32, Step::Trim);
            }
            // Nothing is buffered, and drives of several cores have no streams of a host.
            Operation::Flush | Operation::UpdateHandle => {}
        }
        0
    }

    #[inline]
    fn write(&mut self, request: &Request, cutter: &PageCutter) -> u64 {
        let (first, page_bytes) = (cutter.page_of(request.offset_bytes), cutter.page_bytes());
        if request.length_bytes == page_bytes && request.offset_bytes == first * page_bytes {
            // The most frequent request.
            self.write_page(first as u32);
            return 1;
        }
        let touched = pages_of(request, cutter);
        let mut whole = touched.clone();
        if !whole.is_empty() && !covers(request, cutter, whole.start) {
            self.ask(whole.start..whole.start + 1, Step::WritePart);
            whole.start += 1;
        }
        let has_end = !whole.is_empty() && !covers(request, cutter, whole.end - 1);
        whole.end -= u32::from(has_end);
        self.ask(whole.clone(), Step::Write);
        if has_end {
            self.ask(whole.end..whole.end + 1, Step::WritePart);
        }
        touched.len() as u64
    }

    /// Asks all parts that have pages of a range.
    #[inline]
    fn ask(&mut self, pages: Range<u32>, step: impl Fn(Run) -> Step) {
        if pages.len() == 1 {
            let (part, first) = self.by_parts.place(pages.start);
            return self.workers[part].ask(step(Run { first, pages: 1 }));
        }
        for (part, worker) in self.workers.iter_mut().enumerate() {
            let run = self.by_parts.in_part(part, &pages);
            if !run.is_empty() {
                worker.ask(step(Run { first: run.start, pages: run.end - run.start }));
            }
        }
    }

    /// Keeps the erases of now: so many pages are written.
    pub(crate) fn sample(&mut self, pages_written: u64) {
        self.workers.iter_mut().for_each(|worker| worker.ask(Step::Sample(pages_written)));
    }

    /// Has `whole` show what the parts have done.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn gather(&mut self, whole: &mut Ftl) -> Result<(), SimError> {
        self.look(|parts| whole.gather(parts.iter().map(|part| &part.ftl)))
    }

    /// Starts all counts anew, with those of `whole`.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn reset_counters(&mut self, whole: &mut Ftl) -> Result<(), SimError> {
        self.look(|parts| {
            whole.gather(parts.iter().map(|part| &part.ftl));
            whole.reset_counters();
            for part in parts {
                part.ftl.reset_counters();
                part.halves = Halves::new();
            }
        })
    }

    /// Adds the erases that were kept.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn add_samples(&mut self, halves: &mut Halves) -> Result<(), SimError> {
        self.look(|parts| parts.iter().for_each(|part| halves.add(&part.halves)))
    }

    /// Logical pages that hold data.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn pages_held(&mut self) -> Result<u64, SimError> {
        self.look(|parts| parts.iter().map(|part| part.ftl.pages_held()).sum())
    }

    /// Looks at the parts once all of them have done what they were asked for.
    fn look<R>(&mut self, look: impl FnOnce(&mut [Box<Part>]) -> R) -> Result<R, SimError> {
        self.workers.iter_mut().for_each(Worker::call_in);
        let mut parts: Vec<_> = self.workers.iter_mut().map(Worker::part).collect();
        if parts.iter().any(|part| part.failure.is_some()) {
            return Err(SimError::PartStopped);
        }
        let seen = look(&mut parts);
        self.workers.iter().zip(parts).for_each(|(worker, part)| worker.give_back(part));
        Ok(seen)
    }
}

/// The pages that a request touches, all of which the drive has.
#[inline]
fn pages_of(request: &Request, cutter: &PageCutter) -> Range<u32> {
    let first = cutter.page_of(request.offset_bytes) as u32;
    match request.length_bytes {
        0 => first..first,
        _ => first..cutter.page_of(request.end_bytes() - 1) as u32 + 1,
    }
}

/// Whether a request that touches a page covers it, in whole sectors.
#[inline]
fn covers(request: &Request, cutter: &PageCutter, page: u32) -> bool {
    let start = (u64::from(page) * cutter.page_bytes()).max(request.offset_bytes);
    let piece = cutter.pieces(start, request.end_bytes() - start).next();
    piece.is_some_and(|piece| piece.covers_page_in_sectors(cutter.page_bytes()))
}
