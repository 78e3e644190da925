//! One request on a drive that many threads ask, in the steps in which a replay takes it: arrival,
//! pages, counts, recording.
//!
//! A drive whose dies share nothing has parts with a lock each: under `ftl.striping = "static-die"`
//! page `l` of the drive is page `l / n` of part `l mod n` ([`split`]). A part has whole channels, so
//! its operations take the times that they take on the whole drive. Requests wait for each other only
//! where they need the same part, and shortly for the desk: the clock, and the counts of what was
//! served. Every other drive is one part, and a request keeps the desk until it ends, so requests are
//! served in the order in which they arrive.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use rewear_flash::config::MediumKind;
use rewear_flash::{Nanos, PartOf};
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::host::Command;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn, Shape, Space};
use rewear_sim::host::{Bytes, Served};
use rewear_sim::split::{self, ByParts};
use rewear_trace::{Operation, PageCutter, Piece, Request};

use crate::clock::Clock;
use crate::error::LiveError;
use crate::recording::Recording;

/// The most parts: more would not be served at the same time.
const MOST_PARTS: u32 = 16;

/// Looks at a lock that is held before the thread sleeps: some ten microseconds.
const LOOKS: u32 = 1000;

/// A drive that many threads ask for requests.
#[derive(Debug)]
pub(crate) struct Server {
    config: DriveConfig,
    parts: Vec<Mutex<Part>>,
    by_parts: ByParts,
    desk: Mutex<Desk>,
    cutter: PageCutter,
    uses_idle_time: bool,
    /// Pages written to all parts, and their erases.
    pages_written: AtomicU64,
    erases: AtomicU64,
}

/// What the lock of a part guards.
#[derive(Debug)]
struct Part {
    bytes: Bytes,
    /// Its pages written and its erases, as far as they are counted among those of all.
    counted: (u64, u64),
}

/// What all requests come by.
#[derive(Debug)]
pub struct Desk {
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

    /// A request failed; what its host is told. A drive without room of which units are worn out is
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
}

/// The configurations of the parts of a drive, or why it is one state.
pub(crate) fn parts_of(config: &DriveConfig, whole: &Shape) -> Result<Vec<DriveConfig>, String> {
    if let Some((key, because)) = split::shared_by_dies(config) {
        return Err(format!("{key}: {because}"));
    }
    let channels = whole.geometry.channels;
    let count = (1..=MOST_PARTS).rev().find(|&count| channels.is_multiple_of(count)).unwrap_or(1);
    if count < 2 {
        return Err(format!("flash.channels: {channels} do not fall into 2 to {MOST_PARTS} equal parts"));
    }
    // What a code makes of cells depends on the scrambler, whose key is the place.
    let schemes = [
        (config.reuse != ReuseConfig::Nothing {}, "reuse.scheme"),
        (config.effort != EffortConfig::Uniform {}, "effort.scheme"),
        (!config.ftl.slc_cache.is_nothing(), "ftl.slc_cache"),
    ];
    if let Some((_, key)) = schemes.into_iter().find(|&(is_there, _)| is_there) {
        return Err(format!("{key}: what a scheme makes of cells depends on their place in the whole drive"));
    }
    Ok(PartOf::each(count).map(|of| split::part(config, whole, of)).collect())
}

impl Server {
    /// Parts, each with a lock.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Serves a drive, or the parts of one.
    pub(crate) fn new(config: &DriveConfig, parts: Vec<Ftl>, queue_depth: u32) -> Server {
        let page_bytes = parts.first().map_or(1, |part| part.layout().logical_page_bytes);
        let uses_idle_time = parts.iter().any(Ftl::uses_idle_time);
        let part = |ftl| Mutex::new(Part { bytes: Bytes::new(ftl), counted: (0, 0) });
        Server {
            config: config.clone(),
            by_parts: ByParts::new(parts.len().max(1) as u32),
            parts: parts.into_iter().map(part).collect(),
            desk: Mutex::new(Desk {
                served: Served::default(),
                failed: 0,
                read_only: false,
                recording: None,
                clock: Clock::new(queue_depth),
                is_closed: false,
            }),
            cutter: PageCutter::new(page_bytes.into()),
            uses_idle_time,
            pages_written: AtomicU64::new(0),
            erases: AtomicU64::new(0),
        }
    }

