//! Valid pages of a victim, copied to a row of slots at once, where pages are copied within their
//! plane. Each may have a mode of its own ([`Way`]).
//!
//! Such copies make up most programs of a drive. What they have in common is done once a row:
//! the checks of the array, its times, the counts of units and the validity bits. A page costs the
//! look for its owner and the two entries of the map.

use rewear_flash::copies::RowStart;
use rewear_flash::{Illegal, Nanos};

use crate::address::{Lpn, Pool, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::path::Way;

impl Hand {
    /// Copies valid pages of a victim, each with its owner, to the slots from `to` on; returns when
    /// the last of them is safe.
    #[inline(always)]
    pub(crate) fn copy_row<W: Way>(
        &mut self,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        row: &[(Slot, Lpn)],
        to: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        let slots = row.len() as u32;
        if W::OBSERVED {
            (0..slots).for_each(|index| self.destroyed(SlotAddress { slot: to.slot + index, ..to }));
        }
        let safe_at = match W::GRADED {
            false => {
                // A pool is a plane here, and a unit a block.
                let source = (victim.0, row.iter().map(|&(slot, _)| slot.0));
                self.state.array.copy_back_row(
                    at,
                    pool.0,
                    source,
                    RowStart { block: to.unit.0, first: to.slot.0 },
                )?
            }
            true => self.copy_row_in_modes(at, pool, victim, row, to)?,
        };
        let state = &mut self.state;
        let new = state.layout.ppn(to.unit, to.slot);
        state.map.bind_row(row.iter().map(|&(_, owner)| owner), (to.unit, to.slot), new);
        let end = row.last().map_or(Slot(0), |&(last, _)| last + 1);
        state.map.invalidate_before(victim, end);
        state.units.valid_moved_together(victim, to.unit, slots);
        state.counters.read.moved += u64::from(slots);
        state.counters.programmed.moved += u64::from(slots);
        state.counters.pages_moved += u64::from(slots);
        if W::OBSERVED {
            let first = state.layout.ppn(victim, Slot(0));
            for (&(slot, owner), index) in row.iter().zip(0..) {
                self.content_moved(owner, first + slot.0, new + index);
            }
        }
        Ok(safe_at)
    }

    /// As [`copy_row`](Self::copy_row), as far as the array goes: each page in the mode that the
    /// effort scheme gives it.
    #[inline(never)]
    fn copy_row_in_modes(
        &mut self,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        row: &[(Slot, Lpn)],
        to: SlotAddress,
    ) -> Result<Nanos, Illegal> {
        let layout = &self.state.layout;
        let (from, new) = (layout.ppn(victim, Slot(0)), layout.ppn(to.unit, to.slot));
        let mut copies = std::mem::take(&mut self.buffers.copies);
        copies.clear();
        self.effort.modes_to_move(row, from, new, &mut copies);
        let row = (victim.0, copies.iter().copied());
        let end = self.state.array.copy_back_row_in_modes(
            at,
            pool.0,
            row,
            RowStart { block: to.unit.0, first: to.slot.0 },
        );
        self.buffers.copies = copies;
        end
    }
}
