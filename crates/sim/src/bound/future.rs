//! What a host does to logical pages, in order, and when each version of a page ends.

use rewear_ftl::shape::layout::Layout;
use rewear_trace::{Batch, Fit, Operation, Request, Source};

use crate::error::SimError;
use crate::load::Drive;
use crate::memory;
use crate::options::{FitKind, PreconditionKind, ReplayOptions, WarmUp};
use crate::replay::{Progress, Stage, dense, too_small};

/// Marks an event that is a trim.
const TRIM: u32 = 1 << 31;

/// The end of a version that lasts as long as the workload.
pub(super) const NEVER: u32 = u32::MAX;

/// Of memory for an event: here, and as many again for what placements remember of pages.
const EVENT_BYTES: u64 = 12;

/// Batches between two reports of progress.
const BATCHES_PER_STEP: u64 = 64;

/// The writes and trims of logical pages; their places in the order are the clock.
#[derive(Debug)]
pub(super) struct Future {
    events: Vec<u32>,
    /// For each event that is a write, the event with which its version ends.
    ends: Vec<u32>,
    /// The first event behind the warm-up.
    pub(super) counted_from: usize,
    /// Pages with data at a time, at most.
    pub(super) most_held: u32,
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A page is written; its version ends with this event.
    Write { page: u32, end: u32 },
    /// A page with data is trimmed.
    Trim { page: u32 },
}

impl Future {
    /// Reads a workload to its end.
    pub(super) fn read(
        drive: &Drive,
        layout: &Layout,
        source: &mut dyn Source,
        options: &ReplayOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Future, SimError> {
        let WarmUp::Requests(warm_up) = options.warm_up else {
            return Err(refused("a warm-up until the drive is steady", "give it as a number of requests"));
        };
        if options.precondition == PreconditionKind::Steady {
            return Err(refused("precondition steady", "give none or fill, and a warm-up"));
        }
        if options.until.is_some() {
            return Err(refused("passes until the drive is steady", "give a number of loops"));
        }
        if layout.exported_pages >= TRIM {
            return Err(refused("a drive of 2^31 pages or more", "give fewer flash.blocks_per_plane"));
        }
        let (granule, exported) = (u64::from(layout.logical_page_bytes), layout.exported_bytes());
        let mut reader = Reader::new(drive, layout, warm_up);
        if options.precondition == PreconditionKind::Fill {
            (0..layout.exported_pages).try_for_each(|page| reader.write(page))?;
            reader.events_at_start = reader.events.len();
        }
        match options.fit {
            None => reader.read(source, options, progress)?,
            Some(FitKind::Dense) => {
                reader.read(&mut dense(source, granule, exported, progress)?, options, progress)?;
            }
            Some(FitKind::Modulo) => {
                reader.read(&mut Fit::modulo(source, granule, exported)?, options, progress)?;
            }
        }
        Ok(reader.finish())
    }

    /// Events in all.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// An event.
    pub(super) fn event(&self, at: usize) -> Event {
        let word = self.events[at];
        match word & TRIM {
            0 => Event::Write { page: word, end: self.ends[at] },
            _ => Event::Trim { page: word & !TRIM },
        }
    }

    /// When the versions written by events from `at` to `until` end, in any order.
    pub(super) fn ends(&self, at: usize, until: usize) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.events[at..until].iter().zip(&self.ends[at..until]);
        pairs.filter(|&(word, _)| word & TRIM == 0).map(|(_, &end)| end)
    }

    /// Pages written behind the warm-up.
    pub(super) fn pages_counted(&self) -> u64 {
        self.ends(self.counted_from, self.len()).count() as u64
    }
}

/// Gathers events.
struct Reader<'a> {
    drive: &'a Drive,
    page_bytes: u64,
    exported_bytes: u64,
    events: Vec<u32>,
    /// Whether each page holds data, how many do, and did at most.
    holds: Vec<bool>,
    held: u32,
    most_held: u32,
    /// Events of the filling, which do not count.
    events_at_start: usize,
    /// Requests of the warm-up that are still to come.
    warm_up_left: u64,
    counted_from: Option<usize>,
    most_events: u64,
}

