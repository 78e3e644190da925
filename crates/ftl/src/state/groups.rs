//! Which slots hold one logical page together, and which slots were programmed more than once.
//!
//! A write over invalid pages puts a logical page on 2, 4 or 8 slots: a second write (kind 0), a
//! third or a fourth one. They are the same slot of as many units, one in each of neighbouring
//! pools, or this slot and the next of one unit. The page map points at the first part, and all
//! parts count as valid. The *block map* (section 5.2 of the paper of
//! [`second_write`](crate::reuse::second_write)) names the units of a group. A unit that was given
//! to such writes still holds first writes, too. A look-up by the block map alone would mistake
//! these, hence a bit for every slot and kind.

use strength_reduce::StrengthReducedU32;

use crate::address::{Slot, SlotAddress, Unit};
use crate::shape::layout::Layout;
use crate::shape::memory;

/// The most slots of a write.
pub(crate) const MOST_PARTS: usize = 8;

/// The units that writes of several slots go to: 2, 4 or 8 of them, or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    units: [Unit; MOST_PARTS],
    count: u8,
}

impl Group {
    /// A group of at most [`MOST_PARTS`] units, in the order of their pools.
    #[inline]
    pub(crate) fn of(units: &[Unit]) -> Group {
        let mut group = Group { units: [Unit::NONE; MOST_PARTS], count: units.len() as u8 };
        group.units[..units.len()].copy_from_slice(units);
        group
    }

    /// The group of a second write, the halves of which were found in these units, in any order.
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

/// The slots of one write of several, known by the first of them, at which the page map points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupSlot {
    /// 0 for second writes, 1 for third and 2 for fourth ones.
    pub(crate) kind: u8,
    /// In the first unit of the group; the other parts have the same slot, or in the only unit the
    /// slots behind.
    pub(crate) first: SlotAddress,
}

impl GroupSlot {
    /// Number of parts.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        2 << self.kind
    }
}

/// What a drive's groups are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupsShape {
    /// Kinds of writes behind the first: 1 to 3.
    pub(crate) kinds: u8,
    /// Whether the parts of a write lie in units of neighbouring pools; otherwise one unit has
    /// them.
    pub(crate) parallel: bool,
}

impl GroupsShape {
    /// Pools (and units) that share the writes of a kind.
    pub(crate) fn pools(&self, kind: u8) -> u32 {
        if self.parallel { 2 << kind } else { 1 }
    }

    /// Bytes of the block maps, and of a bit for every slot and kind of write.
    pub(crate) fn table_bytes(&self, layout: &Layout) -> u64 {
        let tables = if self.parallel { self.kinds } else { 0 };
        let units = u64::from(layout.units());
        let members = (0..tables).map(|kind| 4 * units * u64::from(self.pools(kind))).sum::<u64>();
        u64::from(self.kinds) * memory::bit_a_slot(layout) + members
    }
}

/// The block map, and a bit for every slot and kind of write.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    shape: GroupsShape,
    units: u32,
    words_per_unit: u32,
    /// For each kind the units that each unit is grouped with, in order; `NONE` where there are
    /// none. Empty where a group is a single unit.
    members: Vec<Vec<Unit>>,
    /// For each kind a bit for every slot that a write of this kind or a later one went over since
    /// the erase.
    written: Vec<u64>,
    /// Valid writes of each kind in each lane of that kind: the pools that share its writes.
    valid: Vec<u32>,
    /// Lanes of second writes.
    lanes: u32,
    units_per_lane: StrengthReducedU32,
}

impl Groups {
    /// No such writes anywhere.
    pub(crate) fn new(shape: GroupsShape, pools: u32, units: u32, words_per_unit: u32) -> Groups {
        let lanes = pools / shape.pools(0);
        let tables = if shape.parallel { shape.kinds } else { 0 };
        Groups {
            shape,
            units,
            words_per_unit,
            members: (0..tables).map(|kind| vec![Unit::NONE; (units * shape.pools(kind)) as usize]).collect(),
            written: vec![0; usize::from(shape.kinds) * (units * words_per_unit) as usize],
            valid: vec![0; usize::from(shape.kinds) * lanes as usize],
            lanes,
            units_per_lane: StrengthReducedU32::new(units / lanes),
        }
    }

    /// Whether a slot was programmed more than once since its erase: if it is valid it is a part of
    /// a write of several.
    #[inline]
    pub(crate) fn is_written(&self, unit: Unit, slot: Slot) -> bool {
        self.written[(unit.0 * self.words_per_unit + slot.0 / 64) as usize] >> (slot.0 % 64) & 1 == 1
    }

    /// Slots of a unit that a write of this kind or a later one went over: bit `i` of word `w` is
    /// slot `64 w + i`.
    #[inline]
    pub(crate) fn written_word(&self, kind: u8, unit: Unit, word: u32) -> u64 {
        self.written[self.word(kind, unit, word)]
    }

    /// Whether any slot of a unit was programmed more than once since its erase.
    #[inline]
    pub(crate) fn any_in(&self, unit: Unit) -> bool {
        (0..self.words_per_unit).any(|word| self.written_word(0, unit, word) != 0)
    }