    pub(crate) fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        let range = (offset_bytes, into.len() as u64);
        self.serve(Request::placed(0, Operation::Read, range, 0), None, |at| {
            if let Some(mut whole) = self.whole()? {
                whole.bytes.ftl.announce_read();
            }
            self.each(at, range, |part, place| Ok(part.bytes.read(at, place, into)?))
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
        self.serve(Request::placed(0, operation, range, stream), Some(data), |at| {
            if let Some(mut whole) = self.whole()? {
                whole.bytes.ftl.announce_write(range.1, stream);
            }
            if command == Command::Overwrite {
                // One that breaks its promise anywhere is refused as a whole.
                self.each(at, range, |part, (lpn, piece)| {
                    let data = &data[piece.in_range.clone()];
                    part.bytes.ftl.check_overwrite(lpn, piece.in_page.start, data)?;
                    Ok(at)
                })?;
            }
            self.each(at, range, |part, place| {
                let end = part.bytes.write(at, place, data, command);
                self.count_of(part);
                Ok(end?)
            })
        })
    }

    pub(crate) fn trim(&self, offset_bytes: u64, length_bytes: u64) -> Result<Nanos, LiveError> {
        let request = Request::placed(0, Operation::Trim, (offset_bytes, length_bytes), 0);
        self.serve(request, None, |at| {
            let pages = request.whole_pages(self.cutter.page_bytes());
            let pages = pages.start as u32..pages.end as u32;
            for (index, part) in self.parts.iter().enumerate() {
                lock(part)?.bytes.ftl.trim_pages(self.by_parts.in_part(index, &pages))?;
            }
            Ok(at)
        })
    }

    pub(crate) fn flush(&self) -> Result<Nanos, LiveError> {
        self.serve(Request::placed(0, Operation::Flush, (0, 0), 0), None, |at| {
            // What parts answered is in the cells.
            self.whole()?.map_or(Ok(at), |mut whole| Ok(whole.bytes.ftl.flush(at)?))
        })
    }

    /// Moves a reclaim unit handle to fresh units; returns the slots left unwritten in the former.
    pub(crate) fn update_handle(&self, handle: u8) -> Result<u32, LiveError> {
        let mut slots_unwritten = 0;
        self.serve(Request::placed(0, Operation::UpdateHandle, (0, 0), handle), None, |at| {
            let Some(mut whole) = self.whole()? else { return Ok(at) };
            let (end, unwritten) = whole.bytes.ftl.update_handle(at, handle)?;
            slots_unwritten = unwritten;
            Ok(end)
        })?;
        Ok(slots_unwritten)
    }

    /// Whether pages hold data, for as long as the answer is kept.
    pub(crate) fn holders(&self) -> Result<impl Fn(u64) -> bool, LiveError> {
        if lock(&self.desk)?.is_closed {
            return Err(LiveError::Closed);
        }
        let parts = self.all()?;
        Ok(move |page: u64| {
            let (part, lpn) = self.by_parts.place(page as u32);
            parts[part].bytes.ftl.holds(Lpn(lpn))
        })
    }

    pub(crate) fn record(&self, recording: Recording) -> Result<(), LiveError> {
        lock(&self.desk)?.recording = Some(recording);
        Ok(())
    }

    /// Programs what a write buffer holds, leaves a checkpoint where the drive keeps a log, ends the
    /// recording, and refuses all later requests. To do so once more does nothing.
    pub(crate) fn finish(&self) -> Result<(), LiveError> {
        let mut desk = lock(&self.desk)?;
        let mut parts = self.all()?;
        if std::mem::replace(&mut desk.is_closed, true) {
            return Ok(());
        }
        let closed = parts.iter_mut().try_for_each(|part| close(&mut part.bytes.ftl, &mut desk));
        let recorded = desk.recording.take().map_or(Ok(()), |recording| recording.finish().map(drop));
        closed.and(recorded)
    }

    /// The moment on the wall at which the simulated clock shows `end_ns`.
    pub(crate) fn deadline(&self, end_ns: Nanos) -> Option<Instant> {
        lock(&self.desk).ok()?.clock.deadline(end_ns)
    }

    /// Looks at the drive as a whole, at a moment between requests of each part.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&Ftl, &Desk, Space) -> R) -> Result<R, LiveError> {
        let desk = lock(&self.desk)?;
        let parts = self.all()?;
        if let [whole] = &*parts {
            return Ok(look(&whole.bytes.ftl, &desk, whole.bytes.ftl.space()));
        }
        // Its figures only: the cells are those of the parts.
        let mut config = self.config.clone();
        config.flash.medium = MediumKind::Modelled;
        let mut whole = Ftl::of_parts(&config)?;
        whole.gather(parts.iter().map(|part| &part.bytes.ftl));
        let space = parts.iter().map(|part| part.bytes.ftl.space()).sum();
        Ok(look(&whole, &desk, space))
    }

