//! A host moves a reclaim unit handle to fresh erase units (TP4146, reclaim unit handle update).

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::reuse::reclaim_decision::UnitEvent;

impl Ftl {
    /// Closes the erase units that a reclaim unit handle has open, so that its next write begins a
    /// fresh one in each pool. Writes that wait in a buffer go to the former units first. A drive
    /// whose host has no such handle does nothing. Returns when the writes before it are in their
    /// units, and how many slots of the former units are not written before the next erase.
    ///
    /// # Errors
    /// Out of space; a fault of the translation layer.
    pub fn update_handle(&mut self, at: Nanos, handle: u8) -> Result<(Nanos, u32), FtlError> {
        let Some(stream) = self.cleaner.streams().stream_of_handle(handle) else {
            return Ok((at, 0));
        };
        let end = self.drain(at)?;
        let mut slots_unwritten = 0;
        for pool in Pool::all(self.hand.state().layout.pools) {
            if let Some((unit, left)) = self.hand.units().close_unfilled(pool, stream) {
                // Slots that were never programmed take no second write.
                self.hand.tell(unit, UnitEvent::BarredFromReuse);
                slots_unwritten += left;
            }
        }
        Ok((end, slots_unwritten))
    }
}
