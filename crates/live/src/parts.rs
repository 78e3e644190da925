//! A drive whose dies share nothing, in parts with a lock each.
//!
//! Under `ftl.striping = "static-die"` page `l` of the drive is page `l / n` of part `l mod n`
//! (`sim/src/split`). A part has whole channels, so its operations take the times that they take on
//! the whole drive. Requests wait for each other only where they need the same part, and shortly for
//! what all share: the clock, and the counts of what was served.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use rewear_flash::Nanos;
use rewear_flash::config::MediumKind;
use rewear_ftl::host::Command;
use rewear_ftl::{DriveConfig, Ftl, Lpn, Shape, Space};
use rewear_sim::split;
use rewear_trace::{Operation, PageCutter, covered_pages};

use crate::clock::Clock;
use crate::error::LiveError;
use crate::pages;
use crate::serve::Served;

/// The most parts: more would not be served at the same time.
const MOST: u32 = 16;

/// Looks at a lock that is held before the thread sleeps: some ten microseconds.
const LOOKS: u32 = 1000;

/// The parts of a drive.
#[derive(Debug)]
pub(crate) struct Parts {
    config: DriveConfig,
    parts: Vec<Mutex<Part>>,
    desk: Mutex<Desk>,
    cutter: PageCutter,
    /// Erases of all parts.
    erases: AtomicU64,
}

/// What the lock of a part guards.
#[derive(Debug)]
struct Part {
    ftl: Ftl,
    page: Vec<u8>,
    /// Its erases that are counted among those of all.
    erases: u64,
}

/// What all requests come by.
#[derive(Debug)]
struct Desk {
    clock: Clock,
    served: Served,
    pages_written: u64,
    is_closed: bool,
}

/// The configurations of the parts of a drive; fewer than two where its dies share something.
pub(crate) fn configurations(config: &DriveConfig) -> Result<Vec<DriveConfig>, LiveError> {
    let whole = Shape::new(config)?;
    let channels = whole.geometry.channels;
    let count = (1..=MOST).rev().find(|&count| channels.is_multiple_of(count)).unwrap_or(1);
    if count < 2 || split::dies_are_apart(config).is_err() {
        return Ok(Vec::new());
    }
    Ok((0..count).map(|index| split::part(config, &whole, (index, count))).collect())
}

impl Parts {
    /// The parts of a drive of which each is an empty drive.
    pub(crate) fn new(config: &DriveConfig, parts: Vec<Ftl>, clock: Clock) -> Parts {
        let page_bytes = parts.first().map_or(1, |part| part.layout().logical_page_bytes);
        let part = |ftl| Mutex::new(Part { ftl, page: vec![0; page_bytes as usize], erases: 0 });
        Parts {
            config: config.clone(),
            parts: parts.into_iter().map(part).collect(),
            desk: Mutex::new(Desk { clock, served: Served::default(), pages_written: 0, is_closed: false }),
            cutter: PageCutter::new(page_bytes.into()),
            erases: AtomicU64::new(0),
        }
    }

