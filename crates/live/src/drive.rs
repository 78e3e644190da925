//! The live drive: reads, writes, trims, writes of zeros, flushes and extents of any byte range.
//!
//! The lock is that of [`serve`](crate::serve); an operation takes microseconds. A paced answer waits
//! outside it. What an operation returned is in the cells, or in a write buffer that a flush empties,
//! so a flush on any connection covers what was answered on all.

use std::ops::Range;
use std::time::Instant;

use rewear_flash::Nanos;
use rewear_flash::medium::Stored;
use rewear_ftl::host::Command;
use rewear_ftl::{DriveConfig, Ftl, Shape};
use rewear_sim::Drive;

use crate::error::LiveError;
use crate::image;
use crate::options::LiveOptions;
use crate::recording::Recording;
use crate::serve::{Desk, Server};
use crate::snapshot::{Mounted, Snapshot};

/// Bytes of a part in which zeros are written.
const ZEROS_BYTES: usize = 1 << 18;

/// A stretch of the device that either holds data throughout or reads as zeros throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes.
    pub length_bytes: u64,
    /// Whether data was written there and not trimmed since.
    pub holds_data: bool,
}

/// A drive that serves bytes to many threads.
#[derive(Debug)]
pub struct LiveDrive {
    server: Server,
    drive: Drive,
    options: LiveOptions,
    opened_at: Instant,
    mounted: Option<Mounted>,
    /// What the drive exports; the device is twice as large with an overwrite bit.
    exported_bytes: u64,
    page_bytes: u32,
}

impl LiveDrive {
    /// Opens a drive. A recording begins with [`begin`](Self::begin).
    ///
    /// # Errors
    /// Options or a configuration that cannot be; a drive that does not fit into the memory.
    pub fn open(options: LiveOptions) -> Result<LiveDrive, LiveError> {
        let drive = options.checked_drive()?;
        let config = drive.configuration();
        let shape = Shape::new(config)?;
        let (ftl, mounted) = match &options.image {
            Some(path) => image::mount(config, path, options.lazy_memory)?,
            None => (in_memory(config, options.lazy_memory)?, None),
        };
        let server = Server::new(ftl, options.queue_depth);
        let (exported_bytes, page_bytes) = (shape.layout.exported_bytes(), shape.layout.logical_page_bytes);
        let opened_at = Instant::now();
        Ok(LiveDrive { server, drive, options, opened_at, mounted, exported_bytes, page_bytes })
    }

    /// Starts the threads that the options ask for; a process that forks does so before.
    ///
    /// # Errors
    /// A recording that cannot be written.
    pub fn begin(&self) -> Result<(), LiveError> {
        if let Some(path) = &self.options.record {
            let about = format!("served live by the drive {}", self.drive.name());
            let recording = Recording::begin(path, &about, self.options.record_content.into())?;
            self.server.record(recording)?;
        }
        Ok(())
    }

    /// Bytes of the device.
    pub fn size_bytes(&self) -> u64 {
        self.exported_bytes << u32::from(self.options.overwrite_bit)
    }

    /// Bytes of a logical page of the drive: the smallest write that needs no read before.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// The options it was opened with.
    pub fn options(&self) -> &LiveOptions {
        &self.options
    }

    /// What mounting the drive from its image found; `None` for a new drive.
    pub fn mounted(&self) -> Option<&Mounted> {
        self.mounted.as_ref()
    }

    /// The configuration of the drive.
    pub fn drive(&self) -> &Drive {
        &self.drive
    }

    /// Reads `into.len()` bytes.
    ///
    /// # Errors
    /// A range beyond the device; a page that cannot be read.
    pub fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<(), LiveError> {
        self.act(offset_bytes, into.len() as u64, false, |server, part| {
            server.read(part.offset_bytes, &mut into[part.range()])
        })
    }

    /// Writes `data`; with `force_unit_access` it is in the cells when this returns.
    ///
    /// # Errors
    /// A range beyond the device; a drive that is full of data or worn out.
    pub fn write(&self, offset_bytes: u64, data: &[u8], force_unit_access: bool) -> Result<(), LiveError> {
        self.write_placed(offset_bytes, data, 0, force_unit_access)
    }

