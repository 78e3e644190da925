//! Which slots hold one logical page together, and which slots were programmed more than once.
//!
//! A second write puts a logical page on two invalid pages. They are the same slot of two units, one
//! in each of two neighbouring pools, or this slot and the next of one unit. The page map points at
//! the first part, and both parts count as valid. The *block map* (section 5.2 of the paper of
//! [`second_write`](crate::reuse::second_write)) names the units of a group. A unit that was given
//! to such writes still holds first writes, too. A look-up by the block map alone would mistake
//! these, hence a bit for every slot.

use strength_reduce::StrengthReducedU32;

use crate::address::{Slot, SlotAddress, Unit};
use crate::shape::layout::Layout;

/// Slots of a second write.
pub(crate) const PARTS: usize = 2;

/// The units that second writes go to: two of them, or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    units: [Unit; PARTS],
    count: u8,
}

impl Group {
    /// A group of one unit or two, in the order of their pools.
    #[inline]
    pub(crate) fn of(units: &[Unit]) -> Group {
        let mut group = Group { units: [Unit::NONE; PARTS], count: units.len() as u8 };
        group.units[..units.len()].copy_from_slice(units);
        group
    }

    /// The group of a second write with halves in these units, in any order.
    pub(crate) fn of_halves(unit: Unit, other: Unit) -> Group {
        if unit == other { Group::of(&[unit]) } else { Group::of(&[unit.min(other), unit.max(other)]) }
    }

    #[inline]
    pub(crate) fn units(&self) -> &[Unit] {
        &self.units[..usize::from(self.count)]
    }

    /// The unit by which the group is known.
    #[inline]
    pub(crate) fn first(&self) -> Unit {
        self.units[0]
    }
}

/// The slots of one second write, known by the first of them, at which the page map points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupSlot {
    /// In the first unit of the group; the other part has the same slot, or in the only unit the
    /// slot behind.
    pub(crate) first: SlotAddress,
}

/// What a drive's groups are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupsShape {
    /// Whether the parts of a write lie in units of neighbouring pools; otherwise one unit has
    /// them.
    pub(crate) parallel: bool,
}

impl GroupsShape {
    /// Pools (and units) that share second writes.
    pub(crate) fn pools(&self) -> u32 {
        if self.parallel { PARTS as u32 } else { 1 }
    }

    /// Bytes of the block map, and of a bit for every slot.
    pub(crate) fn table_bytes(&self, layout: &Layout) -> u64 {
        let members = if self.parallel { 4 * PARTS as u64 * u64::from(layout.units()) } else { 0 };
        layout.bytes_of_bit_a_slot() + members
    }
}

/// The block map, and a bit for every slot.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    shape: GroupsShape,
    words_per_unit: u32,
    /// The units that each unit is grouped with, itself included, in order; `NONE` where there are
    /// none. Empty where a group is a single unit.
    members: Vec<[Unit; PARTS]>,
    /// A bit for every slot that a second write went over since the erase.
    written: Vec<u64>,
    /// Valid second writes of each lane: the pools that share them.
    valid: Vec<u32>,
    units_per_lane: StrengthReducedU32,
}

impl Groups {
    /// No such writes anywhere.
    pub(crate) fn new(shape: GroupsShape, pools: u32, units: u32, words_per_unit: u32) -> Groups {
        let lanes = pools / shape.pools();
        let tied = if shape.parallel { units as usize } else { 0 };
        Groups {
            shape,
            words_per_unit,
            members: vec![[Unit::NONE; PARTS]; tied],
            written: vec![0; (units * words_per_unit) as usize],
            valid: vec![0; lanes as usize],
            units_per_lane: StrengthReducedU32::new(units / lanes),
        }
    }

    /// Whether a slot was programmed more than once since its erase: if it is valid it is a part of
    /// a second write.
    #[inline]
    pub(crate) fn is_written(&self, unit: Unit, slot: Slot) -> bool {
        self.written_word(unit, slot.0 / 64) >> (slot.0 % 64) & 1 == 1
    }

