//! One write, in the order of the three questions.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::front::answer::ContentSearch;
use crate::hand::path::{General, Way};
use crate::host::{Asked, Command, Coverage, HostWrite};
use crate::reuse::facts::Places;
use crate::reuse::second_write;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Writes one logical page to the flash: the three questions, as far as the drive's
    /// [`Path`](crate::hand::path::Path) leaves them open.
    #[inline(always)] // The benchmark's loop; its other callers go through `write_flash_out_of_line`.
    pub(super) fn write_flash<W: Way>(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        if W::GENERAL && self.map_journal.is_some() {
            self.write_map_journal(at)?;
        }
        let ready_at = match write.coverage {
            Coverage::Whole => at,
            Coverage::Part => self.read_to_modify(at, lpn)?,
        };
        // Must it be written at all?
        let ready_at = match W::OBSERVED && self.hand.recycle().listens() {
            false => ready_at,
            true => match self.find_content(ready_at, lpn, write.content)? {
                ContentSearch::Found(end) => return self.hand.commit_many().map(|()| end),
                ContentSearch::Write(at) => at,
            },
        };
        if W::GENERAL && self.cleaner.has_slc_cache() {
            return self.write_by_cache(Asked { at, ready_at }, lpn, write.content);
        }
        // Where can it be written without an erase?
        let (hand, cleaner) = (&mut self.hand, &mut self.cleaner);
        let stream = if W::GENERAL { cleaner.streams_mut().stream_of(lpn) } else { Stream::Host };
        let place = match hand.reuse().facts.places {
            _ if !W::GENERAL => cleaner.place_slot_inline(hand, at, lpn, stream)?,
            Places::Chosen => {
                let asked = Asked { at, ready_at };
                let page = second_write::write::Page { lpn, stream, content: write.content };
                return second_write::write::write(hand, cleaner, self.program_path, asked, page);
            }
            Places::InPlace if write.command == Command::Overwrite => {
                return self.overwrite(Asked { at, ready_at }, (lpn, stream), write.content);
            }
            Places::InOrder | Places::InPlace => cleaner.place_slot_inline(hand, at, lpn, stream)?,
        };
        // With how much effort must it be written? The program asks.
        match W::GENERAL {
            true => cleaner.write_by(self.program_path, hand, ready_at, (lpn, stream), place, write.content),
            false => cleaner.write_to::<W>(hand, ready_at, (lpn, stream), place, write.content),
        }
    }

    /// One copy of the whole write path for all that comes from the write buffer.
    #[inline(never)]
    pub(super) fn write_flash_out_of_line(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        self.write_flash::<General>(at, lpn, write)
    }

    fn read_to_modify(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.hand.state().map.find(lpn);
        if ppn.is_none() {
            return Ok(at);
        }
        let from = self.hand.state().layout.slot_address(ppn);
        let (end, pages) = self.hand.read_page(at, from)?;
        self.hand.counters().read.read_modify_write += pages;
        Ok(end)
    }

    #[inline]
    pub(super) fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let exported = self.hand.state().map.logical_pages();
        if lpn.0 < exported { Ok(()) } else { Err(FtlError::Beyond { lpn: u64::from(lpn), exported }) }
    }
}
