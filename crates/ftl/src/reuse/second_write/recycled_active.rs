//! The blocks that second writes go to now (*RecycledActive*), and the offset counter (section
//! 5.1).

use std::ops::Range;

use strength_reduce::StrengthReducedU32;

use super::block_states::BlockStates;
use super::encoding::{GroupCells, Outcomes};
use super::prefetch::Prefetch;
use crate::address::{Pool, Slot, SlotAddress};
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::groups::{Group, GroupSlot, Groups};
use crate::state::map::Map;
use crate::state::units::Units;

/// The RecycledActive blocks of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Active {
    pub(super) group: Group,
    /// The offset counter: no slot before it is written again.
    pub(super) next: Slot,
}

/// What is known of the next slots of a group from the writes that failed on them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TriedSlots {
    pub(super) failures: u32,
    /// Whose chances stand for their own (see [`Outcomes`]).
    pub(super) mask: Option<u32>,
}

/// The planes that share second writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lane {
    pub(super) active: Option<Active>,
    pub(super) prefetch: Prefetch,
    pub(super) tried: TriedSlots,
}

impl Lane {
    const IDLE: Lane =
        Lane { active: None, prefetch: Prefetch::Nothing, tried: TriedSlots { failures: 0, mask: None } };
}

/// All lanes, and what decides whether their writes succeed.
#[derive(Debug, Clone)]
pub(super) struct RecycledActive {
    /// A lane has 2^`planes_log2` planes.
    planes_log2: u32,
    units_per_lane: StrengthReducedU32,
    pub(super) lanes: Vec<Lane>,
    /// Whether what the next write goes over is read as soon as the write before it is done.
    pub(super) prefetches_at_once: bool,
    pub(super) outcomes: Outcomes,
    /// The real code, where cells are stored.
    pub(super) cells: Option<Box<GroupCells>>,
}

impl RecycledActive {
    /// Before the drive's layout is known.
    pub(super) fn none(outcomes: Outcomes) -> RecycledActive {
        RecycledActive {
            planes_log2: 0,
            units_per_lane: StrengthReducedU32::new(1),
            lanes: Vec::new(),
            prefetches_at_once: false,
            outcomes,
            cells: None,
        }
    }

    /// Second writes that go to `planes` planes at once.
    pub(super) fn new(
        planes: u32,
        prefetches_at_once: bool,
        layout: &Layout,
        outcomes: Outcomes,
        cells: Option<GroupCells>,
    ) -> RecycledActive {
        RecycledActive {
            planes_log2: planes.trailing_zeros(),
            units_per_lane: StrengthReducedU32::new(planes * layout.units_per_pool),
            lanes: vec![Lane::IDLE; (layout.pools / planes) as usize],
            prefetches_at_once,
            outcomes,
            cells: cells.map(Box::new),
        }
    }

    #[inline]
    pub(super) fn lane_of(&self, plane: Pool) -> usize {
        (plane.0 >> self.planes_log2) as usize
    }

    #[inline]
    pub(super) fn lane_at(&self, slots: GroupSlot) -> usize {
        (slots.first.unit.0 / self.units_per_lane) as usize
    }

    #[inline]
    pub(super) fn planes_of(&self, lane: usize) -> Range<Pool> {
        let lane = lane as u32;
        Pool(lane << self.planes_log2)..Pool((lane + 1) << self.planes_log2)
    }

    /// The next slots for a second write: of the active group, or of the next one.
    #[inline]
    pub(super) fn next_slots(
        &mut self,
        state: &mut State,
        blocks: &mut BlockStates,
        lane: usize,
    ) -> Option<GroupSlot> {
        loop {
            let Some(active) = &self.lanes[lane].active else {
                self.open(state, blocks, lane)?;
                continue;
            };
            let groups = state.groups.as_deref()?;
            let next = next_eligible(groups, &state.map, state.layout.slots_per_unit, active);
            if let Some(slot) = next {
                let first = SlotAddress { unit: active.group.first(), slot };
                return Some(GroupSlot { first });
            }
            self.close(&mut state.units, blocks, lane);
        }
    }