    /// Slots of a unit that a second write went over: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub(crate) fn written_word(&self, unit: Unit, word: u32) -> u64 {
        self.written[self.word(unit, word)]
    }

    /// Whether any slot of a unit was programmed more than once since its erase.
    #[inline]
    pub(crate) fn any_in(&self, unit: Unit) -> bool {
        (0..self.words_per_unit).any(|word| self.written_word(unit, word) != 0)
    }

    /// The second write whose first part lies in a slot; `None` if the slot was programmed once, or
    /// if a mount did not find the other part.
    #[inline]
    pub(crate) fn at(&self, first: SlotAddress) -> Option<GroupSlot> {
        if !self.is_written(first.unit, first.slot) {
            return None;
        }
        let slots = GroupSlot { first };
        self.part(slots, 1).unit.is_some().then_some(slots)
    }

    /// Part `index` of a write: unit and slot.
    #[inline]
    pub(crate) fn part(&self, slots: GroupSlot, index: usize) -> SlotAddress {
        let SlotAddress { unit, slot } = slots.first;
        match self.members.get(unit.index()) {
            Some(members) => SlotAddress { unit: members[index], slot },
            None => SlotAddress { unit, slot: slot + index as u32 },
        }
    }

    /// Both parts of a write, the first one first.
    #[inline]
    pub(crate) fn parts(&self, slots: GroupSlot) -> [SlotAddress; PARTS] {
        [self.part(slots, 0), self.part(slots, 1)]
    }

    /// Whether the parts of a write lie on several planes.
    #[inline]
    pub(crate) fn are_parallel(&self) -> bool {
        self.shape.parallel
    }

    /// Every part of a write was programmed.
    #[inline]
    pub(crate) fn programmed(&mut self, slots: GroupSlot) {
        debug_assert!(self.part(slots, 1).unit.is_some(), "the unit of {slots:?} is in no group");
        debug_assert!(
            self.parts(slots).iter().all(|part| !self.is_written(part.unit, part.slot)),
            "{slots:?} took a second write before"
        );
        self.parts(slots).into_iter().for_each(|part| self.mark_written(part));
    }

    /// The block map names the units of a group, to which second writes will go.
    pub(crate) fn tie(&mut self, group: &Group) {
        debug_assert_eq!(group.units().len(), self.shape.pools() as usize, "{group:?}");
        for unit in group.units() {
            if let Some(members) = self.members.get_mut(unit.index()) {
                debug_assert!(
                    members[0].is_none() || *members == group.units,
                    "unit {unit} is in the group {members:?}"
                );
                *members = group.units;
            }
        }
    }

    /// A second write went over a slot.
    #[inline]
    pub(crate) fn mark_written(&mut self, SlotAddress { unit, slot }: SlotAddress) {
        let word = self.word(unit, slot.0 / 64);
        self.written[word] |= 1 << (slot.0 % 64);
    }

    /// A unit was erased or retired: nothing on it was programmed twice, and the unit that it was
    /// grouped with has no valid writes of their group.
    pub(crate) fn forget(&mut self, unit: Unit) {
        let (first, words) = (self.word(unit, 0), self.words_per_unit as usize);
        self.written[first..first + words].fill(0);
        let Some(&members) = self.members.get(unit.index()) else { return };
        for member in members.into_iter().filter(|member| member.is_some()) {
            self.members[member.index()] = [Unit::NONE; PARTS];
        }
    }

    /// A write became valid.
    #[inline]
    pub(crate) fn valid_added(&mut self, slots: GroupSlot) {
        debug_assert!(self.is_written(slots.first.unit, slots.first.slot), "{slots:?} was not programmed");
        let lane = self.lane(slots);
        self.valid[lane] += 1;
    }

    /// A write became invalid.
    #[inline]
    pub(crate) fn valid_removed(&mut self, slots: GroupSlot) {
        let lane = self.lane(slots);
        debug_assert!(self.valid[lane] > 0, "lane {lane} has no valid write");
        debug_assert!(self.is_written(slots.first.unit, slots.first.slot), "{slots:?} was not programmed");
        self.valid[lane] -= 1;
    }

    #[inline]
    fn lane(&self, slots: GroupSlot) -> usize {
        (slots.first.unit.0 / self.units_per_lane) as usize
    }

    /// Slots of a lane that valid second writes take beyond their data: one each.
    #[inline]
    pub(crate) fn excess(&self, lane: usize) -> u32 {
        self.valid[lane]
    }

    /// As [`excess`](Self::excess), of the drive.
    pub(crate) fn excess_total(&self) -> u64 {
        self.valid.iter().map(|&valid| u64::from(valid)).sum()
    }

    #[inline]
    fn word(&self, unit: Unit, word: u32) -> usize {
        (unit.0 * self.words_per_unit + word) as usize
    }
}
