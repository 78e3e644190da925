//! The host of a drive: what all that bring it requests do alike, whether they replay a trace or
//! serve bytes.
//!
//! A request arrives ([`arrival`](crate::arrival)), is cut into pages
//! ([`PageCutter`](rewear_trace::PageCutter)), is served page by page ([`Bytes`], or a replay's made-up
//! contents), and is counted ([`Served`]).

use rewear_flash::Nanos;
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_ftl::{Ftl, FtlError, Lpn};
use rewear_trace::{Operation, Piece, Pieces};

use crate::halves::Halves;
use crate::report::RequestCounts;
use crate::statistics::Latency;

/// What was served.
#[derive(Debug, Default)]
pub struct Served {
    /// Requests and bytes.
    pub requests: RequestCounts,
    /// Response times of reads.
    pub reads: Latency,
    /// Response times of writes.
    pub writes: Latency,
    /// How long flushes waited.
    pub flushes: Latency,
    /// Erases in the course of the writes.
    pub halves: Halves,
    /// When the last write so far ends; a flush waits for it.
    pub last_write_end_ns: Nanos,
    /// When the last request so far ends.
    pub end_ns: Nanos,
}

impl Served {
    /// Requests of an operation, with their bytes, were carried out by `end`. Of a request
    /// that is torn apart the last part counts.
    #[inline(always)]
    pub fn count(&mut self, operation: Operation, (requests, bytes): (u64, u64), end: Nanos) {
        match operation {
            Operation::Write | Operation::Overwrite => {
                self.requests.write += requests;
                self.requests.bytes_written += bytes;
                self.last_write_end_ns = self.last_write_end_ns.max(end);
            }
            Operation::Read => {
                self.requests.read += requests;
                self.requests.bytes_read += bytes;
            }
            Operation::Trim => self.requests.trim += requests,
            Operation::Flush => self.requests.flush += requests,
            Operation::UpdateHandle => {}
        }
    }

    /// The host has the answer to a request that arrived at `at`.
    #[inline(always)]
    pub fn answered(&mut self, operation: Operation, at: Nanos, end: Nanos) {
        match operation {
            Operation::Write | Operation::Overwrite => self.writes.record(end - at),
            Operation::Read => self.reads.record(end - at),
            Operation::Flush => self.flushes.record(end - at),
            Operation::Trim | Operation::UpdateHandle => {}
        }
        self.end_ns = self.end_ns.max(end);
    }

    /// Starts all counts anew. Time goes on.
    pub fn restart(&mut self) {
        let Served { last_write_end_ns, end_ns, .. } = *self;
        *self = Served { last_write_end_ns, end_ns, ..Served::default() };
    }
}

/// Bytes to and from a drive with stored cells.
#[derive(Debug, Clone)]
pub struct Bytes {
    /// The drive.
    pub ftl: Ftl,
    /// Room for a page.
    page: Vec<u8>,
}

impl Bytes {
    /// The bytes of a drive.
    pub fn new(ftl: Ftl) -> Bytes {
        let page = vec![0; ftl.layout().logical_page_bytes as usize];
        Bytes { ftl, page }
    }

    /// Reads the piece of a request that lies in a page; `into` is all of the request's. Returns the
    /// simulated end.
    ///
    /// # Errors
    /// Those of the drive.
    #[inline]
    pub fn read(
        &mut self,
        at: Nanos,
        (lpn, piece): (Lpn, &Piece),
        into: &mut [u8],
    ) -> Result<Nanos, FtlError> {
        let into = &mut into[piece.in_range.clone()];
        let end = self.ftl.read(at, lpn)?;
        if piece.in_page.len() == self.page.len() {
            self.ftl.read_bytes(lpn, into)?;
        } else {
            self.ftl.read_bytes(lpn, &mut self.page)?;
            into.copy_from_slice(&self.page[piece.in_page.clone()]);
        }
        Ok(end)
    }

    /// Writes the piece of a request that lies in a page; `data` is all of the request's. A piece
    /// counts as the whole sectors that a recording of it has. Returns the simulated end.
    ///
    /// # Errors
    /// Those of the drive.
    #[inline]
    pub fn write(
        &mut self,
        at: Nanos,
        (lpn, piece): (Lpn, &Piece),
        data: &[u8],
        command: Command,
    ) -> Result<Nanos, FtlError> {
        let data = &data[piece.in_range.clone()];
        let whole = piece.in_sectors().len() == self.page.len();
        let coverage = if whole { Coverage::Whole } else { Coverage::Part };
        let content = if piece.in_page.len() == self.page.len() {
            data
        } else {
            self.ftl.read_bytes(lpn, &mut self.page)?;
            self.page[piece.in_page.clone()].copy_from_slice(data);
            &self.page
        };
        self.ftl.write(at, lpn, HostWrite { coverage, command, content: Content::Page(content) })
    }

    /// Checks all of an overwrite before any of it is written: one that breaks its promise anywhere
    /// is refused as a whole.
    ///
    /// # Errors
    /// Data that would set a bit that is 0.
    pub fn check_overwrite(&mut self, mut pieces: Pieces, data: &[u8]) -> Result<(), FtlError> {
        pieces.try_for_each(|piece| {
            self.ftl.check_overwrite(Lpn(piece.page as u32), piece.in_page.start, &data[piece.in_range])
        })
    }
}
