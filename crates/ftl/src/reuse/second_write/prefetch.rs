//! Prefetching the content that the next write of a group goes over (section 5.3).
//!
//! The reads are wanted as soon as such a write is done. In the paper they are issued then
//! (`at-once`), behind what the chip was asked for before, and ahead of what it is asked for later.
//! Under `idle` they give way to all other operations of the chip, and start when it is idle. Once
//! started they are not broken off, so a request that comes in between waits for them. The array has
//! no event queue; so the reads are booked when the next operation of the planes comes, and was asked
//! for after them, or finds that the planes idled before it.

use rewear_flash::Nanos;

use super::SecondWrite;
use super::config::PrefetchChoice;
use super::recycled_active::{RecycledActive, next_eligible};
use crate::address::{Pool, Slot, SlotAddress};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::state::State;
use crate::state::groups::{GroupSlot, PARTS};

/// Slots whose content is wanted before the write comes that goes over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReadAhead {
    /// When the reads begin; their planes idled then.
    at: Nanos,
    slots: GroupSlot,
}

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
    /// An operation on a plane is asked for at `at`: the reads that were wanted, if they came first
    /// or the planes of its lane idled before.
    #[inline]
    fn read_ahead(&mut self, view: &State, plane: Pool, at: Nanos) -> Option<ReadAhead> {
        let lane = self.lane_of(plane);
        let Prefetch::Due(due) = self.lanes[lane].prefetch else { return None };
        if self.prefetches_at_once {
            return if due <= at { self.next_to_read(view, lane, due) } else { None };
        }
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
    /// When the content of some slots was read, if it is at hand. It is used up.
    #[inline]
    pub(super) fn content_at_hand(&mut self, slots: GroupSlot) -> Option<Nanos> {
        let lane = self.active.lane_at(slots);
        match std::mem::replace(&mut self.active.lanes[lane].prefetch, Prefetch::Nothing) {
            Prefetch::Done { at, slot } if slot == slots.first.slot => Some(at),
            _ => None,
        }
    }

    /// The reads are wanted if there is a next group slot.
    #[inline]
    pub(super) fn want_next(&mut self, state: &mut State, lane: usize, at: Nanos) {
        if self.config.prefetch != PrefetchChoice::Off
            && self.active.next_slots(state, &mut self.blocks, lane).is_some()
        {
            self.active.lanes[lane].prefetch = Prefetch::Due(at);
        }
    }
}

/// An operation on a pool is asked for at `at`: reads that were wanted were made if its planes idled
/// before.
#[inline(always)] // The question of every page.
pub(crate) fn read_ahead(hand: &mut Hand, at: Nanos, pool: Pool) -> Result<(), FtlError> {
    let (scheme, state) = hand.second_writes();
    match scheme.active.read_ahead(state, pool, at) {
        Some(ahead) => read_groups(hand, at, pool, ahead),
        None => Ok(()),
    }
}

/// Makes the wanted reads, from `first` on.
#[inline(never)]
fn read_groups(hand: &mut Hand, at: Nanos, pool: Pool, first: ReadAhead) -> Result<(), FtlError> {
    let mut next = Some(first);
    while let Some(ahead) = next {
        hand.counters().read.before_write += PARTS as u64;
        hand.counters().pages_prefetched += PARTS as u64;
        let end = hand.read_group(ahead.at, ahead.slots)?;
        let (scheme, state) = hand.second_writes();
        let lane = scheme.active.lane_at(ahead.slots);
        scheme.active.lanes[lane].prefetch = Prefetch::Done { at: end, slot: ahead.slots.first.slot };
        next = scheme.active.read_ahead(state, pool, at);
    }
    Ok(())
}
