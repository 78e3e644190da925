//! One request on the drive's state, in the steps in which a replay takes it: arrival, pages,
//! counts, recording.

use rewear_flash::Nanos;
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, FtlError, Lpn};
use rewear_sim::halves::Halves;
use rewear_sim::report::RequestCounts;
use rewear_sim::statistics::Latency;
use rewear_trace::{Operation, PageCutter, Request, covered_pages};

use crate::clock::Clock;
use crate::error::LiveError;
use crate::pages;
use crate::recording::Recording;

/// Counts of what was served.
#[derive(Debug, Default)]
pub struct Served {
    /// Requests and bytes.
    pub requests: RequestCounts,
    /// Simulated response times of reads.
    pub reads: Latency,
    /// Simulated response times of writes.
    pub writes: Latency,
    /// Erases in the course of the writes.
    pub halves: Halves,
    /// When the last request ended, in simulated time.
    pub end_ns: Nanos,
    /// Requests that failed.
    pub failed: u64,
    /// Whether the drive is worn out: it serves reads alone.
    pub read_only: bool,
    pub(crate) last_write_end_ns: Nanos,
}

impl Served {
    /// Refuses what a drive that is worn out cannot do.
    pub(crate) fn admit(&mut self, operation: Operation) -> Result<(), LiveError> {
        let changes = operation.is_write() || matches!(operation, Operation::Trim | Operation::UpdateHandle);
        if self.read_only && changes { Err(self.fail(LiveError::ReadOnly)) } else { Ok(()) }
    }

    /// A request failed; what its host is told. A drive without room of which units are worn out is
    /// read-only from now on, as real drives are: a later write might find a little room, and a host
    /// that is told so now and then goes on as if nothing was wrong.
    pub(crate) fn fail(&mut self, error: LiveError) -> LiveError {
        self.failed += 1;
        match error {
            LiveError::Drive(worn @ FtlError::OutOfSpace { retired_units: 1.., .. }) => {
                if !self.read_only {
                    self.read_only = true;
                    eprintln!("The drive is worn out and is read-only from now on: {worn}.");
                }
                LiveError::ReadOnly
            }
            error => error,
        }
    }

    /// A request of so many bytes was served between two simulated times; by then so many pages
    /// were written and blocks erased.
    pub(crate) fn count(
        &mut self,
        (operation, length_bytes): (Operation, u64),
        (at, end): (Nanos, Nanos),
        (pages_written, erases): (u64, u64),
    ) {
        match operation {
            Operation::Write | Operation::Overwrite => {
                self.requests.write += 1;
                self.requests.bytes_written += length_bytes;
                self.writes.record(end - at);
                self.last_write_end_ns = self.last_write_end_ns.max(end);
                if self.halves.is_due(pages_written) {
                    self.halves.sample(pages_written, erases);
                }
            }
            Operation::Read => {
                self.requests.read += 1;
                self.requests.bytes_read += length_bytes;
                self.reads.record(end - at);
            }
            Operation::Trim => self.requests.trim += 1,
            Operation::Flush => self.requests.flush += 1,
            Operation::UpdateHandle => {}
        }
        self.end_ns = self.end_ns.max(end);
    }
}

/// Everything that the lock of a whole drive guards.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) ftl: Ftl,
    pub(crate) clock: Clock,
    pub(crate) served: Served,
    pub(crate) recording: Option<Recording>,
    /// Whether the drive was closed for good.
    pub(crate) is_closed: bool,
    pages: PageCutter,
    page: Vec<u8>,
    uses_idle_time: bool,
}

impl State {
    pub(crate) fn new(ftl: Ftl, clock: Clock) -> State {
        let page_bytes = ftl.layout().logical_page_bytes;
        let (pages, page) = (PageCutter::new(u64::from(page_bytes)), vec![0; page_bytes as usize]);
        let uses_idle_time = ftl.uses_idle_time();
        State {
            ftl,
            clock,
            served: Served::default(),
            recording: None,
            is_closed: false,
            pages,
            page,
            uses_idle_time,
        }
    }

    pub(crate) fn read(&mut self, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        let length = into.len() as u64;
        self.serve(Operation::Read, (offset_bytes, length), 0, None, |state, at| {
            state.read_pages(at, offset_bytes, into)
        })
    }

    pub(crate) fn write(
        &mut self,
        offset_bytes: u64,
        data: &[u8],
        (command, stream): (Command, u8),
    ) -> Result<Nanos, LiveError> {
        let operation = match command {
            Command::Write => Operation::Write,
            Command::Overwrite => Operation::Overwrite,
        };
        self.serve(operation, (offset_bytes, data.len() as u64), stream, Some(data), |state, at| {
            state.write_pages(at, offset_bytes, data, (command, stream))
        })
    }

