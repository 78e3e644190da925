//! Host writes by the overwrite command: where the scheme lets the page be programmed again, or to
//! an overwrite unit.

use rewear_flash::Nanos;

use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::cause::{Cause, LogicalPage};
use crate::layer::{Ftl, stored};
use crate::reuse::facts::Places;
use crate::reuse::overwriting::Overwriting;
use crate::reuse::place::Place;
use crate::state::units::stream::Stream;

impl Ftl {
    /// The place for an overwrite: where the page lies, if the scheme lets it be programmed again
    /// there.
    #[inline(never)]
    pub(crate) fn place_overwrite(&mut self, at: Nanos, lpn: Lpn) -> Result<Place, FtlError> {
        self.state.counters.overwrites += 1;
        if let Some(place) = self.reuse.overwriting().overwrite_place(&self.state, lpn) {
            return Ok(Place::Again(place));
        }
        let place = self.place_slot(at, lpn, Stream::Overwrite)?;
        self.reuse.overwriting().overwrite_begins(self.state.layout.ppn(place.unit, place.slot));
        Ok(Place::Slot(place))
    }

    /// Programs a page again where it lies. If that fails, the page is written once more elsewhere.
    #[inline(never)]
    pub(crate) fn write_again(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
        place: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        // What the page holds may still be what another logical page falls back to.
        let at = self.before_overwriting(at, place)?;
        if self.state.array.stores_cells() {
            self.take_content(content)?;
            stored::encode(&self.state, &mut self.reuse, &mut self.buffers, place)?;
        }
        let page = LogicalPage { lpn, stream: Stream::Overwrite, cause: Cause::Overwritten };
        let done = self.program_page::<true, true>(at, page, place)?;
        if done.failed {
            return self.write_elsewhere(done.end, lpn, Stream::Host, content);
        }
        Ok(done.end)
    }

    /// Checks what an overwrite promises: that its data only clears bits of what the page holds
    /// now. On a drive that does not program pages again nothing is promised.
    ///
    /// # Errors
    /// [`FtlError::NotOverwritable`]; a page beyond the exported capacity; a range beyond the page.
    pub fn check_overwrite(&mut self, lpn: Lpn, offset: usize, data: &[u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        let keeps_promises = self.reuse.facts.places == Places::InPlace && self.state.array.stores_cells();
        if !keeps_promises || (self.state.map.find(lpn).is_none() && self.buffered_bytes(lpn).is_none()) {
            return Ok(());
        }
        let mut present = vec![0; self.state.layout.logical_page_bytes as usize];
        self.read_bytes(lpn, &mut present)?;
        let present = present.get(offset..offset + data.len()).unwrap_or_default();
        match present.iter().zip(data).position(|(old, new)| new & !old != 0) {
            None => Ok(()),
            Some(byte) => Err(FtlError::NotOverwritable { lpn, byte: offset + byte }),
        }
    }
}
