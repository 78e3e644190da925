//! What a host asks of a drive: one write, one read, one trim.

use std::ops::Range;

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::effort::scheme::Access;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::hand::path::{Fast, General, Graded, Observed, Path};
use crate::host::HostWrite;
use crate::reuse::second_write;

impl Ftl {
    /// Writes one logical page.
    ///
    /// # Errors
    /// Out of space; a page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn write(&mut self, at: Nanos, lpn: Lpn, write: HostWrite<'_>) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        if self.path != Path::Fast {
            return self.write_by_schemes(at, lpn, write);
        }
        self.hand.counters().host_pages_written += 1;
        self.write_flash::<Fast>(at, lpn, write)
    }

    #[inline(never)]
    fn write_by_schemes(&mut self, at: Nanos, lpn: Lpn, write: HostWrite<'_>) -> Result<Nanos, FtlError> {
        if self.has_front && self.path != Path::Graded {
            return self.write_in_front(at, lpn, write);
        }
        self.hand.counters().host_pages_written += 1;
        match self.path {
            Path::Observed => self.write_flash::<Observed>(at, lpn, write),
            Path::Graded => {
                self.hand.effort_mut().hear(lpn, Access::Write);
                self.write_flash::<Graded>(at, lpn, write)
            }
            _ => self.write_flash::<General>(at, lpn, write),
        }
    }

    /// Reads one logical page. A page that was never written is answered from the map, at once.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn read(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        self.hand.counters().host_pages_read += 1;
        if self.has_front {
            return self.read_in_front(at, lpn);
        }
        self.read_flash(at, lpn)
    }

    /// Forgets one logical page; see [`trim_pages`](Self::trim_pages).
    ///
    /// # Errors
    /// Those of [`trim_pages`](Self::trim_pages).
    pub fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.trim_pages(lpn.0..lpn.0 + 1)
    }

    /// Forgets logical pages in a row; durably, on a drive that keeps a log, once a flush has ended.
    /// Pages that hold nothing cost next to nothing: file systems trim them again and again.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    pub fn trim_pages(&mut self, pages: Range<u32>) -> Result<(), FtlError> {
        let Some(last) = pages.clone().last() else { return Ok(()) };
        self.check(Lpn(last))?;
        self.hand.counters().host_pages_trimmed += pages.len() as u64;
        if self.write_buffer.is_some() {
            self.trim_in_front(pages.clone());
        }
        let mut left = pages;
        while let Some(lpn) = self.hand.state().map.first_mapped(left.clone()) {
            left.start = lpn.0 + 1;
            if self.wants_content() {
                self.hint_in_trim(lpn, left.end);
            }
            let ppn = self.hand.state().map.find(lpn);
            self.hand.unbind(lpn, ppn);
            if self.hand.reuse().chooses_places() {
                second_write::write::trimmed(&mut self.hand, lpn);
            }
            self.hand.commit_many()?;
        }
        Ok(())
    }

    /// Tells the drive that the writes which follow belong to a request of `bytes` with a placement
    /// identifier, 0 where the host gave none; a hint for [`streams`](crate::policies::streams),
    /// and for schemes that count requests.
    #[inline]
    pub fn announce_write(&mut self, bytes: u64, identifier: u8) {
        if self.path != Path::Fast {
            self.announce_to_schemes(bytes, identifier);
        }
    }

    #[inline(never)]
    fn announce_to_schemes(&mut self, bytes: u64, identifier: u8) {
        if self.path == Path::General {
            self.cleaner.streams_mut().announce(bytes, identifier);
            self.hand.reuse_mut().0.announce(bytes);
        }
        self.hand.effort_mut().begin_request();
    }

    /// Tells the drive that the reads which follow belong to one request.
    #[inline]
    pub fn announce_read(&mut self) {
        self.hand.effort_mut().begin_request();
    }

    /// Whether what follows is the workload, which is the default, or prepares the drive for it.
    /// Schemes that learn from accesses take no notice of preparations.
    pub fn set_listening(&mut self, listening: bool) {
        self.hand.effort_mut().set_listening(listening);
    }
}
