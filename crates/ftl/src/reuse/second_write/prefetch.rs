//! Prefetching the content that the next write of a group goes over (section 5.3).
//!
//! The reads are wanted as soon as such a write is done. They give way to all other operations of
//! the chip, and start when it is idle. Once started they are not broken off, so a request that
//! comes in between waits for them. The array has no event queue; so the reads are booked when the
//! next operation of the planes comes and finds that they idled before it.

use rewear_flash::Nanos;

use super::SecondWrite;
use super::recycled_active::{RecycledActive, next_eligible};
use crate::address::{Pool, Slot, SlotAddress};
use crate::reuse::place::ReadAhead;
use crate::state::State;
use crate::state::groups::GroupSlot;

/// Whether the old content of the next slots of a group is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefetch {
    Nothing,
    /// Wanted since.
    Due(Nanos),
    /// Read by then, from this slot of the active group.
    Done {
        at: Nanos,
        slot: Slot,
    },
}

impl Prefetch {
    pub(super) fn restart_clock(&mut self) {
        match self {
            Prefetch::Nothing => {}
            Prefetch::Due(at) | Prefetch::Done { at, .. } => *at = 0,
        }
    }
}

impl RecycledActive {
    /// An operation on a plane is asked for at `at`: if the planes of its lane idled before, the
    /// reads that were wanted.
    #[inline]
    fn read_ahead(&mut self, view: &State, plane: Pool, at: Nanos) -> Option<ReadAhead> {
        let lane = self.lane_of(plane);
        let Prefetch::Due(due) = self.lanes[lane].prefetch else { return None };
        let idle_since =
            Pool::each(self.planes_of(lane)).map(|plane| view.array.free_at(plane.0)).fold(due, Nanos::max);
        if idle_since < at { self.next_to_read(view, lane, due) } else { None }
    }

    #[inline(never)]
    fn next_to_read(&mut self, view: &State, lane: usize, due: Nanos) -> Option<ReadAhead> {
        let active = self.lanes[lane].active.as_ref()?;
        let groups = view.groups.as_deref()?;
        let next = next_eligible(groups, &view.map, view.layout.slots_per_unit, active);
        let unit = active.group.first();
        if next.is_none() {
            self.lanes[lane].prefetch = Prefetch::Nothing;
        }
        next.map(|slot| ReadAhead { at: due, slots: GroupSlot { first: SlotAddress { unit, slot } } })
    }
}

impl SecondWrite {
    /// The next reads that the planes had time for.
    #[inline(always)] // The way of every page.
    pub(super) fn next_read_ahead(&mut self, view: &State, plane: Pool, at: Nanos) -> Option<ReadAhead> {
        self.active.read_ahead(view, plane, at)
    }

    /// The reads are wanted if there is a next group slot.
    #[inline]
    pub(super) fn want_next(&mut self, view: &State, lane: usize, at: Nanos) {
        if self.config.prefetch && self.active.next_slots(view, &mut self.blocks, lane).is_some() {
            self.active.lanes[lane].prefetch = Prefetch::Due(at);
        }
    }
}
