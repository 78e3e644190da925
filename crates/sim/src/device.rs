//! A drive that is used: bytes in, bytes out, on stored cells, one request after the other.
//!
//! Where a replay asks what a recorded or made-up workload costs, a device is written and read by a
//! program, which may say by the overwrite command that its data only clears bits. Simulated time
//! passes with every request.

use rewear_flash::Nanos;
use rewear_flash::config::MediumKind;
use rewear_flash::{ConfigError, ProgramAgain};
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, Lpn};
use rewear_trace::{PageCutter, covered_pages};
use serde::Serialize;

use crate::error::SimError;
use crate::host::Bytes;
use crate::load::Drive;
use crate::memory;

/// A drive with stored cells, addressed by bytes.
#[derive(Debug, Clone)]
pub struct Device {
    bytes: Bytes,
    name: String,
    now: Nanos,
    pages: PageCutter,
}

/// What a device did so far. Host pages are logical pages, all other pages flash pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct DeviceStatistics {
    pub host_pages_read: u64,
    pub host_pages_written: u64,
    pub host_pages_trimmed: u64,
    /// Of the written pages, those that came to the flash by the overwrite command, on a drive that
    /// makes use of it.
    pub overwrites: u64,
    /// Programs of pages that already held data.
    pub reprograms: u64,
    pub pages_programmed: u64,
    pub pages_read: u64,
    /// Logical pages moved by cleaning.
    pub pages_moved: u64,
    pub garbage_collections: u64,
    /// Blocks erased.
    pub erases: u64,
    pub seals: u64,
    /// Simulated time.
    pub simulated_ns: u64,
}

impl Device {
    /// An empty device.
    ///
    /// # Errors
    /// A drive with modelled cells, which keep no bytes; one that does not fit into memory.
    pub fn new(drive: &Drive) -> Result<Device, SimError> {
        let config = drive.configuration();
        if config.flash.medium == MediumKind::Modelled {
            return Err(SimError::Config(ConfigError::new(
                "flash.medium",
                "modelled cells keep no bytes",
                "give \"stored\" for a device",
            )));
        }
        memory::check(config)?;
        let bytes = Bytes::new(Ftl::new(config)?);
        let pages = PageCutter::new(u64::from(bytes.ftl.layout().logical_page_bytes));
        Ok(Device { bytes, name: drive.name().to_string(), now: 0, pages })
    }

    /// Bytes that can be addressed.
    pub fn exported_bytes(&self) -> u64 {
        self.bytes.ftl.layout().exported_bytes()
    }

    /// Bytes of the page that the drive maps and programs.
    pub fn page_bytes(&self) -> usize {
        self.pages.page_bytes() as usize
    }

    /// Whether overwrites are programmed in place.
    pub fn overwrites_in_place(&self) -> bool {
        matches!(self.bytes.ftl.program_again(), ProgramAgain::LowPages { .. })
    }

    /// Writes bytes at any offset. An overwrite is checked as a whole before any of it is written;
    /// on a drive that does not program pages again it is a write of any data.
    ///
    /// # Errors
    /// Bytes beyond the device; an overwrite that would set a bit that is 0, after which nothing
    /// has changed; out of space.
    pub fn write(&mut self, offset: u64, data: &[u8], command: Command) -> Result<(), SimError> {
        self.check_range(offset, data.len())?;
        let pieces = self.pages.pieces(offset, data.len() as u64);
        if command == Command::Overwrite {
            self.bytes.check_overwrite(pieces.clone(), data)?;
        }
        for piece in pieces {
            let place = (Lpn(piece.page as u32), &piece);
            self.now = self.now.max(self.bytes.write(self.now, place, data, command)?);
        }
        Ok(())
    }

    /// Reads bytes; what was never written reads as zeros.
    ///
    /// # Errors
    /// Bytes beyond the device.
    pub fn read(&mut self, offset: u64, data: &mut [u8]) -> Result<(), SimError> {
        self.check_range(offset, data.len())?;
        for piece in self.pages.pieces(offset, data.len() as u64) {
            let place = (Lpn(piece.page as u32), &piece);
            self.now = self.now.max(self.bytes.read(self.now, place, data)?);
        }
        Ok(())
    }

    /// Forgets the pages that lie wholly in a range.
    ///
    /// # Errors
    /// Bytes beyond the device.
    pub fn trim(&mut self, offset: u64, length: usize) -> Result<(), SimError> {
        self.check_range(offset, length)?;
        let pages = covered_pages(offset, length as u64, self.pages.page_bytes());
        self.bytes.ftl.trim_pages(pages.start as u32..pages.end as u32)?;
        Ok(())
    }

    /// Waits until everything is programmed.
    ///
    /// # Errors
    /// Out of space.
    pub fn flush(&mut self) -> Result<(), SimError> {
        self.now = self.bytes.ftl.flush(self.now)?;
        Ok(())
    }

    /// What happened so far.
    pub fn statistics(&self) -> DeviceStatistics {
        let counters = self.bytes.ftl.counters();
        let read = counters.read;
        DeviceStatistics {
            host_pages_read: counters.host_pages_read,
            host_pages_written: counters.host_pages_written,
            host_pages_trimmed: counters.host_pages_trimmed,
            overwrites: counters.events.overwrites,
            reprograms: self.bytes.ftl.reprograms(),
            pages_programmed: counters.programmed.total(),
            pages_read: read.host + read.moved + read.read_modify_write + read.metadata,
            pages_moved: counters.pages_moved,
            garbage_collections: counters.garbage_collections,
            erases: counters.erases,
            seals: counters.seals,
            simulated_ns: self.now,
        }
    }

    /// Checks that a range lies within the device.
    ///
    /// # Errors
    /// It does not.
    pub fn check_range(&self, offset: u64, length: usize) -> Result<(), SimError> {
        let end = offset.saturating_add(length as u64);
        if end <= self.exported_bytes() {
            return Ok(());
        }
        Err(SimError::Options(format!(
            "bytes {offset} to {end} reach beyond the {} bytes of {}",
            self.exported_bytes(),
            self.name
        )))
    }
}
