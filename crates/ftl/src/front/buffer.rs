//! The translation layer behind a write buffer: what enters, what is destaged, what a flush waits
//! for.

use std::ops::Range;

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::effort::scheme::Access;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::host::write_buffer::{Found, WriteBuffer};
use crate::host::{Coverage, HostWrite};

impl Ftl {
    /// Writes one logical page on a drive that has a write buffer, whose reads have priority, or
    /// whose effort scheme listens.
    #[cold]
    pub(super) fn write_in_front(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        self.hand.clock().advance(at);
        self.hand.counters().host_pages_written += 1;
        self.hand.effort_mut().hear(lpn, Access::Write);
        let Some(mut buffer) = self.write_buffer.take() else {
            return self.write_flash_out_of_line(at, lpn, write);
        };
        let accepted = self.write_buffered(&mut buffer, at, lpn, write);
        self.write_buffer = Some(buffer);
        accepted
    }

    /// Destages everything, whatever a flush does; returns when all of it is programmed, not before
    /// `at`.
    ///
    /// # Errors
    /// Out of space; a fault of the translation layer.
    pub fn drain(&mut self, at: Nanos) -> Result<Nanos, FtlError> {
        let Some(mut buffer) = self.write_buffer.take() else { return Ok(at) };
        self.hand.clock().advance(at);
        buffer.release(at);
        let mut destaged = Ok(true);
        while matches!(destaged, Ok(true)) {
            destaged = self.destage_next(&mut buffer, at);
        }
        let end = buffer.last_end().max(at);
        self.write_buffer = Some(buffer);
        destaged.map(|_| end)
    }

    /// Puts a page into the buffer; returns when it is there.
    fn write_buffered(
        &mut self,
        buffer: &mut WriteBuffer,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        buffer.release(at);
        let whole = write.coverage == Coverage::Whole || self.hand.state().map.find(lpn).is_none();
        let earlier = buffer.find(lpn);
        if let Some(Found { slot, in_flight: false, .. }) = earlier {
            self.hand.counters().events.writes_absorbed += 1;
            buffer.keep(slot, write.content);
            buffer.label(slot, self.cleaner.streams().identifier());
            return Ok(buffer.overwrite(slot, write.coverage == Coverage::Whole, write.command, at));
        }
        let mut accepted_at = at;
        while !buffer.has_room() {
            // Below the mark nothing may be on its way to the flash yet.
            accepted_at = match buffer.release_earliest() {
                Some(end) => end.max(at),
                None => {
                    self.destage_next(buffer, at)?;
                    continue;
                }
            };
        }
        // What is on its way to the flash is still at hand, so a part makes a whole page with it.
        let whole = whole || earlier.is_some_and(|earlier| !earlier.partial);
        if let Some(slot) = buffer.add(lpn, !whole, write.command, accepted_at) {
            buffer.keep(slot, write.content);
            buffer.label(slot, self.cleaner.streams().identifier());
        }
        while buffer.is_above_mark() && self.destage_next(buffer, accepted_at)? {}
        Ok(accepted_at)
    }

    /// Begins the program of the page whose turn it is; `false` if none waits.
    fn destage_next(&mut self, buffer: &mut WriteBuffer, at: Nanos) -> Result<bool, FtlError> {
        let Some((lpn, page)) = buffer.next_to_destage() else { return Ok(false) };
        let coverage = if page.partial { Coverage::Part } else { Coverage::Whole };
        let content = buffer.content(page.slot);
        let write = HostWrite { coverage, command: page.command, content };
        let announced = self.cleaner.streams().identifier();
        self.cleaner.streams_mut().identify(buffer.label_of(page.slot));
        let end = self.write_flash_out_of_line(at.max(page.accepted_at), lpn, write);
        self.cleaner.streams_mut().identify(announced);
        let end = end?;
        buffer.begin_program(page.slot, end);
        Ok(true)
    }

    /// Reads one logical page on a drive that has a write buffer or whose effort scheme listens.
    #[cold]
    pub(super) fn read_in_front(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        self.hand.effort_mut().hear(lpn, Access::Read);
        let found = self.write_buffer.as_mut().and_then(|buffer| {
            buffer.release(at);
            buffer.find(lpn)
        });
        match found {
            None => self.read_flash(at, lpn),
            Some(found) if found.partial => {
                // The rest comes from the flash, and then the buffer holds the whole page.
                let end = self.read_flash(at.max(found.accepted_at), lpn)?;
                if let Some(buffer) = &mut self.write_buffer {
                    buffer.complete(found.slot);
                }
                Ok(end)
            }
            Some(found) => {
                self.hand.counters().events.reads_from_buffer += 1;
                Ok(at.max(found.accepted_at))
            }
        }
    }

    /// Forgets pages that were trimmed.
    #[cold]
    pub(super) fn trim_in_front(&mut self, pages: Range<u32>) {
        if let Some(buffer) = &mut self.write_buffer {
            self.hand.counters().events.writes_absorbed += buffer.drop_pages(pages);
        }
    }

    /// The bytes of a page that lies in the buffer.
    pub(super) fn buffered_bytes(&self, lpn: Lpn) -> Option<&[u8]> {
        let buffer = self.write_buffer.as_ref()?;
        let bytes = buffer.bytes(buffer.find(lpn)?.slot);
        (!bytes.is_empty()).then_some(bytes)
    }
}
