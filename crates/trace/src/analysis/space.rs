//! The address space and the duration of a trace, from a first pass over it.
//!
//! Volumes are laid one behind the other, so that one page number names a page of the whole trace.

use std::ops::Range;

use serde::Serialize;

use crate::error::{ErrorKind, Place, TraceError};
use crate::operation::Operation;
use crate::request::{Batch, Request};
use crate::source::Source;

use super::PAGE_BYTES;

/// Volumes begin at multiples of this many pages (1 MiB), so that larger pages do not straddle two
/// volumes.
const ALIGNMENT_PAGES: u64 = 256;

/// Where a volume lies in the address space of an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeExtent {
    /// The volume's name; empty where there is only one without a name.
    pub name: String,
    /// Where its address 0 lies.
    pub first_byte: u64,
    /// The first byte behind all its reads and writes.
    pub bytes: u64,
}

/// Results of the first pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    /// For each volume its first page and its pages.
    volumes: Vec<(u64, u64)>,
    /// Pages of all volumes, with the gaps that align them.
    pub(crate) pages: u64,
    /// The latest arrival.
    pub(crate) last_ns: u64,
    /// Pages that are written, each time counted.
    pub(crate) page_writes: u64,
    /// Whether the content of any read or write is known.
    pub(crate) has_content: bool,
}

impl Space {
    /// Reads `source` from its beginning to its end and rewinds it.
    ///
    /// # Errors
    /// Those of the source; a read or write over 4 GiB; volumes that exceed 2^64 bytes together.
    pub(crate) fn measure(source: &mut dyn Source) -> Result<Self, TraceError> {
        source.rewind()?;
        let mut space = Self::default();
        let mut batch = Batch::default();
        let mut done = 0u64;
        while source.fill(&mut batch)? > 0 {
            for request in &batch.requests {
                done += 1;
                space.add(request).map_err(|error| error.at(Place::Record(done)))?;
                space.has_content |= batch.content_of(request).is_some();
            }
        }
        source.rewind()?;
        space.lay_out()?;
        Ok(space)
    }

    fn add(&mut self, request: &Request) -> Result<(), TraceError> {
        self.last_ns = self.last_ns.max(request.at_ns);
        if !request.operation.has_range() || request.operation == Operation::Trim || request.length_bytes == 0
        {
            return Ok(());
        }
        if request.length_bytes > request.operation.longest_bytes() {
            return Err(TraceError::new(
                ErrorKind::Malformed,
                format!("a request of {} bytes is longer than any device takes", request.length_bytes),
                "check the format of the trace and its unit of lengths",
            ));
        }
        if request.operation.is_write() {
            let pages = request.pages(PAGE_BYTES);
            self.page_writes += pages.end - pages.start;
        }
        let volume = usize::from(request.volume);
        if volume >= self.volumes.len() {
            self.volumes.resize(volume + 1, (0, 0));
        }
        let pages = &mut self.volumes[volume].1;
        *pages = (*pages).max(request.pages(PAGE_BYTES).end);
        Ok(())
    }

    fn lay_out(&mut self) -> Result<(), TraceError> {
        let limit = u64::MAX / PAGE_BYTES;
        for (first, pages) in &mut self.volumes {
            *first = self.pages;
            let behind = self.pages + pages.next_multiple_of(ALIGNMENT_PAGES);
            if behind > limit {
                return Err(TraceError::new(
                    ErrorKind::DoesNotFit,
                    "the volumes of the trace have more than 2^64 bytes of addresses together",
                    "choose one volume",
                ));
            }
            self.pages = behind;
        }
        Ok(())
    }

    /// The pages of a request, numbered over all volumes and cut off behind the last page read or
    /// written.
    pub(crate) fn pages_of(&self, request: &Request) -> Range<u64> {
        self.clipped(request.volume, request.pages(PAGE_BYTES))
    }

    /// The pages that a request covers wholly, numbered and cut off in the same way.
    pub(crate) fn whole_pages_of(&self, request: &Request) -> Range<u64> {
        self.clipped(request.volume, request.whole_pages(PAGE_BYTES))
    }

    fn clipped(&self, volume: u16, pages: Range<u64>) -> Range<u64> {
        let (first, count) = self.volumes.get(usize::from(volume)).copied().unwrap_or_default();
        let (start, end) = (pages.start.min(count), pages.end.min(count));
        first + start..first + end.max(start)
    }

    /// The volumes that were read or written, with their names.
    pub(crate) fn extents(&self, names: &[String]) -> Vec<VolumeExtent> {
        let extent = |(index, &(first, pages)): (usize, &(u64, u64))| VolumeExtent {
            name: names.get(index).cloned().unwrap_or_default(),
            first_byte: first * PAGE_BYTES,
            bytes: pages * PAGE_BYTES,
        };
        self.volumes.iter().enumerate().filter(|(_, (_, pages))| *pages > 0).map(extent).collect()
    }

    /// The width that divides the pages into at most `cells` cells; a multiple of two pages (8
    /// KiB).
    pub(crate) fn cell_pages(&self, cells: u64) -> u64 {
        self.pages.div_ceil(cells).max(1).next_multiple_of(2)
    }

    /// The width that divides the duration into at most `intervals` intervals.
    pub(crate) fn interval_ns(&self, intervals: u64) -> u64 {
        (self.last_ns / intervals) + 1
    }
}
