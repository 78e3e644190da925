//! Which pages hold second writes, and where the two halves of one lie.
//!
//! The page map points at a second write's first half. In parallel mode the halves have the same slot in a pair of blocks
//! (section 5.2): the *block map* names each block's partner. A block that was recycled with valid pages holds first writes
//! too, which the paper's lookup by the block map alone would mistake for second writes; hence a bit for every slot. In
//! sequential mode the second half is the slot after the first.

use crate::address::NONE;
use crate::state::groups::{Group, Groups};

/// The block map, and a bit for every slot that was programmed twice or more often.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// Partner of each unit; in sequential mode the unit itself.
    partner: Vec<u32>,
    twice: Vec<u64>,
    words_per_unit: u32,
    parallel: bool,
    /// Pages that valid second writes of each lane (a pair of pools, or one) take beyond those of their data.
    valid: Vec<u32>,
    valid_total: u64,
    units_per_lane: u32,
    /// Third and fourth writes, where there are any.
    groups: Option<Box<Groups>>,
}

impl Pairs {
    /// No second writes anywhere.
    pub(crate) fn new(units: u32, words_per_unit: u32, lanes: u32, parallel: bool) -> Pairs {
        Pairs {
            partner: vec![NONE; units as usize],
            twice: vec![0; units as usize * words_per_unit as usize],
            words_per_unit,
            parallel,
            valid: vec![0; lanes as usize],
            valid_total: 0,
            units_per_lane: units / lanes,
            groups: None,
        }
    }

    /// Room for the third writes of a drive, or for third and fourth ones.
    pub(crate) fn with_groups(mut self, kinds: usize) -> Pairs {
        let units = self.partner.len() as u32;
        self.groups = (kinds > 0).then(|| Box::new(Groups::new(units, self.words_per_unit, kinds)));
        self
    }

    /// Third and fourth writes, where there are any.
    #[inline]
    pub(crate) fn groups(&self) -> Option<&Groups> {
        self.groups.as_deref()
    }

    /// Ties units together for third (`kind` 0) or fourth writes.
    pub(crate) fn link_group(&mut self, kind: usize, group: &Group) {
        if let Some(groups) = &mut self.groups {
            groups.link(kind, group);
        }
    }

    /// Ties two units together.
    pub(crate) fn link(&mut self, unit: u32, partner: u32) {
        self.partner[unit as usize] = partner;
        self.partner[partner as usize] = unit;
    }

    /// A mount found a slot that was programmed twice.
    pub(crate) fn restore_twice(&mut self, (unit, slot): (u32, u32)) {
        self.twice[(unit * self.words_per_unit + slot / 64) as usize] |= 1 << (slot % 64);
    }

    /// A mount found the halves of a second write in two units.
    pub(crate) fn restore_link(&mut self, unit: u32, partner: u32) {
        self.link(unit, partner);
    }

    /// A unit was erased or retired: nothing on it was programmed twice, and its partner is left with first writes only.
    pub(crate) fn forget(&mut self, unit: u32) {
        let partner = std::mem::replace(&mut self.partner[unit as usize], NONE);
        if partner != NONE {
            self.partner[partner as usize] = NONE;
        }
        let first = (unit * self.words_per_unit) as usize;
        self.twice[first..first + self.words_per_unit as usize].fill(0);
        if let Some(groups) = &mut self.groups {
            groups.forget(unit);
        }
    }

    /// Whether a slot was programmed twice or more often since its erase: if it is valid it is a half of a second write, or a part
    /// of a third or fourth one.
    #[inline]
    pub(crate) fn is_twice(&self, unit: u32, slot: u32) -> bool {
        self.twice[(unit * self.words_per_unit + slot / 64) as usize] >> (slot % 64) & 1 == 1
    }

    /// Whether any slot of a unit was programmed twice or more often since its erase.
    #[inline]
    pub(crate) fn any_in(&self, unit: u32) -> bool {
        (0..self.words_per_unit).any(|word| self.twice_word(unit, word) != 0)
    }

    /// Bits of a unit: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub(crate) fn twice_word(&self, unit: u32, word: u32) -> u64 {
        self.twice[(unit * self.words_per_unit + word) as usize]
    }

    /// The second half of a second write whose first half lies here.
    #[inline]
    pub(crate) fn second_half(&self, (unit, slot): (u32, u32)) -> (u32, u32) {
        if self.parallel { (self.partner[unit as usize], slot) } else { (unit, slot + 1) }
    }

    /// Both halves were programmed a second time.
    pub(crate) fn programmed(&mut self, first: (u32, u32)) {
        for (unit, slot) in [first, self.second_half(first)] {
            self.twice[(unit * self.words_per_unit + slot / 64) as usize] |= 1 << (slot % 64);
        }
    }

    /// All parts of a third or fourth write were programmed.
    pub(crate) fn programmed_group(&mut self, kind: usize, group: &Group, slot: u32) {
        for &unit in group.units() {
            self.restore_twice((unit, slot));
        }
        if let Some(groups) = &mut self.groups {
            groups.programmed(kind, group, slot);
        }
    }

    /// A third or fourth write on these units became valid (`add`) or invalid: what it takes beyond its data, two pages of
    /// each lane but the last, which holds the data.
    pub(crate) fn count_group(&mut self, group: &Group, add: bool) {
        let lanes = group.units().chunks_exact(2);
        let last = lanes.len() - 1;
        for (index, units) in lanes.enumerate() {
            let pages = if index < last { 2 } else { 1 };
            let valid = &mut self.valid[(units[0] / self.units_per_lane) as usize];
            let total = &mut self.valid_total;
            (*valid, *total) = match add {
                true => (*valid + pages, *total + u64::from(pages)),
                false => (*valid - pages, *total - u64::from(pages)),
            };
        }
    }

    /// A second write in this unit became valid.
    pub(crate) fn valid_added(&mut self, unit: u32) {
        self.valid[(unit / self.units_per_lane) as usize] += 1;
        self.valid_total += 1;
    }

    /// A second write in this unit became invalid.
    pub(crate) fn valid_removed(&mut self, unit: u32) {
        self.valid[(unit / self.units_per_lane) as usize] -= 1;
        self.valid_total -= 1;
    }

    /// Pages of a lane that second and further writes take beyond their data.
    pub(crate) fn valid(&self, lane: u32) -> u32 {
        self.valid[lane as usize]
    }

    /// As [`valid`](Self::valid), of the drive.
    pub(crate) fn valid_total(&self) -> u64 {
        self.valid_total
    }

    /// The most flash pages of a write.
    pub(crate) fn most_parts(&self) -> u64 {
        self.groups().map_or(2, Groups::most_parts)
    }

    /// Whether the halves lie on two planes.
    pub(crate) fn parallel(&self) -> bool {
        self.parallel
    }
}