    pub(crate) fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        let length = into.len() as u64;
        self.serve((Operation::Read, length), |at| {
            self.each(at, offset_bytes, length, |part, lpn, piece| {
                let into = &mut into[piece.in_range.clone()];
                pages::read((&mut part.ftl, &mut part.page), at, (lpn, piece), into)
            })
        })
    }

    pub(crate) fn write(&self, offset_bytes: u64, data: &[u8], command: Command) -> Result<Nanos, LiveError> {
        let operation = match command {
            Command::Write => Operation::Write,
            Command::Overwrite => Operation::Overwrite,
        };
        let length = data.len() as u64;
        self.serve((operation, length), |at| {
            self.each(at, offset_bytes, length, |part, lpn, piece| {
                let data = &data[piece.in_range.clone()];
                let end = pages::write((&mut part.ftl, &mut part.page), at, (lpn, piece), data, command);
                let erases = part.ftl.counters().erases;
                if erases > part.erases {
                    self.erases.fetch_add(erases - part.erases, Ordering::Relaxed);
                    part.erases = erases;
                }
                end
            })
        })
    }

    pub(crate) fn trim(&self, offset_bytes: u64, length_bytes: u64) -> Result<Nanos, LiveError> {
        let count = self.parts.len() as u64;
        self.serve((Operation::Trim, length_bytes), |at| {
            let pages = covered_pages(offset_bytes, length_bytes, self.cutter.page_bytes());
            for (index, part) in (0..count).zip(&self.parts) {
                let mut part = lock(part)?;
                let first = pages.start + (index + count - pages.start % count) % count;
                for page in (first..pages.end).step_by(count as usize) {
                    part.ftl.trim(Lpn((page / count) as u32))?;
                }
            }
            Ok((at, 0))
        })
    }

    /// Nothing waits for a flush: what was answered is in the cells.
    pub(crate) fn flush(&self) -> Result<Nanos, LiveError> {
        self.serve((Operation::Flush, 0), |at| Ok((at, 0)))
    }

    /// Whether pages hold data, for as long as the answer is kept.
    pub(crate) fn holders(&self) -> Result<impl Fn(u64) -> bool, LiveError> {
        let parts = self.all()?;
        if lock(&self.desk)?.is_closed {
            return Err(LiveError::Closed);
        }
        let count = parts.len() as u64;
        Ok(move |page: u64| parts[(page % count) as usize].ftl.holds(Lpn((page / count) as u32)))
    }

    /// Refuses all later requests; whether it did so before.
    pub(crate) fn close(&self) -> Result<bool, LiveError> {
        Ok(std::mem::replace(&mut lock(&self.desk)?.is_closed, true))
    }

    pub(crate) fn deadline(&self, end_ns: Nanos) -> Option<std::time::Instant> {
        lock(&self.desk).ok()?.clock.deadline(end_ns)
    }

    /// Looks at the drive as a whole, at a moment between requests of each part.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&Ftl, &Served, Space) -> R) -> Result<R, LiveError> {
        // Its figures only: the cells are those of the parts.
        let mut config = self.config.clone();
        config.flash.medium = MediumKind::Modelled;
        let mut whole = Ftl::of_parts(&config)?;
        let parts = self.all()?;
        let desk = lock(&self.desk)?;
        whole.gather(parts.iter().map(|part| &part.ftl));
        let space = parts.iter().map(|part| part.ftl.space()).sum();
        Ok(look(&whole, &desk.served, space))
    }

    pub(crate) fn audit(&self) -> Result<(), String> {
        let parts = self.all().map_err(|error| error.to_string())?;
        parts.iter().try_for_each(|part| part.ftl.audit())
    }

    fn all(&self) -> Result<Vec<MutexGuard<'_, Part>>, LiveError> {
        self.parts.iter().map(lock).collect()
    }

    /// Lets `act` serve the pieces of a byte range, each under the lock of its part. Returns the
    /// simulated end and the pieces.
    fn each(
        &self,
        at: Nanos,
        offset_bytes: u64,
        length_bytes: u64,
        mut act: impl FnMut(&mut Part, Lpn, &rewear_trace::Piece) -> Result<Nanos, LiveError>,
    ) -> Result<(Nanos, u64), LiveError> {
        let count = self.parts.len() as u64;
        let (mut end, mut pieces) = (at, 0);
        for piece in self.cutter.pieces(offset_bytes, length_bytes) {
            let mut part = lock(&self.parts[(piece.page % count) as usize])?;
            end = end.max(act(&mut part, Lpn((piece.page / count) as u32), &piece)?);
            pieces += 1;
        }
        Ok((end, pieces))
    }

    /// Arrival, service, counts. Returns the simulated end.
    fn serve(
        &self,
        (operation, length_bytes): (Operation, u64),
        act: impl FnOnce(Nanos) -> Result<(Nanos, u64), LiveError>,
    ) -> Result<Nanos, LiveError> {
        // A part that a panic left half changed stops the drive as a whole.
        if self.parts.iter().any(Mutex::is_poisoned) {
            return Err(LiveError::Stopped);
        }
        let at = {
            let mut desk = lock(&self.desk)?;
            if desk.is_closed {
                return Err(LiveError::Closed);
            }
            desk.served.admit(operation)?;
            desk.clock.arrive()
        };
        let served = act(at);
        let mut desk = lock(&self.desk)?;
        let (end, pieces) = served.map_err(|error| desk.served.fail(error))?;
        let end = if operation == Operation::Flush { end.max(desk.served.last_write_end_ns) } else { end };
        desk.clock.ended(end);
        if operation.is_write() {
            desk.pages_written += pieces;
        }
        let counts = (desk.pages_written, self.erases.load(Ordering::Relaxed));
        desk.served.count((operation, length_bytes), (at, end), counts);
        Ok(end)
    }
}

/// A thread that panicked while it held the lock may have left what it guards half changed.
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
