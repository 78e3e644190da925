//! One read, one trim.

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::effort::scheme::RewritesWhen;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::recycle::scheme::Event;
use crate::reuse::placing::Placing;

impl Ftl {
    /// Reads one logical page. A page that was never written is answered from the map, at once.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn read(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        self.state.counters.host_pages_read += 1;
        if self.has_front {
            return self.read_in_front(at, lpn);
        }
        self.read_flash(at, lpn)
    }

    /// Reads one logical page from the flash.
    #[inline]
    pub(crate) fn read_flash(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() {
            self.state.counters.unmapped_pages_read += 1;
            return Ok(at);
        }
        let place = self.state.layout.slot_address(ppn);
        if self.reuse.chooses_places() {
            self.read_ahead(at, self.state.layout.pool_of(place.unit))?;
        }
        let end = self.host_read_page(at, place)?;
        self.hear(Event::Read { ppn });
        if self.effort.listens() {
            self.was_read(end, lpn, ppn, place)?;
        }
        Ok(end)
    }

    /// The effort scheme hears of the read of a page, unless the mode of that is not its own.
    #[inline(never)]
    fn was_read(&mut self, at: Nanos, lpn: Lpn, ppn: Ppn, place: SlotAddress) -> Result<(), FtlError> {
        if self.state.units.is_cached(place.unit) {
            return Ok(());
        }
        match self.effort.was_read(lpn, ppn) {
            RewritesWhen::Never => Ok(()),
            when => self.rewrite_when(when, at, lpn, place),
        }
    }

    /// Forgets one logical page; durably, on a drive that keeps a log, once a flush has ended.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    pub fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.state.counters.host_pages_trimmed += 1;
        if self.write_buffer.is_some() {
            self.trim_in_front(lpn);
        }
        let ppn = self.state.map.find(lpn);
        if ppn.is_some() {
            self.state.map.unbind(lpn);
            self.note_mapped(lpn, Ppn::NONE, ppn);
            self.release(lpn, ppn);
            if self.reuse.chooses_places() {
                self.reuse.placing().trimmed(lpn);
            }
        }
        self.commit_many()
    }

    /// Tells the drive that the reads which follow belong to one request.
    #[inline]
    pub fn announce_read(&mut self) {
        self.effort.begin_request();
    }

    /// Whether what follows is the workload, which is the default, or prepares the drive for it.
    /// Schemes that learn from accesses take no notice of preparations.
    pub fn set_listening(&mut self, listening: bool) {
        self.effort.set_listening(listening);
    }
}
