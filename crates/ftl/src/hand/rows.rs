//! Valid pages of a victim, copied to a row of slots at once, where nobody has a say in how a page is
//! programmed ([`Path::Fast`](crate::hand::path::Path::Fast)), and pages are copied within their
//! plane.
//!
//! Such copies make up most programs of a plain drive. What they have in common is done once a row:
//! the checks of the array, its times, the counts of units and the validity bits. A page costs the
//! look for its owner and the two entries of the map.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::Hand;

impl Hand {
    /// Copies valid pages of a victim, each with its owner, to the slots from `to` on; returns when
    /// the last of them is safe.
    #[inline(always)]
    pub(crate) fn copy_row(
        &mut self,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        row: &[(Slot, Lpn)],
        to: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        let (state, slots) = (&mut self.state, row.len() as u32);
        // A pool is a plane here, and a unit a block.
        let source = (victim.0, row.iter().map(|&(slot, _)| slot.0));
        let safe_at = state.array.copy_back_row(at, pool.0, source, (to.unit.0, to.slot.0))?;
        let new = state.layout.ppn(to.unit, to.slot);
        state.map.bind_row(row.iter().map(|&(_, owner)| owner), (to.unit, to.slot), new);
        let end = row.last().map_or(Slot(0), |&(last, _)| last + 1);
        state.map.invalidate_before(victim, end);
        state.units.valid_moved_together(victim, to.unit, slots);
        state.counters.read.moved += u64::from(slots);
        state.counters.programmed.moved += u64::from(slots);
        state.counters.pages_moved += u64::from(slots);
        Ok(safe_at)
    }
}
