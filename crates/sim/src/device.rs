//! A drive that is used: bytes in, bytes out, on stored cells, one request after the other.
//!
//! Where a replay asks what a recorded or made-up workload costs, a device is written and read by a program, which may say
//! by the overwrite command that its data only clears bits. Simulated time passes with every request.

use rewear_flash::Nanos;
use rewear_flash::config::MediumKind;
use rewear_flash::{ConfigError, ProgramAgain};
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, Lpn};
use serde::Serialize;

use crate::error::SimError;
use crate::load::Drive;
use crate::memory;

/// A drive with stored cells, addressed by bytes.
#[derive(Debug, Clone)]
pub struct Device {
    ftl: Ftl,
    name: String,
    now: Nanos,
    page: Vec<u8>,
}

/// What a device did so far. Host pages are logical pages, all other pages flash pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct DeviceStatistics {
    pub host_pages_read: u64,
    pub host_pages_written: u64,
    pub host_pages_trimmed: u64,
    /// Of the written pages, those that came to the flash by the overwrite command, on a drive that makes use of it.
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
        let ftl = Ftl::new(config)?;
        let page = vec![0; ftl.layout().logical_page_bytes as usize];
        Ok(Device { ftl, name: drive.name().to_string(), now: 0, page })
    }

    /// Bytes that can be addressed.
    pub fn exported_bytes(&self) -> u64 {
        self.ftl.layout().exported_bytes()
    }

    /// Bytes of the page that the drive maps and programs.
    pub fn page_bytes(&self) -> usize {
        self.page.len()
    }

    /// Whether overwrites are programmed in place.
    pub fn overwrites_in_place(&self) -> bool {
        matches!(self.ftl.program_again(), ProgramAgain::LowPages { .. })
    }

    /// Writes bytes at any offset. An overwrite is checked as a whole before any of it is written; on a drive that does not program
    /// pages again it is a write of any data.
    ///
    /// # Errors
    /// Bytes beyond the device; an overwrite that would set a bit that is 0, after which nothing has changed; out of space.
    pub fn write(&mut self, offset: u64, data: &[u8], command: Command) -> Result<(), SimError> {
        self.check_range(offset, data.len())?;
        if command == Command::Overwrite {
            for (lpn, start, part) in pieces(offset, data.len(), self.page.len()) {
                self.ftl.check_overwrite(lpn, start, &data[part])?;
            }
        }
        for (lpn, start, part) in pieces(offset, data.len(), self.page.len()) {
            let end = self.ftl.write_bytes(self.now, lpn, start, &data[part], command)?;
            self.now = self.now.max(end);
        }
        Ok(())
    }

    /// Reads bytes; what was never written reads as zeros.
    ///
    /// # Errors
    /// Bytes beyond the device.
    pub fn read(&mut self, offset: u64, data: &mut [u8]) -> Result<(), SimError> {
        self.check_range(offset, data.len())?;
        for (lpn, start, part) in pieces(offset, data.len(), self.page.len()) {
            self.now = self.now.max(self.ftl.read(self.now, lpn)?);
            self.ftl.read_bytes(lpn, &mut self.page)?;
            let length = part.len();
            data[part].copy_from_slice(&self.page[start..start + length]);
        }
        Ok(())
    }

    /// Forgets the pages that lie wholly in a range.
    ///
    /// # Errors
    /// Bytes beyond the device.
    pub fn trim(&mut self, offset: u64, length: usize) -> Result<(), SimError> {
        self.check_range(offset, length)?;
        for (lpn, _, part) in pieces(offset, length, self.page.len()) {
            if part.len() == self.page.len() {
                self.ftl.trim(lpn)?;
            }
        }
        Ok(())
    }

    /// Waits until everything is programmed.
    ///
    /// # Errors
    /// Out of space.
    pub fn flush(&mut self) -> Result<(), SimError> {
        self.now = self.ftl.flush(self.now)?;
        Ok(())
    }

    /// What happened so far.
    pub fn statistics(&self) -> DeviceStatistics {
        let counters = self.ftl.counters();
        let read = counters.read;
        DeviceStatistics {
            host_pages_read: counters.host_pages_read,
            host_pages_written: counters.host_pages_written,
            host_pages_trimmed: counters.host_pages_trimmed,
            overwrites: counters.overwrites,
            reprograms: self.ftl.reprograms(),
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

/// The pages of a byte range: page, offset in it, and the part of the range that lies there.
fn pieces(
    offset: u64,
    length: usize,
    page_bytes: usize,
) -> impl Iterator<Item = (Lpn, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset + done as u64;
        let start = (at % page_bytes as u64) as usize;
        let part = done..(done + page_bytes - start).min(length);
        done = part.end;
        Some((Lpn((at / page_bytes as u64) as u32), start, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_falls_into_the_pages_that_it_touches() {
        let all = |offset, length| pieces(offset, length, 100).collect::<Vec<_>>();
        assert_eq!(all(0, 0), []);
        assert_eq!(all(250, 30), [(Lpn(2), 50, 0..30)]);
        assert_eq!(
            all(90, 220),
            [(Lpn(0), 90, 0..10), (Lpn(1), 0, 10..110), (Lpn(2), 0, 110..210), (Lpn(3), 0, 210..220)]
        );
    }
}
