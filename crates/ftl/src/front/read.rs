//! One read.

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::effort::scheme::RewritesWhen;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::recycle::scheme::Event;
use crate::reuse::second_write;

impl Ftl {
    /// Reads one logical page from the flash.
    #[inline]
    pub(super) fn read_flash(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.hand.state().map.find(lpn);
        if ppn.is_none() {
            self.hand.counters().unmapped_pages_read += 1;
            return Ok(at);
        }
        let place = self.hand.state().layout.slot_address(ppn);
        if self.hand.reuse().chooses_places() {
            let pool = self.hand.state().layout.pool_of(place.unit);
            second_write::prefetch::read_ahead(&mut self.hand, at, pool)?;
        }
        let end = self.hand.host_read_page(at, place)?;
        self.hand.hear(Event::Read { ppn });
        if self.hand.effort().listens() {
            self.was_read(end, lpn, ppn, place)?;
        }
        Ok(end)
    }

    /// The effort scheme hears of the read of a page, unless the mode of that is not its own.
    #[inline(never)]
    fn was_read(&mut self, at: Nanos, lpn: Lpn, ppn: Ppn, place: SlotAddress) -> Result<(), FtlError> {
        if self.hand.state().units.is_cached(place.unit) {
            return Ok(());
        }
        match self.hand.effort_mut().was_read(lpn, ppn) {
            RewritesWhen::Never => Ok(()),
            when => self.rewrite_when(when, at, lpn, place),
        }
    }
}
