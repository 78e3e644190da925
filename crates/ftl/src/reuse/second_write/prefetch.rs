//! Prefetching the content that the next second write goes over (section 5.3).
//!
//! The reads are wanted as soon as a second write is done, and give way to whatever else the chip was asked for: they
//! start when it has nothing else to do. Once started they are not broken off, so a request that comes in
//! between waits for them. The array has no event queue; so the reads are booked when the next operation of the two planes
//! comes and finds that they idled before it.

use rewear_flash::Nanos;

use super::SecondWrite;
use super::lane::{Active, Prefetch, next_eligible};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::Reuse;
use crate::state::State;

impl Prefetch {
    pub(super) fn restart_clock(&mut self) {
        match self {
            Prefetch::Nothing => {}
            Prefetch::Due(at) | Prefetch::Done { at, .. } => *at = 0,
        }
    }
}

impl SecondWrite {
    /// An operation on a plane of the lane is asked for at `at`: if the planes idled before, the reads that were wanted
    /// have been made.
    #[inline(always)] // The way of every page.
    pub(super) fn settle_prefetch(
        &mut self,
        state: &mut State,
        lane: usize,
        at: Nanos,
    ) -> Result<(), FtlError> {
        if !self.further.is_empty() {
            let pool = self.pools_of(lane).start;
            self.settle_groups(state, pool, at)?;
        }
        let Prefetch::Due(due) = self.lanes[lane].prefetch else { return Ok(()) };
        let idle_since = self.pools_of(lane).map(|plane| state.array.free_at(plane)).fold(due, Nanos::max);
        match self.lanes[lane].active {
            Some(active) if idle_since < at => self.make_prefetch(state, lane, active, due),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn make_prefetch(
        &mut self,
        state: &mut State,
        lane: usize,
        active: Active,
        due: Nanos,
    ) -> Result<(), FtlError> {
        let Some(pairs) = &state.pairs else { return Ok(()) };
        self.lanes[lane].prefetch =
            match next_eligible(pairs, &state.map, state.layout.slots_per_unit, active) {
                None => Prefetch::Nothing,
                Some(slot) => {
                    state.counters.read.before_write += 2;
                    state.counters.pages_prefetched += 2;
                    Prefetch::Done { at: state.read_halves(due, (active.unit, slot))?, slot }
                }
            };
        Ok(())
    }

    /// The old content of the pages that a second write goes over is wanted at `at`; returns when it is there.
    #[inline]
    pub(super) fn old_content(
        &mut self,
        state: &mut State,
        lane: usize,
        at: Nanos,
        first: (u32, u32),
    ) -> Result<Nanos, FtlError> {
        match std::mem::replace(&mut self.lanes[lane].prefetch, Prefetch::Nothing) {
            Prefetch::Done { at: read_at, slot } if slot == first.1 => Ok(at.max(read_at)),
            _ => {
                state.counters.read.before_write += 2;
                Ok(state.read_halves(at, first)?)
            }
        }
    }
}

impl Ftl {
    /// A host's read of a plane is asked for: see [`SecondWrite::settle_prefetch`].
    #[inline]
    pub(crate) fn settle_prefetch(&mut self, at: Nanos, unit: u32) -> Result<(), FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(()) };
        let lane = scheme.lane_of(self.state.layout.pool_of(unit));
        scheme.settle_prefetch(&mut self.state, lane, at)
    }
}
