//! Which unit is written again or erased (`wom-v`, section 3.2.1 and `GC_OPT` of 3.2.2).

use crate::address::{Pool, Unit};
use crate::reuse::reclaim_decision::ReclaimDecision;
use crate::reuse::wom_v::cycle::Cycle;
use crate::reuse::wom_v::{Reopening, WomV};
use crate::state::State;
use crate::state::map::Map;

impl WomV {
    /// The unit of a pool that is to be written again with its valid pages, where it is not the
    /// victim of the drive's policy.
    pub(super) fn unit_to_reopen(&self, view: &State, pool: Pool) -> Option<Unit> {
        let units = &view.units;
        match self.reopening {
            Reopening::AfterMoving | Reopening::InPlace => None,
            Reopening::InPlaceIntact => units
                .by_valid(pool)
                .find(|unit| unit.valid < self.slots.per_unit() && !self.is_worn(unit.unit))
                .map(|unit| unit.unit),
            Reopening::InPlaceAny => {
                units.most_programmable(pool, |unit| self.programmable_in(unit, &view.map))
            }
        }
    }

    /// Decision about a victim.
    pub(super) fn write_again_or_erase(&self, state: &State, unit: Unit) -> ReclaimDecision {
        match self.reopening {
            Reopening::InPlaceAny if self.programmable_in(unit, &state.map) > 0 => {
                ReclaimDecision::ReopenInPlace
            }
            Reopening::InPlace | Reopening::InPlaceIntact
                if !self.is_worn(unit) && state.units.valid(unit) < self.slots.per_unit() =>
            {
                ReclaimDecision::ReopenInPlace
            }
            Reopening::AfterMoving if !self.is_worn(unit) => {
                // Cleaning relies on units with room for any victim.
                if self.may_refuse(unit) { ReclaimDecision::ReopenUncertain } else { ReclaimDecision::Reopen }
            }
            _ => ReclaimDecision::Erase,
        }
    }

    /// Slots of a unit that take a write as it is.
    #[inline]
    pub(super) fn programmable_in(&self, unit: Unit, map: &Map) -> u32 {
        let worn_as_a_whole = matches!(self.code.cycle, Cycle::Unit { .. }) && self.is_worn(unit);
        if worn_as_a_whole { 0 } else { self.slots.programmable(unit, map.valid_words(unit)) }
    }

    /// Whether a slot of the unit might refuse data. It may only where that is checked before the
    /// write, and not before the generations are used up, since each write takes at most one.
    fn may_refuse(&self, unit: Unit) -> bool {
        self.code.cycle.refuses() && u32::from(self.slots.most_written(unit)) >= self.code.generations()
    }
}
