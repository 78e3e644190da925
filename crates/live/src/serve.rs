//! One request on a drive that many threads ask, in the steps in which a replay takes it: arrival,
//! pages, counts, recording.
//!
//! One lock guards drive, clock and counts, so requests are served in the order in which they arrive.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use rewear_flash::Nanos;
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, FtlError, Lpn, Space};
use rewear_sim::host::{Bytes, Served};
use rewear_trace::{Operation, PageCutter, Request};

use crate::clock::Clock;
use crate::error::LiveError;
use crate::recording::Recording;

/// Looks at a lock that is held before the thread sleeps: some ten microseconds.
const LOOKS: u32 = 1000;

/// A drive that many threads ask for requests.
#[derive(Debug)]
pub(crate) struct Server {
    desk: Mutex<Desk>,
    cutter: PageCutter,
    uses_idle_time: bool,
}

/// The drive and its books.
#[derive(Debug)]
pub struct Desk {
    bytes: Bytes,
    /// Counts of what was served.
    pub served: Served,
    /// Requests that failed.
    pub failed: u64,
    /// Whether the drive is worn out: it serves reads alone.
    pub read_only: bool,
    pub(crate) recording: Option<Recording>,
    clock: Clock,
    is_closed: bool,
}

impl Desk {
    /// A request arrives: refused where the drive is closed, or worn out and cannot do it.
    fn admit(&mut self, mut request: Request, data: Option<&[u8]>) -> Result<Nanos, LiveError> {
        if self.is_closed {
            return Err(LiveError::Closed);
        }
        if self.read_only && !matches!(request.operation, Operation::Read | Operation::Flush) {
            return Err(self.fail(LiveError::ReadOnly));
        }
        request.at_ns = self.clock.arrive();
        if let Some(recording) = &mut self.recording {
            recording.push(request, data);
        }
        Ok(request.at_ns)
    }

    /// A request failed; what its host is told. A drive without room and with worn-out units is
    /// read-only from now on, as real drives are: a later write might find a little room, and a host
    /// that is told so now and then goes on as if nothing was wrong.
    fn fail(&mut self, error: LiveError) -> LiveError {
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

    fn close(&mut self) -> Result<(), LiveError> {
        let (ftl, at) = (&mut self.bytes.ftl, self.served.end_ns);
        let written = ftl.drain(at).and_then(|end| ftl.flush(end));
        self.served.end_ns = written.map_err(|error| self.fail(error.into()))?;
        match self.bytes.ftl.close(self.served.end_ns) {
            // Where a worn-out log has no room for a checkpoint, mounting reads more, and nothing is lost.
            Err(FtlError::OutOfSpace { .. }) if self.read_only => {}
            end => self.served.end_ns = end?,
        }
        Ok(())
    }
}

impl Server {
    /// Serves a drive.
    pub(crate) fn new(ftl: Ftl, queue_depth: u32) -> Server {
        Server {
            cutter: PageCutter::new(ftl.layout().logical_page_bytes.into()),
            uses_idle_time: ftl.uses_idle_time(),
            desk: Mutex::new(Desk {
                bytes: Bytes::new(ftl),
                served: Served::default(),
                failed: 0,
                read_only: false,
                recording: None,
                clock: Clock::new(queue_depth),
                is_closed: false,
            }),
        }
    }

    pub(crate) fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        let range = (offset_bytes, into.len() as u64);
        self.serve(Request::placed(0, Operation::Read, range, 0), None, |drive, at| {
            drive.ftl.announce_read();
            self.cutter.pieces(range.0, range.1).try_fold(at, |end, piece| {
                Ok(end.max(drive.read(at, (Lpn(piece.page as u32), &piece), into)?))
            })
        })
    }

    pub(crate) fn write(
        &self,
        offset_bytes: u64,
        data: &[u8],
        (command, stream): (Command, u8),
    ) -> Result<Nanos, LiveError> {
        let operation = match command {
            Command::Write => Operation::Write,
            Command::Overwrite => Operation::Overwrite,
        };
        let range = (offset_bytes, data.len() as u64);
        self.serve(Request::placed(0, operation, range, stream), Some(data), |drive, at| {
            drive.ftl.announce_write(range.1, stream);
            let mut pieces = self.cutter.pieces(range.0, range.1);
            if command == Command::Overwrite {
                drive.check_overwrite(pieces.clone(), data)?;
            }
            pieces.try_fold(at, |end, piece| {
                Ok(end.max(drive.write(at, (Lpn(piece.page as u32), &piece), data, command)?))
            })
        })
    }

