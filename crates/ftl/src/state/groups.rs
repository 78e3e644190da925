//! Which slots hold one logical page together, and which slots were programmed more than once.
//!
//! A write over invalid pages puts a logical page on 2, 4 or 8 slots: a second write (kind 0), a third or a fourth one. They are
//! the same slot of as many units, one in each of neighbouring pools, or this slot and the next of one unit. The page map points
//! at the first part, and all parts count as valid. The *block map* (section 5.2 of the paper of
//! [`second_write`](crate::reuse::second_write)) names the units of a group. A unit that was given to such writes still holds
//! first writes, too, which a look-up by the block map alone would mistake; hence a bit for every slot and kind.

use crate::address::{Slot, SlotAddress, Unit};

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

    /// Slots of a write.
    #[inline]
    pub(crate) fn parts(&self) -> usize {
        usize::from(self.count).max(2)
    }
}

/// The slots of one write of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupSlot {
    /// 0 for second writes, 1 for third and 2 for fourth ones.
    pub(crate) kind: u8,
    pub(crate) group: Group,
    /// The slot of each unit, or the first of the slots of the only one.
    pub(crate) slot: Slot,
}

impl GroupSlot {
    /// The part at which the page map points.
    #[inline]
    pub(crate) fn first(&self) -> SlotAddress {
        SlotAddress { unit: self.group.first(), slot: self.slot }
    }

    /// Whether the parts are slots of one unit in a row.
    #[inline]
    pub(crate) fn lies_in_one_unit(&self) -> bool {
        self.group.count == 1
    }

    /// Number of parts.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.group.parts()
    }

    /// Part `index`: unit and slot.
    #[inline]
    pub(crate) fn part(&self, index: usize) -> SlotAddress {
        match self.group.count {
            1 => SlotAddress { unit: self.group.first(), slot: self.slot + index as u32 },
            _ => SlotAddress { unit: self.group.units[index], slot: self.slot },
        }
    }

    /// All parts, the first one first.
    #[inline]
    pub(crate) fn parts(self) -> impl DoubleEndedIterator<Item = SlotAddress> {
        (0..self.len()).map(move |index| self.part(index))
    }
}

/// What a drive's groups are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupsShape {
    /// Kinds of writes behind the first: 1 to 3.
    pub(crate) kinds: u8,
    /// Whether the parts of a write lie in units of neighbouring pools; otherwise one unit has them.
    pub(crate) parallel: bool,
}

impl GroupsShape {
    /// Pools (and units) that share the writes of a kind.
    pub(crate) fn pools(&self, kind: u8) -> u32 {
        if self.parallel { 2 << kind } else { 1 }
    }
}

/// The block map, and a bit for every slot and kind of write.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    shape: GroupsShape,
    units: u32,
    words_per_unit: u32,
    /// For each kind the units that each unit is grouped with, in order; `NONE` where there are none. Empty where a group is a
    /// single unit.
    members: Vec<Vec<Unit>>,
    /// For each kind a bit for every slot that a write of this kind or a later one went over since the erase.
    written: Vec<u64>,
    /// Slots that valid writes of several take in each lane beyond their data; a lane is the pools that share second writes.
    excess: Vec<u32>,
    excess_total: u64,
    units_per_lane: u32,
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
            excess: vec![0; lanes as usize],
            excess_total: 0,
            units_per_lane: units / lanes,
        }
    }

    /// Whether a slot was programmed more than once since its erase: if it is valid it is a part of a write of several.
    #[inline]
    pub(crate) fn is_written(&self, unit: Unit, slot: Slot) -> bool {
        self.written[(unit.0 * self.words_per_unit + slot.0 / 64) as usize] >> (slot.0 % 64) & 1 == 1
    }

    /// Slots of a unit that a write of this kind or a later one went over: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub(crate) fn written_word(&self, kind: u8, unit: Unit, word: u32) -> u64 {
        self.written[self.word(kind, unit, word)]
    }

    /// Whether any slot of a unit was programmed more than once since its erase.
    #[inline]
    pub(crate) fn any_in(&self, unit: Unit) -> bool {
        (0..self.words_per_unit).any(|word| self.written_word(0, unit, word) != 0)
    }

    /// The newest write of several whose first part lies in a slot; `None` if the slot was programmed once, or if a mount did not
    /// find the other parts.
    #[inline]
    pub(crate) fn at(&self, SlotAddress { unit, slot }: SlotAddress) -> Option<GroupSlot> {
        let is_of = |&kind: &u8| self.written_word(kind, unit, slot.0 / 64) >> (slot.0 % 64) & 1 == 1;
        let kind = (0..self.shape.kinds).rev().find(is_of)?;
        let Some(members) = self.members.get(usize::from(kind)) else {
            return Some(GroupSlot { kind, group: Group::of(&[unit]), slot });
        };
        let width = self.shape.pools(kind) as usize;
        let units = &members[unit.index() * width..][..width];
        units[0].is_some().then(|| GroupSlot { kind, group: Group::of(units), slot })
    }

    /// Every part of a write was programmed.
    #[inline]
    pub(crate) fn programmed(&mut self, at: &GroupSlot) {
        self.tie(at.kind, &at.group);
        for SlotAddress { unit, slot } in at.parts() {
            for kind in 0..=at.kind {
                let word = self.word(kind, unit, slot.0 / 64);
                self.written[word] |= 1 << (slot.0 % 64);
            }
        }
    }

    /// The block map names the units of a group.
    #[inline]
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

    /// A unit was erased or retired: nothing on it was programmed twice, and the units that it was grouped with have no valid
    /// writes of their group.
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

    /// A write on these units became valid.
    #[inline]
    pub(crate) fn valid_added(&mut self, group: &Group) {
        self.each_excess(group, |excess, slots| *excess += slots);
        self.excess_total += group.parts() as u64 - 1;
    }

    /// A write on these units became invalid.
    #[inline]
    pub(crate) fn valid_removed(&mut self, group: &Group) {
        self.each_excess(group, |excess, slots| *excess -= slots);
        self.excess_total -= group.parts() as u64 - 1;
    }

    /// Two slots of each lane, but of the last one, which holds the data, one.
    #[inline]
    fn each_excess(&mut self, group: &Group, change: impl Fn(&mut u32, u32)) {
        let mut lanes = group.units().chunks(self.shape.pools(0) as usize).peekable();
        while let Some(units) = lanes.next() {
            let slots = if lanes.peek().is_some() { 2 } else { 1 };
            change(&mut self.excess[(units[0].0 / self.units_per_lane) as usize], slots);
        }
    }

    /// Slots of a lane that valid writes of several take beyond their data.
    #[inline]
    pub(crate) fn excess(&self, lane: usize) -> u32 {
        self.excess[lane]
    }

    /// As [`excess`](Self::excess), of the drive.
    pub(crate) fn excess_total(&self) -> u64 {
        self.excess_total
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
