//! A page goes to its cells together with its record.

use rewear_flash::medium::Kind;
use rewear_flash::{Nanos, ProgramMode};

use super::spare_area::SpareMetadata;
use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::layer::{Ftl, stored};
use crate::state::units::fill::Fill;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Sets the stored cells of a slot to the page that was prepared for it, and its record; the program must follow.
    #[inline(never)]
    pub(crate) fn store_with_record(
        &mut self,
        lpn: Lpn,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
        stream: Stream,
    ) -> Result<(), FtlError> {
        if !self.state.array.stores_cells() {
            return Ok(());
        }
        // The record shows how the unit is filled.
        let is_low = self.state.units.fill(unit) == Fill::Low;
        let stream = self.state.units.stream_index(if is_low { Stream::Overwrite } else { stream });
        let metadata = SpareMetadata { kind: Kind::Slot, lpn, mode, stream };
        stored::raise(&mut self.state, &self.reuse, &mut self.buffers, SlotAddress { unit, slot }, metadata)
    }

    /// As [`before_destroying`](Self::before_destroying), of a slot that a program goes over.
    pub(crate) fn before_overwriting(
        &mut self,
        at: Nanos,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        let ppn = self.state.layout.ppn(unit, slot);
        self.before_destroying(at, ppn..ppn + 1)
    }
}