    pub(crate) fn trim(&self, offset_bytes: u64, length_bytes: u64) -> Result<Nanos, LiveError> {
        let request = Request::placed(0, Operation::Trim, (offset_bytes, length_bytes), 0);
        self.serve(request, None, |drive, at| {
            let pages = request.whole_pages(self.cutter.page_bytes());
            drive.ftl.trim_pages(pages.start as u32..pages.end as u32)?;
            Ok(at)
        })
    }

    pub(crate) fn flush(&self) -> Result<Nanos, LiveError> {
        self.serve(Request::placed(0, Operation::Flush, (0, 0), 0), None, |drive, at| drive.ftl.flush(at))
    }

    /// Moves a reclaim unit handle to fresh units; returns the slots left unwritten in the former.
    pub(crate) fn update_handle(&self, handle: u8) -> Result<u32, LiveError> {
        let mut slots_unwritten = 0;
        self.serve(Request::placed(0, Operation::UpdateHandle, (0, 0), handle), None, |drive, at| {
            let (end, unwritten) = drive.ftl.update_handle(at, handle)?;
            slots_unwritten = unwritten;
            Ok(end)
        })?;
        Ok(slots_unwritten)
    }

    /// Whether pages hold data, for as long as the answer is kept.
    pub(crate) fn holders(&self) -> Result<impl Fn(u64) -> bool, LiveError> {
        let desk = lock(&self.desk)?;
        if desk.is_closed {
            return Err(LiveError::Closed);
        }
        Ok(move |page: u64| desk.bytes.ftl.holds(Lpn(page as u32)))
    }

    pub(crate) fn record(&self, recording: Recording) -> Result<(), LiveError> {
        lock(&self.desk)?.recording = Some(recording);
        Ok(())
    }

    /// Programs what a write buffer holds, leaves a checkpoint where the drive keeps a log, ends the
    /// recording, and refuses all later requests. To do so once more does nothing.
    pub(crate) fn finish(&self) -> Result<(), LiveError> {
        let mut desk = lock(&self.desk)?;
        if std::mem::replace(&mut desk.is_closed, true) {
            return Ok(());
        }
        let closed = desk.close();
        let recorded = desk.recording.take().map_or(Ok(()), |recording| recording.finish().map(drop));
        closed.and(recorded)
    }

    /// The moment on the wall at which the simulated clock shows `end_ns`.
    pub(crate) fn deadline(&self, end_ns: Nanos) -> Option<Instant> {
        lock(&self.desk).ok()?.clock.deadline(end_ns)
    }

    /// Looks at the drive at a moment between requests.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&Ftl, &Desk, Space) -> R) -> Result<R, LiveError> {
        let desk = lock(&self.desk)?;
        let ftl = &desk.bytes.ftl;
        Ok(look(ftl, &desk, ftl.space()))
    }

    pub(crate) fn audit(&self) -> Result<(), String> {
        lock(&self.desk).map_err(|error| error.to_string())?.bytes.ftl.audit()
    }

    /// Arrival, service, counts. Returns the simulated end.
    fn serve(
        &self,
        request: Request,
        data: Option<&[u8]>,
        act: impl FnOnce(&mut Bytes, Nanos) -> Result<Nanos, FtlError>,
    ) -> Result<Nanos, LiveError> {
        let desk = &mut *lock(&self.desk)?;
        let at = desk.admit(request, data)?;
        if self.uses_idle_time && !desk.read_only {
            desk.bytes.ftl.idle(at)?;
        }
        let mut end = act(&mut desk.bytes, at).map_err(|error| desk.fail(error.into()))?;
        if request.operation == Operation::Flush {
            end = end.max(desk.served.last_write_end_ns);
        }
        desk.clock.ended(end);
        desk.served.count(request.operation, (1, request.length_bytes), end);
        desk.served.answered(request.operation, at, end);
        let counters = desk.bytes.ftl.counters();
        if request.operation.is_write() && desk.served.halves.is_due(counters.host_pages_written) {
            desk.served.halves.sample(counters.host_pages_written, counters.erases);
        }
        Ok(end)
    }
}

/// A thread that panicked while it held the lock may have left what it guards half changed: from then
/// on nothing is served.
fn lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>, LiveError> {
    // Locks are held for microseconds, less than it takes to sleep and to be woken.
    for _ in 0..LOOKS {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(_)) => return Err(LiveError::Stopped),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    mutex.lock().map_err(|_| LiveError::Stopped)
}