    /// As [`write`](Self::write), with the placement identifier that the host gave.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_placed(
        &self,
        offset_bytes: u64,
        data: &[u8],
        stream: u8,
        force_unit_access: bool,
    ) -> Result<(), LiveError> {
        self.act(offset_bytes, data.len() as u64, force_unit_access, |server, part| {
            server.write(part.offset_bytes, &data[part.range()], (part.command, stream))
        })
    }

    /// Forgets the logical pages that a range covers wholly; they read as zeros.
    ///
    /// # Errors
    /// A range beyond the device.
    pub fn trim(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        force_unit_access: bool,
    ) -> Result<(), LiveError> {
        self.act(offset_bytes, length_bytes, force_unit_access, |server, part| {
            server.trim(part.offset_bytes, part.length_bytes)
        })
    }

    /// Makes a range read as zeros: with `may_trim` by forgetting whole pages, which programs
    /// nothing, else by writing zeros.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn zero(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        may_trim: bool,
        force_unit_access: bool,
    ) -> Result<(), LiveError> {
        let page_bytes = u64::from(self.page_bytes);
        self.act(offset_bytes, length_bytes, force_unit_access, |server, part| {
            let (begin, end) = (part.offset_bytes, part.offset_bytes + part.length_bytes);
            let (first, stop) = (begin.div_ceil(page_bytes) * page_bytes, end / page_bytes * page_bytes);
            if !may_trim || first >= stop {
                return write_zeros(server, begin..end, part.command);
            }
            let ends = [
                write_zeros(server, begin..first, part.command)?,
                server.trim(first, stop - first)?,
                write_zeros(server, stop..end, part.command)?,
            ];
            Ok(ends.into_iter().max().unwrap_or(0))
        })
    }

    /// Returns when everything that was answered is in the cells.
    ///
    /// # Errors
    /// A drive that is full of data or worn out.
    pub fn flush(&self) -> Result<(), LiveError> {
        self.answer(self.server.flush()?);
        Ok(())
    }

    /// Moves a reclaim unit handle to fresh erase units (TP4146), so that its next write begins one.
    /// Returns whether a former one was not full.
    ///
    /// # Errors
    /// A drive that is closed, worn out, or failed.
    pub fn update_handle(&self, handle: u8) -> Result<bool, LiveError> {
        Ok(self.server.update_handle(handle)? > 0)
    }

    /// Tells `report` the extents of a range, in order; it returns whether it wants more.
    ///
    /// # Errors
    /// A range beyond the device.
    pub fn extents(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        report: &mut dyn FnMut(Extent) -> bool,
    ) -> Result<(), LiveError> {
        self.check(offset_bytes, length_bytes)?;
        let end = offset_bytes + length_bytes;
        let page_bytes = u64::from(self.page_bytes);
        let holders = self.server.holders()?;
        let holds = |at: u64| holders((at % self.exported_bytes.max(1)) / page_bytes);
        let mut at = offset_bytes;
        while at < end {
            let (begin, holds_data) = (at, holds(at));
            // The two halves of a device with an overwrite bit begin at page boundaries, too.
            while at < end && holds(at) == holds_data {
                at = (at / page_bytes + 1) * page_bytes;
            }
            at = at.min(end);
            if !report(Extent { offset_bytes: begin, length_bytes: at - begin, holds_data }) {
                break;
            }
        }
        Ok(())
    }

    /// Statistics of all that was served since the drive was opened.
    ///
    /// # Errors
    /// A drive that stopped.
    pub fn snapshot(&self) -> Result<Snapshot, LiveError> {
        let uptime = self.opened_at.elapsed();
        self.server.look(|ftl, desk, space| {
            Snapshot::new(&self.drive, &self.options, uptime, self.mounted.as_ref(), (ftl, desk, space))
        })?
    }

    /// Empties the write buffer, closes the drive so that it mounts quickly, and ends the
    /// recording. Every later request is refused; to finish once more does nothing.
    ///
    /// # Errors
    /// Those of the drive and of the recording, which is ended even if the drive cannot be closed.
    pub fn finish(&self) -> Result<(), LiveError> {
        self.server.finish()
    }

    /// Checks that the translation layer's records agree with each other.
    ///
    /// # Errors
    /// What does not agree; a drive that stopped.
    pub fn audit(&self) -> Result<(), String> {
        self.server.audit()
    }

    /// What was served so far, by kind of request.
    ///
    /// # Errors
    /// A drive that stopped.
    pub fn with_served<T>(&self, look: impl FnOnce(&Ftl, &Desk) -> T) -> Result<T, LiveError> {
        self.server.look(|ftl, desk, _| look(ftl, desk))
    }

    /// Serves the parts of a request, then waits where answers are paced.
    fn act(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        force_unit_access: bool,
        mut serve: impl FnMut(&Server, &Part) -> Result<Nanos, LiveError>,
    ) -> Result<(), LiveError> {
        self.check(offset_bytes, length_bytes)?;
        let mut end = 0;
        for part in self.in_halves(offset_bytes, length_bytes).iter().flatten() {
            end = end.max(serve(&self.server, part)?);
        }
        if force_unit_access {
            end = end.max(self.server.flush()?);
        }
        self.answer(end);
        Ok(())
    }

    /// A request may lie across the halves of a device with an overwrite bit.
    fn in_halves(&self, offset_bytes: u64, length_bytes: u64) -> [Option<Part>; 2] {
        let below = self.exported_bytes.saturating_sub(offset_bytes).min(length_bytes);
        let lower = Part { offset_bytes, length_bytes: below, skipped_bytes: 0, command: Command::Write };
        let upper = Part {
            offset_bytes: (offset_bytes + below).saturating_sub(self.exported_bytes),
            length_bytes: length_bytes - below,
            skipped_bytes: below as usize,
            command: Command::Overwrite,
        };
        [lower, upper].map(|part| (part.length_bytes > 0).then_some(part))
    }

    fn check(&self, offset_bytes: u64, length_bytes: u64) -> Result<(), LiveError> {
        let size_bytes = self.size_bytes();
        match offset_bytes.checked_add(length_bytes) {
            Some(end) if end <= size_bytes => Ok(()),
            _ => Err(LiveError::Beyond { offset_bytes, length_bytes, size_bytes }),
        }
    }

    fn answer(&self, end_ns: Nanos) {
        if self.options.pace
            && let Some(deadline) = self.server.deadline(end_ns)
        {
            std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// The part of a request that lies in one half of the device.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// First byte, in the drive.
    offset_bytes: u64,
    length_bytes: u64,
    /// Bytes of the request before this part.
    skipped_bytes: usize,
    command: Command,
}

impl Part {
    /// Its bytes in the request's buffer.
    fn range(&self) -> Range<usize> {
        self.skipped_bytes..self.skipped_bytes + self.length_bytes as usize
    }
}

/// A fresh drive, with its cells in memory.
fn in_memory(config: &DriveConfig, lazy_memory: bool) -> Result<Ftl, LiveError> {
    rewear_sim::memory::check(config)?;
    let mut ftl = Ftl::new(config)?;
    if !lazy_memory && rewear_sim::memory::is_modest(config)? {
        ftl.cells_mut().into_iter().for_each(Stored::take_memory);
    }
    Ok(ftl)
}

fn write_zeros(server: &Server, bytes: Range<u64>, command: Command) -> Result<Nanos, LiveError> {
    static ZEROS: [u8; ZEROS_BYTES] = [0; ZEROS_BYTES];
    let (mut at, mut end) = (bytes.start, 0);
    while at < bytes.end {
        // Parts end at their own multiples, which are page boundaries.
        let stop = ((at / ZEROS_BYTES as u64 + 1) * ZEROS_BYTES as u64).min(bytes.end);
        end = end.max(server.write(at, &ZEROS[..(stop - at) as usize], (command, 0))?);
        at = stop;
    }
    Ok(end)
}