    pub(crate) fn audit(&self) -> Result<(), String> {
        let parts = self.all().map_err(|error| error.to_string())?;
        parts.iter().try_for_each(|part| part.bytes.ftl.audit())
    }

    /// All parts; whoever needs the desk, too, has it before.
    fn all(&self) -> Result<Vec<MutexGuard<'_, Part>>, LiveError> {
        self.parts.iter().map(lock).collect()
    }

    /// A drive that is one part. Others have nothing that hears of whole requests, buffers pages or
    /// uses idle time ([`split::shared_by_dies`]).
    fn whole(&self) -> Result<Option<MutexGuard<'_, Part>>, LiveError> {
        match &*self.parts {
            [whole] => lock(whole).map(Some),
            _ => Ok(None),
        }
    }

    /// Lets `act` serve the pieces of a byte range, each under the lock of its part. Returns the
    /// simulated end.
    fn each(
        &self,
        at: Nanos,
        (offset_bytes, length_bytes): (u64, u64),
        mut act: impl FnMut(&mut Part, (Lpn, &Piece)) -> Result<Nanos, LiveError>,
    ) -> Result<Nanos, LiveError> {
        self.cutter.pieces(offset_bytes, length_bytes).try_fold(at, |end, piece| {
            let (part, lpn) = self.by_parts.place(piece.page as u32);
            Ok(end.max(act(&mut *lock(&self.parts[part])?, (Lpn(lpn), &piece))?))
        })
    }

    /// Counts what a part did among what all did.
    fn count_of(&self, part: &mut Part) {
        let counters = part.bytes.ftl.counters();
        let now = (counters.host_pages_written, counters.erases);
        self.pages_written.fetch_add(now.0 - part.counted.0, Ordering::Relaxed);
        self.erases.fetch_add(now.1 - part.counted.1, Ordering::Relaxed);
        part.counted = now;
    }

    /// Arrival, service, counts. Returns the simulated end.
    fn serve(
        &self,
        request: Request,
        data: Option<&[u8]>,
        act: impl FnOnce(Nanos) -> Result<Nanos, LiveError>,
    ) -> Result<Nanos, LiveError> {
        // A part that a panic left half changed stops the drive as a whole.
        if self.parts.iter().any(Mutex::is_poisoned) {
            return Err(LiveError::Stopped);
        }
        let mut desk = lock(&self.desk)?;
        let at = desk.admit(request, data)?;
        if self.uses_idle_time && !desk.read_only {
            self.all()?.iter_mut().try_for_each(|part| part.bytes.ftl.idle(at))?;
        }
        let (served, mut desk) = if self.parts.len() == 1 {
            (act(at), desk)
        } else {
            drop(desk);
            (act(at), lock(&self.desk)?)
        };
        let mut end = served.map_err(|error| desk.fail(error))?;
        if request.operation == Operation::Flush {
            end = end.max(desk.served.last_write_end_ns);
        }
        desk.clock.ended(end);
        desk.served.count(request.operation, (1, request.length_bytes), end);
        desk.served.answered(request.operation, at, end);
        let pages_written = self.pages_written.load(Ordering::Relaxed);
        if request.operation.is_write() && desk.served.halves.is_due(pages_written) {
            desk.served.halves.sample(pages_written, self.erases.load(Ordering::Relaxed));
        }
        Ok(end)
    }
}

fn close(ftl: &mut Ftl, desk: &mut Desk) -> Result<(), LiveError> {
    let at = desk.served.end_ns;
    let written = ftl.drain(at).and_then(|end| ftl.flush(end));
    desk.served.end_ns = written.map_err(|error| desk.fail(error.into()))?;
    match ftl.close(desk.served.end_ns) {
        // Where a worn-out log has no room for a checkpoint, mounting reads more, and nothing is lost.
        Err(FtlError::OutOfSpace { .. }) if desk.read_only => {}
        end => desk.served.end_ns = end?,
    }
    Ok(())
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
