//! What the scheme remembers of every slot: its writes since the erase, and whether it takes
//! another.

use super::cycle::Cycle;
use crate::address::{Slot, Unit};

#[derive(Debug, Clone, Copy, Default)]
struct UnitState {
    /// Slots that the unit has under its code.
    slots: u32,
    /// Slots that take no further write before an erase.
    exhausted: u32,
    /// Writes of its most written slot.
    most_written: u16,
    /// Sum over its slots of their shares of invalid cells; kept where the check is per unit.
    invalid_shares: f64,
}

/// The slots of a drive; they survive reopening and begin anew with an erase.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    slots_per_unit: u32,
    words_per_unit: u32,
    written: Vec<u16>,
    /// Writes that each slot will take; empty unless they are drawn.
    drawn: Vec<u16>,
    exhausted: Vec<u64>,
    units: Vec<UnitState>,
}

impl Slots {
    pub(super) fn none() -> Slots {
        Slots {
            slots_per_unit: 0,
            words_per_unit: 0,
            written: Vec::new(),
            drawn: Vec::new(),
            exhausted: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Slots of which none is in a cycle yet; see [`begin`](Self::begin). `is_drawn` if cycles may
    /// draw their writes.
    pub(super) fn new(units: u32, slots_per_unit: u32, is_drawn: bool) -> Slots {
        let words_per_unit = slots_per_unit.div_ceil(64);
        let slots = units as usize * slots_per_unit as usize;
        Slots {
            slots_per_unit,
            words_per_unit,
            written: vec![0; slots],
            drawn: vec![0; if is_drawn { slots } else { 0 }],
            exhausted: vec![0; units as usize * words_per_unit as usize],
            units: vec![UnitState::default(); units as usize],
        }
    }

    /// Slots of a unit under the densest code.
    pub(super) fn per_unit(&self) -> u32 {
        self.slots_per_unit
    }

    /// The cells of a unit are erased: its first `slots` slots begin anew.
    pub(super) fn begin(&mut self, unit: Unit, slots: u32, cycle: &mut Cycle) {
        let all = self.index(unit, Slot(0))..self.index(unit, Slot(self.slots_per_unit));
        self.written[all].fill(0);
        if let Cycle::Drawn { counts, rng, .. } = cycle {
            let used = self.index(unit, Slot(0))..self.index(unit, Slot(slots));
            for drawn in &mut self.drawn[used] {
                *drawn = counts.sample(rng).min(u32::from(u16::MAX)) as u16;
            }
        }
        let words = (unit.0 * self.words_per_unit) as usize;
        self.exhausted[words..words + self.words_per_unit as usize].fill(0);
        self.units[unit.index()] = UnitState { slots, ..UnitState::default() };
    }

    /// A write comes to a slot of modelled cells: whether the slot takes it.
    #[inline]
    pub(super) fn admit(&mut self, unit: Unit, slot: Slot, cycle: &Cycle) -> bool {
        let index = self.index(unit, slot);
        let written = self.written[index];
        match cycle {
            Cycle::Generations { limit } => self.wrote(unit, slot, written + 1 == *limit),
            Cycle::Drawn { refuses: false, .. } => {
                self.wrote(unit, slot, written + 1 >= self.drawn[index]);
            }
            Cycle::Drawn { refuses: true, .. } => {
                if written >= self.drawn[index] {
                    self.exhaust(unit, slot);
                    return false;
                }
                self.wrote(unit, slot, false);
            }
            Cycle::Unit { shares, .. } => {
                let share = |writes: u16| shares[usize::from(writes).min(shares.len() - 1)];
                self.units[unit.index()].invalid_shares += share(written.saturating_add(1)) - share(written);
                self.wrote(unit, slot, false);
            }
            // Stored cells come by `wrote` and `exhaust`.
            Cycle::Counted { .. } => {}
        }
        true
    }

    /// A slot takes a write, and no other if it is `exhausted` by it.
    #[inline]
    pub(super) fn wrote(&mut self, unit: Unit, slot: Slot, exhausted: bool) {
        let index = self.index(unit, slot);
        let written = self.written[index].saturating_add(1);
        self.written[index] = written;
        let state = &mut self.units[unit.index()];
        state.most_written = state.most_written.max(written);
        if exhausted {
            self.exhaust(unit, slot);
        }
    }

    /// A mount found a slot that was written so often.
    pub(super) fn restore(&mut self, unit: Unit, slot: Slot, written: u16, exhausted: bool) {
        let index = self.index(unit, slot);
        self.written[index] = written;
        let state = &mut self.units[unit.index()];
        state.most_written = state.most_written.max(written);
        if exhausted {
            self.exhaust(unit, slot);
        }
    }

    /// A slot takes no write before the next erase.
    pub(super) fn exhaust(&mut self, unit: Unit, slot: Slot) {
        let word = &mut self.exhausted[(unit.0 * self.words_per_unit + slot.0 / 64) as usize];
        let bit = 1 << (slot.0 % 64);
        self.units[unit.index()].exhausted += u32::from(*word & bit == 0);
        *word |= bit;
    }

    /// A slot's share of invalid cells grew.
    pub(super) fn add_invalid(&mut self, unit: Unit, share: f64) {
        self.units[unit.index()].invalid_shares += share;
    }

    /// Writes of a slot since the erase.
    pub(super) fn written(&self, unit: Unit, slot: Slot) -> u16 {
        self.written[self.index(unit, slot)]
    }

    /// Writes of all slots of a unit since the erase.
    pub(super) fn writes(&self, unit: Unit) -> u32 {
        let slots = self.index(unit, Slot(0))..self.index(unit + 1, Slot(0));
        self.written[slots].iter().map(|&written| u32::from(written)).sum()
    }

    /// Exhausted slots of a unit as bits: bit `i` of word `w` is slot `64 w + i`.
    pub(super) fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        self.exhausted[(unit.0 * self.words_per_unit + word) as usize]
    }

    /// Whether a unit must be erased before all of it can be written again.
    pub(super) fn is_worn(&self, unit: Unit, cycle: &Cycle) -> bool {
        let state = &self.units[unit.index()];
        match cycle {
            Cycle::Unit { max_share, .. } => state.invalid_shares > max_share * f64::from(state.slots),
            _ => state.exhausted > 0,
        }
    }

    pub(super) fn most_written(&self, unit: Unit) -> u16 {
        self.units[unit.index()].most_written
    }

    /// Slots of a unit that are neither valid nor exhausted, where `valid` are the validity words.
    #[inline]
    pub(super) fn programmable(&self, unit: Unit, valid: &[u64]) -> u32 {
        let first = (unit.0 * self.words_per_unit) as usize;
        let exhausted = &self.exhausted[first..first + self.words_per_unit as usize];
        let blocked = valid.iter().zip(exhausted).map(|(valid, exhausted)| (valid | exhausted).count_ones());
        self.units[unit.index()].slots - blocked.sum::<u32>()
    }

    #[inline]
    pub(super) fn index(&self, unit: Unit, slot: Slot) -> usize {
        unit.index() * self.slots_per_unit as usize + slot.index()
    }
}
