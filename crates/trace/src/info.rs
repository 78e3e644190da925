//! Counts of a trace's content, made in one pass.

use serde::Serialize;

use crate::error::TraceError;
use crate::footprint::Footprint;
use crate::jumps::ClockJump;
use crate::operation::Operation;
use crate::request::{Batch, Request};
use crate::source::{Description, Omissions, Source};

/// The page that [`Info`] counts in.
pub const INFO_PAGE_BYTES: u64 = 4096;

/// Counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OperationInfo {
    /// Requests.
    pub requests: u64,
    /// Their lengths together.
    pub bytes: u64,
    /// Pages of 4 KiB touched, whole or in part, every time counted.
    pub pages: u64,
    /// Pages of 4 KiB touched at least once. The pages of different volumes are different pages.
    pub distinct_pages: u64,
}

/// Counts of a trace or workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Info {
    /// Name, format and notes.
    pub description: Description,
    /// All requests.
    pub requests: u64,
    /// Those that read.
    pub read: OperationInfo,
    /// Those that write, overwrites not counted.
    pub write: OperationInfo,
    /// Those that overwrite.
    pub overwrite: OperationInfo,
    /// Those that trim.
    pub trim: OperationInfo,
    /// Flushes.
    pub flushes: u64,
    /// Updates of reclaim unit handles.
    pub handle_updates: u64,
    /// Pages of 4 KiB written or overwritten at least once.
    pub distinct_pages_written: u64,
    /// Pages of 4 KiB touched at least once by anything.
    pub distinct_pages_touched: u64,
    /// The smallest and largest arrival, in nanoseconds since time 0 of the trace.
    pub first_ns: u64,
    /// See `first_ns`.
    pub last_ns: u64,
    /// Requests that arrive earlier than the one before; a replay takes them at the largest time so
    /// far.
    pub backwards_times: u64,
    /// The first byte behind all requests: the size of the smallest drive for the trace (of one
    /// that has room for the largest volume).
    pub end_bytes: u64,
    /// Requests that do not begin and end at multiples of 4 KiB.
    pub unaligned_requests: u64,
    /// Requests other than flushes without length.
    pub empty_requests: u64,
    /// Requests whose content is known by fingerprints.
    pub requests_with_content: u64,
    /// The names of the volumes, if there are any; where there is more than one their addresses
    /// overlap.
    pub volumes: Vec<String>,
    /// Lines and requests left out in reading.
    pub omissions: Omissions,
    /// Why no rate can be taken from the times, if none can.
    pub clock_jump: Option<ClockJump>,
}

/// Reads `source` from its beginning to its end and counts; rewinds it before and afterwards.
///
/// Memory: about 16 bytes for each contiguous stretch of touched pages.
///
/// # Errors
/// Those of the source.
pub fn info(source: &mut dyn Source) -> Result<Info, TraceError> {
    source.rewind()?;
    let mut counter = Counter::default();
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            counter.count(request);
            counter.with_content += u64::from(batch.content_of(request).is_some());
        }
    }
    let info = counter.finish(source);
    source.rewind()?;
    Ok(info)
}

#[derive(Default)]
struct Counter {
    operations: [OperationInfo; Operation::ALL.len()],
    footprints: [Footprint; Operation::ALL.len()],
    written: Footprint,
    touched: Footprint,
    first_ns: Option<u64>,
    last_ns: u64,
    previous_ns: u64,
    backwards: u64,
    end_bytes: u64,
    unaligned: u64,
    empty: u64,
    with_content: u64,
}

impl Counter {
    fn count(&mut self, request: &Request) {
        let index = request.operation as usize;
        let pages = request.pages(INFO_PAGE_BYTES);
        let counts = &mut self.operations[index];
        counts.requests += 1;
        counts.bytes = counts.bytes.saturating_add(request.length_bytes);
        counts.pages = counts.pages.saturating_add(pages.end - pages.start);
        self.first_ns = Some(self.first_ns.unwrap_or(request.at_ns).min(request.at_ns));
        self.last_ns = self.last_ns.max(request.at_ns);
        self.backwards += u64::from(request.at_ns < self.previous_ns);
        self.previous_ns = request.at_ns;
        if !request.operation.has_range() {
            return;
        }
        if request.length_bytes == 0 {
            self.empty += 1;
            return;
        }
        self.end_bytes = self.end_bytes.max(request.end_bytes());
        let misaligned = !(request.offset_bytes | request.length_bytes).is_multiple_of(INFO_PAGE_BYTES);
        self.unaligned += u64::from(misaligned);
        self.footprints[index].add(request.volume, pages.clone());
        self.touched.add(request.volume, pages.clone());
        if request.operation.is_write() {
            self.written.add(request.volume, pages);
        }
    }

    fn finish(self, source: &dyn Source) -> Info {
        let mut operations = self.operations;
        for (counts, footprint) in operations.iter_mut().zip(self.footprints) {
            counts.distinct_pages = footprint.finish().total();
        }
        let [read, write, overwrite, trim, flush, update] = operations;
        let named = source.volumes().iter().filter(|name| !name.is_empty());
        Info {
            description: source.description(),
            requests: operations.iter().map(|counts| counts.requests).sum(),
            read,
            write,
            overwrite,
            trim,
            flushes: flush.requests,
            handle_updates: update.requests,
            distinct_pages_written: self.written.finish().total(),
            distinct_pages_touched: self.touched.finish().total(),
            first_ns: self.first_ns.unwrap_or(0),
            last_ns: self.last_ns,
            backwards_times: self.backwards,
            end_bytes: self.end_bytes,
            unaligned_requests: self.unaligned,
            empty_requests: self.empty,
            requests_with_content: self.with_content,
            volumes: named.cloned().collect(),
            omissions: source.omissions(),
            clock_jump: source.jumps().doubt(),
        }
    }
}