    pub(crate) fn trim(&mut self, offset_bytes: u64, length_bytes: u64) -> Result<Nanos, LiveError> {
        self.serve(Operation::Trim, (offset_bytes, length_bytes), 0, None, |state, at| {
            for lpn in covered_pages(offset_bytes, length_bytes, state.pages.page_bytes()) {
                state.ftl.trim(Lpn(lpn as u32))?;
            }
            Ok(at)
        })
    }

    pub(crate) fn flush(&mut self) -> Result<Nanos, LiveError> {
        self.serve(Operation::Flush, (0, 0), 0, None, |state, at| {
            Ok(state.ftl.flush(at)?.max(state.served.last_write_end_ns))
        })
    }

    /// Moves a reclaim unit handle to fresh units; returns the slots left unwritten in the former.
    pub(crate) fn update_handle(&mut self, handle: u8) -> Result<u32, LiveError> {
        let mut slots_unwritten = 0;
        self.serve(Operation::UpdateHandle, (0, 0), handle, None, |state, at| {
            let (end, unwritten) = state.ftl.update_handle(at, handle)?;
            slots_unwritten = unwritten;
            Ok(end)
        })?;
        Ok(slots_unwritten)
    }

    /// Programs what a write buffer holds, and leaves a checkpoint where the drive keeps a log.
    pub(crate) fn close(&mut self) -> Result<(), LiveError> {
        let at = self.served.end_ns;
        let written = self.ftl.drain(at).and_then(|end| self.ftl.flush(end));
        self.served.end_ns = written.map_err(|error| self.served.fail(error.into()))?;
        match self.ftl.close(self.served.end_ns) {
            // Where a worn-out log has no room for a checkpoint, mounting reads more, and nothing is lost.
            Err(FtlError::OutOfSpace { .. }) if self.served.read_only => Ok(()),
            end => {
                self.served.end_ns = end?;
                Ok(())
            }
        }
    }

    pub(crate) fn holds(&self, lpn: u64) -> bool {
        Lpn::try_from(lpn).is_ok_and(|lpn| self.ftl.holds(lpn))
    }

    /// Arrival, service, counts. Returns the simulated end.
    fn serve(
        &mut self,
        operation: Operation,
        (offset_bytes, length_bytes): (u64, u64),
        stream: u8,
        data: Option<&[u8]>,
        act: impl FnOnce(&mut State, Nanos) -> Result<Nanos, LiveError>,
    ) -> Result<Nanos, LiveError> {
        self.served.admit(operation)?;
        let at = self.clock.arrive();
        if let Some(recording) = &mut self.recording {
            recording.push(Request::placed(at, operation, (offset_bytes, length_bytes), stream), data);
        }
        if self.uses_idle_time && !self.served.read_only {
            self.ftl.idle(at)?;
        }
        let end = act(self, at).map_err(|error| self.served.fail(error))?;
        self.clock.ended(end);
        let counters = self.ftl.counters();
        let counts = (counters.host_pages_written, counters.erases);
        self.served.count((operation, length_bytes), (at, end), counts);
        Ok(end)
    }

    fn read_pages(&mut self, at: Nanos, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        self.ftl.announce_read();
        let mut end = at;
        for piece in self.pages.pieces(offset_bytes, into.len() as u64) {
            let lpn = Lpn(piece.page as u32);
            let into = &mut into[piece.in_range.clone()];
            end = end.max(pages::read((&mut self.ftl, &mut self.page), at, (lpn, &piece), into)?);
        }
        Ok(end)
    }

    fn write_pages(
        &mut self,
        at: Nanos,
        offset_bytes: u64,
        data: &[u8],
        (command, stream): (Command, u8),
    ) -> Result<Nanos, LiveError> {
        self.ftl.announce_write(data.len() as u64, stream);
        if command == Command::Overwrite {
            // A request that breaks its promise anywhere is refused as a whole.
            for piece in self.pages.pieces(offset_bytes, data.len() as u64) {
                let (lpn, start) = (Lpn(piece.page as u32), piece.in_page.start);
                self.ftl.check_overwrite(lpn, start, &data[piece.in_range])?;
            }
        }
        let mut end = at;
        for piece in self.pages.pieces(offset_bytes, data.len() as u64) {
            let lpn = Lpn(piece.page as u32);
            let data = &data[piece.in_range.clone()];
            end = end.max(pages::write((&mut self.ftl, &mut self.page), at, (lpn, &piece), data, command)?);
        }
        Ok(end)
    }
}
