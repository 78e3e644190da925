//! The properties of a trace: footprint, mix and sizes, rewrite distances, arrivals, content, and
//! where reads and writes meet. One file an analysis.
//!
//! The trace is streamed twice: once for its extent and duration, once for everything else. Memory:
//! about 100 bytes for each distinct page of 4 KiB, and less than a megabyte beside. Where the content is known, 120 bytes for each page write that
//! programs a page in addition, up to those of a drive of 10,485,760 pages (1.2 GB). The same trace
//! gives the same figures, whatever the machine.

mod access_counts;
mod arrivals;
mod content;
mod footprint;
mod histogram;
mod overlap;
pub(crate) mod page_table;
mod request_sizes;
mod rewrites;
mod space;

use serde::Serialize;

use crate::error::TraceError;
use crate::jumps::ClockJump;
use crate::operation::Operation;
use crate::request::{Batch, Fingerprint, Request};
use crate::source::{Description, Omissions, Source};
use access_counts::{Access, AccessCounts};
use space::Space;

pub use arrivals::{Arrivals, Interval};
pub use content::{CLASSES, Content, DRIVE_PAGES, Moment, Part, PopularityClass, Recycling};
pub use footprint::{Region, Regions, Roles};
pub use histogram::Class;
pub use overlap::{OVERLAP_PAGE_BYTES, Overlap};
pub use request_sizes::OperationSizes;
pub use rewrites::Rewrites;
pub use space::VolumeExtent;

/// The page that all analyses but the overlap count in: 4 KiB. A page touched in part counts as
/// touched.
pub const PAGE_BYTES: u64 = crate::info::INFO_PAGE_BYTES;

/// Intervals of the arrivals.
const INTERVALS: u64 = 240;
/// Regions of the footprint.
const REGIONS: u64 = 96;
/// Intervals and cells of the overlap.
const OVERLAP_GRID: (u64, u64) = (80, 48);

/// Everything that is found out about a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The trace that was analysed.
    pub description: Description,
    /// Lines and requests left out in reading.
    pub omissions: Omissions,
    /// Why no rate can be taken from the times, if none can.
    pub clock_jump: Option<ClockJump>,
    /// Size of the pages that are counted: 4 KiB, in `overlap` 8 KiB.
    pub page_bytes: u64,
    /// Mix and sizes, by operation.
    pub operations: Vec<OperationSizes>,
    /// Distinct pages over the address space.
    pub footprint: Regions,
    /// Distances between writes of the same page.
    pub rewrites: Rewrites,
    /// Arrivals over time.
    pub arrivals: Arrivals,
    /// Where and when reads and writes meet.
    pub overlap: Overlap,
    /// Valid and invalid pages, and what recycling by content could save.
    pub content: Content,
}

/// Reads `source` twice from its beginning to its end and rewinds it.
///
/// # Errors
/// Those of the source; a read or write over 4 GiB; more than 2^32 - 1 distinct pages; volumes of
/// 2^64 bytes together.
pub fn analyse(source: &mut dyn Source) -> Result<Analysis, TraceError> {
    let space = Space::measure(source)?;
    let mut analyses = Analyses::new(space);
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            analyses.add(request, batch.content_of(request))?;
        }
    }
    let analysis = analyses.finish(source);
    source.rewind()?;
    Ok(analysis)
}

/// All analyses under way.
struct Analyses {
    space: Space,
    now_ns: u64,
    table: page_table::PageTable,
    counts: AccessCounts,
    sizes: request_sizes::RequestSizes,
    rewrites: rewrites::RewriteDistances,
    arrivals: arrivals::ArrivalCounts,
    meetings: overlap::Meetings,
    contents: content::Contents,
}

impl Analyses {
    fn new(space: Space) -> Self {
        let (intervals, cells) = OVERLAP_GRID;
        let arrivals = arrivals::ArrivalCounts::new(space.interval_ns(INTERVALS), space.last_ns);
        let meetings = overlap::Meetings::new(
            space.interval_ns(intervals),
            space.last_ns,
            space.cell_pages(cells),
            space.pages,
        );
        let contents = content::Contents::new(space.page_writes, space.has_content, DRIVE_PAGES);
        Self {
            space,
            now_ns: 0,
            table: page_table::PageTable::default(),
            counts: AccessCounts::default(),
            sizes: request_sizes::RequestSizes::default(),
            rewrites: rewrites::RewriteDistances::default(),
            arrivals,
            meetings,
            contents,
        }
    }

    fn add(&mut self, request: &Request, content: Option<&[Fingerprint]>) -> Result<(), TraceError> {
        self.now_ns = self.now_ns.max(request.at_ns);
        self.sizes.add(request);
        self.arrivals.add(request);
        if request.length_bytes == 0 {
            return Ok(());
        }
        let access = match request.operation {
            Operation::Flush | Operation::UpdateHandle => return Ok(()),
            Operation::Trim => {
                let pages = self.space.whole_pages_of(request);
                self.contents.trim(pages, &self.table);
                return Ok(());
            }
            Operation::Read => Access::Read,
            Operation::Write | Operation::Overwrite => Access::Write,
        };
        let pages = self.space.pages_of(request);
        self.meetings.add(self.now_ns, pages.clone(), access)?;
        let whole = request.whole_pages(PAGE_BYTES);
        for (index, page) in pages.enumerate() {
            let number = self.table.number(page)?;
            self.counts.add(number, access);
            // A fingerprint of a part of a page does not tell the page's content.
            let print = content
                .filter(|_| whole.contains(&(request.offset_bytes / PAGE_BYTES + index as u64)))
                .and_then(|content| content.get(index).copied());
            if request.operation.is_write() {
                self.rewrites.write(number);
                self.contents.write(number, print, self.now_ns);
            } else {
                self.contents.read(number, print);
            }
        }
        Ok(())
    }

    fn finish(self, source: &dyn Source) -> Analysis {
        Analysis {
            description: source.description(),
            omissions: source.omissions(),
            clock_jump: source.jumps().doubt(),
            page_bytes: PAGE_BYTES,
            operations: self.sizes.finish(),
            footprint: footprint::regions(&self.space, source.volumes(), &self.table, &self.counts, REGIONS),
            rewrites: self.rewrites.finish(),
            arrivals: self.arrivals.finish(),
            overlap: self.meetings.finish(),
            content: self.contents.finish(),
        }
    }
}