    /// Whether there may be next slots: otherwise [`next_slots`](Self::next_slots) finds none, and
    /// changes nothing.
    #[inline]
    pub(super) fn may_have_next(&self, blocks: &BlockStates, lane: usize) -> bool {
        self.lanes[lane].active.is_some() || blocks.have_recycled(self.planes_of(lane))
    }

    /// The oldest recycled block of each plane becomes RecycledActive; `None` if one has none.
    #[inline]
    fn open(&mut self, state: &mut State, blocks: &mut BlockStates, lane: usize) -> Option<()> {
        let group = blocks.next_group(self.planes_of(lane))?;
        if let Some(groups) = &mut state.groups {
            groups.tie(&group);
        }
        self.lanes[lane].active = Some(Active { group, next: Slot(0) });
        Some(())
    }

    /// Nothing is left to write on the active group, or it is wanted otherwise: its blocks are
    /// reused. Whether there was one.
    pub(super) fn close(&mut self, units: &mut Units, blocks: &mut BlockStates, lane: usize) -> bool {
        let Some(active) = self.lanes[lane].active else { return false };
        self.lanes[lane] = Lane::IDLE;
        active.group.units().iter().for_each(|&unit| blocks.reuse(units, unit));
        true
    }
}

/// The next slot from the offset counter on at which both parts are invalid and were not
/// written together since their erase.
pub(super) fn next_eligible(
    groups: &Groups,
    map: &Map,
    slots_per_unit: u32,
    active: &Active,
) -> Option<Slot> {
    let units = active.group.units();
    let taken_in = |unit, word| map.valid_word(unit, word) | groups.written_word(unit, word);
    let free = |word: u32| {
        let taken = units.iter().fold(0, |bits, &unit| bits | taken_in(unit, word));
        // Slots behind the last are never valid.
        let behind = (word + 1) * 64;
        let exists = if behind <= slots_per_unit { u64::MAX } else { u64::MAX >> (behind - slots_per_unit) };
        !taken & exists
    };
    let words = map.words_per_unit();
    for word in active.next.0 / 64..words {
        let mut eligible = free(word);
        if units.len() == 1 {
            // Both of two consecutive slots.
            let following = if word + 1 < words { free(word + 1) & 1 } else { 0 };
            eligible &= eligible >> 1 | following << 63;
        }
        if word == active.next.0 / 64 {
            eligible &= u64::MAX << (active.next.0 % 64);
        }
        if eligible != 0 {
            return Some(Slot::of_bit(word, eligible.trailing_zeros()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::address::{Lpn, Ppn, Unit};
    use crate::state::groups::GroupsShape;

    proptest! {
        #[test]
        fn the_offset_counter_finds_what_a_search_finds(
            valid in prop::collection::vec(prop::collection::vec(any::<bool>(), 150), 4),
            written in prop::collection::vec(0u32..149, 0..20),
            next in 0u32..150,
            parallel in any::<bool>(),
        ) {
            let mut map = Map::new(800, 4, 150);
            for (unit, valid) in (0..).map(Unit).zip(&valid) {
                for slot in Slot::all(150).filter(|slot| valid[slot.index()]) {
                    let number = unit.0 * 150 + slot.0;
                    map.bind(Lpn(number), Ppn(number), unit, slot);
                }
            }
            let shape = GroupsShape { parallel };
            let mut groups = Groups::new(shape, 4, 4, map.words_per_unit());
            let group = Group::of(&[0, 1].map(Unit)[..shape.pools() as usize]);
            groups.tie(&group);
            let slots = |slot| GroupSlot { first: SlotAddress { unit: Unit(0), slot: Slot(slot) } };
            for slots in written.into_iter().map(slots) {
                // A slot takes one second write.
                if groups.parts(slots).iter().all(|part| !groups.is_written(part.unit, part.slot)) {
                    groups.programmed(slots);
                }
            }
            let free = |SlotAddress { unit, slot }: SlotAddress| {
                slot.0 < 150 && !map.is_valid(unit, slot) && !groups.is_written(unit, slot)
            };
            let expected = (next..150).find(|&slot| groups.parts(slots(slot)).into_iter().all(free)).map(Slot);
            let active = Active { group, next: Slot(next) };
            prop_assert_eq!(next_eligible(&groups, &map, 150, &active), expected);
        }
    }
}
