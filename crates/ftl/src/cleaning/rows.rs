//! The valid pages of a victim, moved in rows of slots: where nobody has a say in how a page is
//! programmed ([`Path::Fast`](crate::layer::path::Path::Fast)), and pages are copied within their
//! plane.
//!
//! Such moves make up most programs of a plain drive. What they have in common is done once a row:
//! the checks of the array, its times, the counts of units and the validity bits. A page costs the
//! look for its owner and the two entries of the map.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Slot, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Moves the first `pages` valid pages of a unit under cleaning; returns when the last of them
    /// is safe.
    #[inline(never)]
    pub(super) fn move_in_rows(
        &mut self,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.resize(self.state.map.words_per_unit() as usize * 64, (Slot(0), Lpn::NONE));
        let first = self.state.layout.ppn(victim, Slot(0));
        let listed = self.state.map.list_valid(victim, first, &mut leaving).min(pages as usize);
        let moved = self.move_listed(at, pool, victim, stream, &leaving[..listed]);
        self.leaving = leaving;
        if moved.is_err() {
            self.state.units.break_off(victim);
        }
        moved
    }

    #[inline(always)]
    fn move_listed(
        &mut self,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
        leaving: &[(Slot, Lpn)],
    ) -> Result<Nanos, FtlError> {
        let (mut safe_at, mut left) = (at, leaving);
        while !left.is_empty() {
            let (to, slots) = match self.state.units.take_slots(pool, stream, left.len() as u32) {
                Some(row) => row,
                None => (self.open_for_moves(at, pool, stream, victim)?, 1),
            };
            let (row, later) = left.split_at(slots as usize);
            let state = &mut self.state;
            // A pool is a plane here, and a unit a block.
            let source = (victim.0, row.iter().map(|&(slot, _)| slot.0));
            let end = state.array.copy_back_row(at, pool.0, source, (to.unit.0, to.slot.0))?;
            safe_at = safe_at.max(end);
            let new = state.layout.ppn(to.unit, to.slot);
            state.map.bind_row(row.iter().map(|&(_, owner)| owner), (to.unit, to.slot), new);
            let end = row.last().map_or(Slot(0), |&(last, _)| last + 1);
            state.map.invalidate_before(victim, end);
            state.units.valid_moved_together(victim, to.unit, slots);
            state.counters.read.moved += u64::from(slots);
            state.counters.programmed.moved += u64::from(slots);
            state.counters.pages_moved += u64::from(slots);
            left = later;
        }
        Ok(safe_at)
    }
}
