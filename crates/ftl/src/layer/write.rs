//! One write, in the order of the three questions.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::host::{Content, Coverage, HostWrite};
use crate::layer::Ftl;
use crate::layer::answer::ContentSearch;
use crate::layer::cause::{Cause, LogicalPage};
use crate::layer::path::Path;
use crate::reuse::place::Place;
use crate::state::units::stream::Stream;

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
        self.state.counters.host_pages_written += 1;
        self.write_flash::<false, false>(at, lpn, write)
    }

    #[inline(never)]
    fn write_by_schemes(&mut self, at: Nanos, lpn: Lpn, write: HostWrite<'_>) -> Result<Nanos, FtlError> {
        if self.has_front {
            return self.write_in_front(at, lpn, write);
        }
        self.state.counters.host_pages_written += 1;
        match self.path {
            Path::Observed => self.write_flash::<false, true>(at, lpn, write),
            _ => self.write_flash::<true, true>(at, lpn, write),
        }
    }

    /// Writes one logical page to the flash: the three questions, as far as the drive's [`Path`]
    /// leaves them open.
    #[inline(always)] // The benchmark's loop; its other callers go through `write_flash_out_of_line`.
    pub(crate) fn write_flash<const GENERAL: bool, const OBSERVED: bool>(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        if GENERAL && self.map_journal.is_some() {
            self.write_map_journal(at)?;
        }
        let ready_at = match write.coverage {
            Coverage::Whole => at,
            Coverage::Part => self.read_to_modify(at, lpn)?,
        };
        // Must it be written at all?
        let ready_at = match OBSERVED && self.recycle.listens() {
            false => ready_at,
            true => match self.find_content(ready_at, lpn, write.content)? {
                ContentSearch::Found(end) => return self.commit_many().map(|()| end),
                ContentSearch::Write(at) => at,
            },
        };
        if GENERAL && self.slc_cache.is_some() {
            return self.write_by_cache((at, ready_at), lpn, write.content);
        }
        // Where can it be written without an erase?
        let stream = if GENERAL { self.streams.stream_of(lpn) } else { Stream::Host };
        let place = match self.place::<GENERAL>(at, lpn, stream, write.command)? {
            Place::Slot(at) => at,
            Place::Group(slots) => {
                return self.write_group(ready_at, (lpn, stream), write.content, slots);
            }
            Place::Again(place) => return self.write_again(ready_at, lpn, write.content, place),
        };
        let (place, ready_at) = if GENERAL && self.state.prepares {
            self.prepare_for_host(ready_at, lpn, stream, place, write.content)?
        } else {
            (place, ready_at)
        };
        let page = LogicalPage { lpn, stream, cause: Cause::Host };
        let done = self.program_page::<GENERAL, OBSERVED>(ready_at, page, place)?;
        if GENERAL && done.failed {
            return self.write_elsewhere(done.end, lpn, stream, write.content);
        }
        Ok(done.end)
    }

    /// The program of a page failed, or its encoding: writes it in other units until one takes it.
    #[cold]
    pub(crate) fn write_elsewhere(
        &mut self,
        failed_at: Nanos,
        lpn: Lpn,
        stream: Stream,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let mut at = failed_at;
        loop {
            let place = self.place_slot(at, lpn, stream)?;
            let (place, ready_at) = if self.state.prepares {
                self.prepare_for_host(at, lpn, stream, place, content)?
            } else {
                (place, at)
            };
            let page = LogicalPage { lpn, stream, cause: Cause::Host };
            let done = self.program_page::<true, true>(ready_at, page, place)?;
            at = done.end;
            if !done.failed {
                return Ok(at);
            }
        }
    }

    fn read_to_modify(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() {
            return Ok(at);
        }
        let (end, pages) = self.read_page(at, self.state.layout.slot_address(ppn))?;
        self.state.counters.read.read_modify_write += pages;
        Ok(end)
    }

    /// Tells the drive that the writes which follow belong to a request of `bytes` with a placement
    /// identifier, 0 where the host gave none; a hint for [`streams`](crate::policies::streams),
    /// and for schemes that count requests.
    #[inline]
    pub fn announce_write(&mut self, bytes: u64, identifier: u8) {
        if self.path != Path::General {
            return;
        }
        self.streams.announce(bytes, identifier);
        self.reuse.announce(bytes);
        self.effort.begin_request();
    }

    #[inline]
    pub(crate) fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let exported = self.state.map.logical_pages();
        if lpn.0 < exported { Ok(()) } else { Err(FtlError::Beyond { lpn: u64::from(lpn), exported }) }
    }
}
