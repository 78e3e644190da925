//! All parts of a drive: pages out, figures in.

use std::ops::Range;

use rewear_flash::Nanos;
use rewear_ftl::Ftl;
use rewear_ftl::host::Coverage;
use rewear_trace::{Operation, PageCutter, Request};

use super::ByParts;
use super::answers::Answers;
use super::part::{Answer, Asked, Part, Run, Step, Worker};
use crate::error::SimError;
use crate::host::Served;

/// The parts of a drive at work.
#[derive(Debug)]
pub(crate) struct Parts {
    workers: Vec<Worker>,
    by_parts: ByParts,
    answers: Answers,
}

impl Parts {
    /// Part `p` holds the pages whose number leaves `p` when divided by the number of parts.
    pub(super) fn new(parts: Vec<Ftl>, keeps_time: bool) -> Parts {
        Parts {
            by_parts: ByParts::new(parts.len() as u32),
            answers: Answers::new(parts.len(), keeps_time),
            workers: parts.into_iter().map(Worker::new).collect(),
        }
    }

    /// Writes a page, which lies within the drive, before the workload begins.
    #[inline]
    pub(crate) fn write_page(&mut self, page: u32) {
        let (operation, coverage, answer) = (Operation::Write, Coverage::Whole, Answer::Nobody);
        self.ask(page..page + 1, Asked { at: 0, operation, coverage, answer });
    }

    /// Serves a request, or a part of one that was torn apart, which lies within the drive and
    /// arrives at `at`. Returns the pages that it writes.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    #[inline]
    pub(crate) fn serve(
        &mut self,
        request: &Request,
        at: Nanos,
        cutter: &PageCutter,
    ) -> Result<u64, SimError> {
        if self.answers.are_many() {
            self.look(|_| ())?;
        }
        let (operation, pages) = (request.operation, pages_of(request, cutter));
        let answer = self.answers.begin(request, at, pages.len());
        let asked = Asked { at, operation, coverage: Coverage::Whole, answer };
        match operation {
            Operation::Write | Operation::Overwrite => {
                self.write(request, pages.clone(), asked, cutter);
                return Ok(pages.len() as u64);
            }
            Operation::Read => self.ask(pages, asked),
            Operation::Trim => {
                let pages = request.whole_pages(cutter.page_bytes());
                self.ask(pages.start as u32..pages.end as u32, asked);
            }
            // Nothing is buffered, and drives of several cores have no streams of a host.
            Operation::Flush | Operation::UpdateHandle => {}
        }
        Ok(0)
    }

    #[inline]
    fn write(&mut self, request: &Request, pages: Range<u32>, asked: Asked, cutter: &PageCutter) {
        let (page_bytes, mut whole) = (cutter.page_bytes(), pages);
        let in_part = Asked { coverage: Coverage::Part, ..asked };
        let is_page =
            request.length_bytes == page_bytes && request.offset_bytes == u64::from(whole.start) * page_bytes;
        // The most frequent request is a page.
        if !is_page && !whole.is_empty() && !covers(request, cutter, whole.start) {
            self.ask(whole.start..whole.start + 1, in_part);
            whole.start += 1;
        }
        let has_end = !is_page && !whole.is_empty() && !covers(request, cutter, whole.end - 1);
        whole.end -= u32::from(has_end);
        self.ask(whole.clone(), asked);
        if has_end {
            self.ask(whole.end..whole.end + 1, in_part);
        }
    }

    /// Asks all parts that have pages of a range. In line: what is asked stays in registers until it
    /// is written down, since what was just stored by bytes would be waited for when it is copied.
    #[inline(always)]
    fn ask(&mut self, pages: Range<u32>, asked: Asked) {
        if pages.len() == 1 {
            let (part, first) = self.by_parts.place(pages.start);
            return self.ask_part(part, Run { first, pages: 1 }, asked);
        }
        for part in 0..self.workers.len() {
            let run = self.by_parts.in_part(part, &pages);
            if !run.is_empty() {
                self.ask_part(part, Run { first: run.start, pages: run.end - run.start }, asked);
            }
        }
    }

    #[inline(always)]
    fn ask_part(&mut self, part: usize, run: Run, asked: Asked) {
        self.workers[part].ask(Step::Serve(run, asked));
        if asked.answer == Answer::Together {
            self.answers.asked(part);
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
                part.served.restart();
            }
        })
    }

    /// Adds the answers of all parts, and the erases that were kept.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn add_served(&mut self, served: &mut Served) -> Result<(), SimError> {
        self.look(|parts| parts.iter().for_each(|part| served.add(&part.served)))
    }

    /// Does something to each part.
    ///
    /// # Errors
    /// [`SimError::PartStopped`].
    pub(crate) fn each(&mut self, act: impl Fn(&mut Ftl)) -> Result<(), SimError> {
        self.look(|parts| parts.iter_mut().for_each(|part| act(&mut part.ftl)))
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
        self.answers.settle(&mut parts);
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