impl<'a> Reader<'a> {
    fn new(drive: &'a Drive, layout: &Layout, warm_up: u64) -> Reader<'a> {
        let by_memory = memory::available_bytes().map_or(u64::MAX, |bytes| bytes / EVENT_BYTES);
        Reader {
            drive,
            page_bytes: u64::from(layout.logical_page_bytes),
            exported_bytes: layout.exported_bytes(),
            events: Vec::new(),
            holds: vec![false; layout.exported_pages as usize],
            held: 0,
            most_held: 0,
            events_at_start: 0,
            warm_up_left: warm_up,
            counted_from: None,
            most_events: by_memory.min(u64::from(NEVER)),
        }
    }

    fn read(
        &mut self,
        source: &mut dyn Source,
        options: &ReplayOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), SimError> {
        let mut batch = Batch::default();
        let mut left = options.max_requests.unwrap_or(u64::MAX);
        let mut batches = 0u64;
        for pass in 0..options.loops {
            if pass == 0 { source.rewind() } else { source.next_pass() }?;
            let mut go_on = |at: Option<(u64, u64)>| {
                let (done, total) = at.map_or((0, None), |(done, all)| (done, Some(all)));
                progress(Progress { stage: Stage::Read, done, total })
            };
            while left > 0 && source.fill_watched(&mut batch, &mut go_on)? > 0 {
                let (wanted, whole) = batch.first(left);
                for request in &batch.requests[..wanted] {
                    if request.end_bytes() > self.exported_bytes {
                        return Err(too_small(
                            self.drive,
                            source,
                            request.end_bytes(),
                            self.exported_bytes,
                            &mut go_on,
                        )?);
                    }
                    self.request(request)?;
                }
                left -= whole;
                batches += 1;
                if batches.is_multiple_of(BATCHES_PER_STEP) && !go_on(source.progress()) {
                    return Err(SimError::Interrupted);
                }
            }
        }
        Ok(())
    }

    fn request(&mut self, request: &Request) -> Result<(), SimError> {
        match request.operation {
            Operation::Write | Operation::Overwrite => {
                request.pages(self.page_bytes).try_for_each(|page| self.write(page as u32))?;
            }
            Operation::Trim => {
                request.whole_pages(self.page_bytes).try_for_each(|page| self.trim(page as u32))?;
            }
            Operation::Read | Operation::Flush | Operation::UpdateHandle => {}
        }
        if self.warm_up_left > 0 && !request.torn {
            self.warm_up_left -= 1;
            if self.warm_up_left == 0 {
                self.counted_from = Some(self.events.len());
            }
        }
        Ok(())
    }

    fn write(&mut self, page: u32) -> Result<(), SimError> {
        let holds = &mut self.holds[page as usize];
        self.held += u32::from(!*holds);
        *holds = true;
        self.most_held = self.most_held.max(self.held);
        self.push(page)
    }

    /// Trims of pages without data are no events.
    fn trim(&mut self, page: u32) -> Result<(), SimError> {
        if !std::mem::replace(&mut self.holds[page as usize], false) {
            return Ok(());
        }
        self.held -= 1;
        self.push(page | TRIM)
    }

    fn push(&mut self, word: u32) -> Result<(), SimError> {
        if self.events.len() as u64 >= self.most_events {
            return Err(SimError::Options(format!(
                "the workload writes more than {} pages, and the memory holds no more with the future \
                 known; replay fewer requests, or a part of the trace",
                self.most_events
            )));
        }
        self.events.push(word);
        Ok(())
    }

    /// Walks backwards: the next event of a page ends the version that an earlier one wrote.
    fn finish(self) -> Future {
        let mut next = vec![NEVER; self.holds.len()];
        let mut ends = vec![NEVER; self.events.len()];
        for (at, word) in self.events.iter().enumerate().rev() {
            let next = &mut next[(word & !TRIM) as usize];
            ends[at] = std::mem::replace(next, at as u32);
        }
        // A warm-up longer than the workload leaves nothing, as in a replay.
        let counted_from = match (self.warm_up_left, self.counted_from) {
            (0, None) => self.events_at_start,
            (0, Some(from)) => from,
            _ => self.events.len(),
        };
        Future { events: self.events, ends, counted_from, most_held: self.most_held }
    }
}

fn refused(what: &str, remedy: &str) -> SimError {
    SimError::Options(format!("{what} cannot be had where the future is known beforehand; {remedy}"))
}

#[cfg(test)]
impl Future {
    /// Of writes to these pages in order.
    pub(super) fn of_writes(pages: &[u32], exported: u32) -> Future {
        let mut next = vec![NEVER; exported as usize];
        let mut ends = vec![NEVER; pages.len()];
        for (at, &page) in pages.iter().enumerate().rev() {
            ends[at] = std::mem::replace(&mut next[page as usize], at as u32);
        }
        let mut seen: Vec<u32> = pages.to_vec();
        seen.sort_unstable();
        seen.dedup();
        Future { events: pages.to_vec(), ends, counted_from: 0, most_held: seen.len() as u32 }
    }
}
