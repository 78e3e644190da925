//! Which slots take another write, by the cycle of their code.

use super::WomV;
use super::cycle::Cycle;
use crate::address::{SlotAddress, Unit};

/// What cycles need beside the counts of writes.
#[derive(Debug, Clone, Default)]
pub(super) struct WritesLeft {
    /// Writes that each slot will take; empty unless they are drawn.
    drawn: Vec<u16>,
    /// Of each unit, the sum over its slots of their shares of invalid cells; kept where the check
    /// is per unit.
    invalid_shares: Vec<f64>,
}

impl WritesLeft {
    /// For `units` units and `slots` slots; `is_drawn` if cycles may draw their writes.
    pub(super) fn new(units: u32, slots: u32, is_drawn: bool) -> WritesLeft {
        WritesLeft {
            drawn: vec![0; if is_drawn { slots as usize } else { 0 }],
            invalid_shares: vec![0.0; units as usize],
        }
    }

    /// A slot's share of invalid cells grew.
    pub(super) fn add_invalid(&mut self, unit: Unit, share: f64) {
        self.invalid_shares[unit.index()] += share;
    }
}

impl WomV {
    /// The cells of a unit are erased: its slots begin anew.
    pub(super) fn begin(&mut self, unit: Unit) {
        self.slots.begin(unit);
        self.left.invalid_shares[unit.index()] = 0.0;
        if let Cycle::Drawn { counts, rng, .. } = &mut self.code.cycle {
            for drawn in &mut self.left.drawn[self.slots.of(unit)] {
                *drawn = counts.sample(rng).min(u32::from(u16::MAX)) as u16;
            }
        }
    }

    /// A write comes to a slot of modelled cells: whether the slot takes it.
    #[inline]
    pub(super) fn admits(&mut self, at: SlotAddress) -> bool {
        let written = self.slots.written(at);
        match &self.code.cycle {
            Cycle::Generations { limit } => self.slots.wrote(at, written + 1 == *limit),
            Cycle::Drawn { refuses: false, .. } => {
                self.slots.wrote(at, written + 1 >= self.left.drawn[self.slots.index(at)]);
            }
            Cycle::Drawn { refuses: true, .. } => {
                if written >= self.left.drawn[self.slots.index(at)] {
                    self.slots.exhaust(at);
                    return false;
                }
                self.slots.wrote(at, false);
            }
            Cycle::Unit { shares, .. } => {
                let share = |writes: u16| shares[usize::from(writes).min(shares.len() - 1)];
                self.left.add_invalid(at.unit, share(written.saturating_add(1)) - share(written));
                self.slots.wrote(at, false);
            }
            // Stored cells come by `Slots::wrote` and `Slots::exhaust`.
            Cycle::Counted { .. } => {}
        }
        true
    }

    /// Whether a unit must be erased before all of it can be written again.
    pub(super) fn is_worn(&self, unit: Unit) -> bool {
        match &self.code.cycle {
            Cycle::Unit { max_share, .. } => {
                self.left.invalid_shares[unit.index()] > max_share * f64::from(self.slots.per_unit())
            }
            _ => self.slots.is_worn(unit),
        }
    }
}
