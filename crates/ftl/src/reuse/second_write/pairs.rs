//! Which pages hold second writes, and where the two halves of one lie.
//!
//! The page map points at a second write's first half. In parallel mode the halves have the same slot in a pair of blocks
//! (section 5.2): the *block map* names each block's partner. A block that was recycled with valid pages holds first writes
//! too, which the paper's lookup by the block map alone would mistake for second writes; hence a bit for every slot. In
//! sequential mode the second half is the slot after the first.

use crate::NONE;

/// The block map, and a bit for every slot that was programmed twice.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// Partner of each unit; in sequential mode the unit itself.
    partner: Vec<u32>,
    twice: Vec<u64>,
    words_per_unit: u32,
    parallel: bool,
    /// Valid second writes of each lane (a pair of pools, or one).
    valid: Vec<u32>,
    valid_total: u64,
    units_per_lane: u32,
}

impl Pairs {
    /// No second writes anywhere.
    pub(super) fn new(units: u32, words_per_unit: u32, lanes: u32, parallel: bool) -> Pairs {
        Pairs {
            partner: vec![NONE; units as usize],
            twice: vec![0; units as usize * words_per_unit as usize],
            words_per_unit,
            parallel,
            valid: vec![0; lanes as usize],
            valid_total: 0,
            units_per_lane: units / lanes,
        }
    }

    /// Ties two units together.
    pub(super) fn link(&mut self, unit: u32, partner: u32) {
        self.partner[unit as usize] = partner;
        self.partner[partner as usize] = unit;
    }

    /// A unit was erased or retired: nothing on it was programmed twice, and its partner is left with first writes only.
    pub(crate) fn forget(&mut self, unit: u32) {
        let partner = std::mem::replace(&mut self.partner[unit as usize], NONE);
        if partner != NONE {
            self.partner[partner as usize] = NONE;
        }
        let first = (unit * self.words_per_unit) as usize;
        self.twice[first..first + self.words_per_unit as usize].fill(0);
    }

    /// Whether a slot was programmed twice since its erase: if it is valid it is a half of a second write.
    #[inline]
    pub(crate) fn is_twice(&self, unit: u32, slot: u32) -> bool {
        self.twice[(unit * self.words_per_unit + slot / 64) as usize] >> (slot % 64) & 1 == 1
    }

    /// Bits of a unit: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub(super) fn twice_word(&self, unit: u32, word: u32) -> u64 {
        self.twice[(unit * self.words_per_unit + word) as usize]
    }

    /// The second half of a second write whose first half lies here.
    #[inline]
    pub(crate) fn second_half(&self, (unit, slot): (u32, u32)) -> (u32, u32) {
        if self.parallel { (self.partner[unit as usize], slot) } else { (unit, slot + 1) }
    }

    /// Both halves were programmed a second time.
    pub(super) fn programmed(&mut self, first: (u32, u32)) {
        for (unit, slot) in [first, self.second_half(first)] {
            self.twice[(unit * self.words_per_unit + slot / 64) as usize] |= 1 << (slot % 64);
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

    /// Valid second writes of a lane.
    pub(super) fn valid(&self, lane: u32) -> u32 {
        self.valid[lane as usize]
    }

    /// Valid second writes of the drive.
    pub(super) fn valid_total(&self) -> u64 {
        self.valid_total
    }

    /// Whether the halves lie on two planes.
    pub(crate) fn parallel(&self) -> bool {
        self.parallel
    }
}