    /// The newest write of several whose first part lies in a slot; `None` if the slot was
    /// programmed once, or if a mount did not find the other parts.
    #[inline]
    pub(crate) fn at(&self, SlotAddress { unit, slot }: SlotAddress) -> Option<GroupSlot> {
        if !self.is_written(unit, slot) {
            return None;
        }
        let is_of = |&kind: &u8| self.written_word(kind, unit, slot.0 / 64) >> (slot.0 % 64) & 1 == 1;
        let further = (1..self.shape.kinds).rev().find(is_of);
        let slots = GroupSlot { kind: further.unwrap_or(0), first: SlotAddress { unit, slot } };
        self.part(slots, 1).unit.is_some().then_some(slots)
    }

    /// Part `index` of a write: unit and slot.
    #[inline]
    pub(crate) fn part(&self, slots: GroupSlot, index: usize) -> SlotAddress {
        match self.members.get(usize::from(slots.kind)) {
            Some(members) => {
                let unit = members[(slots.first.unit.index() << (slots.kind + 1)) + index];
                SlotAddress { unit, slot: slots.first.slot }
            }
            None => SlotAddress { unit: slots.first.unit, slot: slots.first.slot + index as u32 },
        }
    }

    /// All parts of a write, the first one first.
    #[inline]
    pub(crate) fn parts(&self, slots: GroupSlot) -> impl DoubleEndedIterator<Item = SlotAddress> + '_ {
        (0..slots.len()).map(move |index| self.part(slots, index))
    }

    /// Whether the parts of a write lie on several planes.
    #[inline]
    pub(crate) fn are_parallel(&self) -> bool {
        self.shape.parallel
    }

    /// Every part of a write was programmed.
    #[inline]
    pub(crate) fn programmed(&mut self, slots: GroupSlot) {
        for index in 0..slots.len() {
            let SlotAddress { unit, slot } = self.part(slots, index);
            for kind in 0..=slots.kind {
                let word = self.word(kind, unit, slot.0 / 64);
                self.written[word] |= 1 << (slot.0 % 64);
            }
        }
    }

    /// The block map names the units of a group, to which writes of this kind will go.
    pub(crate) fn tie(&mut self, kind: u8, group: &Group) {
        let Some(members) = self.members.get_mut(usize::from(kind)) else { return };
        let width = group.units().len();
        for &unit in group.units() {
            members[unit.index() * width..][..width].copy_from_slice(group.units());
        }
    }

    /// A mount found a slot that was programmed more than once.
    pub(crate) fn restore_written(&mut self, SlotAddress { unit, slot }: SlotAddress) {
        let word = self.word(0, unit, slot.0 / 64);
        self.written[word] |= 1 << (slot.0 % 64);
    }

    /// A unit was erased or retired: nothing on it was programmed twice, and the units that it was
    /// grouped with have no valid writes of their group.
    pub(crate) fn forget(&mut self, unit: Unit) {
        for kind in 0..self.shape.kinds {
            let first = self.word(kind, unit, 0);
            self.written[first..first + self.words_per_unit as usize].fill(0);
        }
        for (kind, members) in (0..).zip(&mut self.members) {
            let width = self.shape.pools(kind) as usize;
            for part in 0..width {
                let member = members[unit.index() * width + part];
                if member.is_some() && member != unit {
                    members[member.index() * width..][..width].fill(Unit::NONE);
                }
            }
            members[unit.index() * width..][..width].fill(Unit::NONE);
        }
    }

    /// A write became valid.
    #[inline]
    pub(crate) fn valid_added(&mut self, slots: GroupSlot) {
        let lane = self.lane(slots);
        self.valid[lane] += 1;
    }

    /// A write became invalid.
    #[inline]
    pub(crate) fn valid_removed(&mut self, slots: GroupSlot) {
        let lane = self.lane(slots);
        self.valid[lane] -= 1;
    }

    #[inline]
    fn lane(&self, slots: GroupSlot) -> usize {
        (u32::from(slots.kind) * self.lanes + ((slots.first.unit.0 / self.units_per_lane) >> slots.kind))
            as usize
    }

    /// Slots of a lane that valid writes over several slots take beyond their data. A second write
    /// takes one. Of the lanes of a further write the last holds the data and one slot more, the
    /// others two.
    #[inline]
    pub(crate) fn excess(&self, lane: usize) -> u32 {
        let further = (1..self.shape.kinds).map(|kind| {
            let is_last = (lane + 1).is_multiple_of(1 << kind);
            self.valid[usize::from(kind) * self.lanes as usize + (lane >> kind)] * if is_last { 1 } else { 2 }
        });
        self.valid[lane] + further.sum::<u32>()
    }

    /// As [`excess`](Self::excess), of the drive.
    pub(crate) fn excess_total(&self) -> u64 {
        let lanes = self.valid.chunks_exact(self.lanes as usize);
        let valid = lanes.map(|valid| valid.iter().map(|&valid| u64::from(valid)).sum::<u64>());
        (1u32..).zip(valid).map(|(kind, valid)| valid * ((1 << kind) - 1)).sum()
    }

    /// The most slots of a write.
    pub(crate) fn most_parts(&self) -> u64 {
        2 << (self.shape.kinds - 1)
    }

    #[inline]
    fn word(&self, kind: u8, unit: Unit, word: u32) -> usize {
        ((u32::from(kind) * self.units + unit.0) * self.words_per_unit + word) as usize
    }
}
