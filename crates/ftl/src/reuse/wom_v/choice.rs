//! Which unit is written again or erased (`womv`, section 3.2.1 and `GC_OPT` of 3.2.2).

use super::cycle::Cycle;
use super::{Reopening, WomV};
use crate::core::Core;
use crate::map::Map;
use crate::reuse::Fate;
use crate::victim::VictimPolicy;

impl WomV {
    /// The unit of a pool that cleaning should take.
    pub(in crate::reuse) fn victim(
        &self,
        policy: &mut VictimPolicy,
        core: &mut Core,
        pool: u32,
    ) -> Option<u32> {
        let (units, map) = (&core.units, &core.map);
        let chosen = match self.reopening {
            Reopening::AfterMoving | Reopening::InPlace => None,
            Reopening::InPlaceIntact => units
                .by_valid(pool)
                .find(|unit| unit.valid < self.code(unit.unit).slots && self.may_stay(core, unit.unit))
                .map(|unit| unit.unit),
            Reopening::InPlaceAny => units
                .by_valid(pool)
                .filter(|unit| self.keeps_code(core, unit.unit))
                .map(|unit| (self.programmable(unit.unit, map), unit.unit))
                // The first of equals has the fewest valid pages, and has had them longest.
                .reduce(|best, next| if next.0 > best.0 { next } else { best })
                .filter(|&(programmable, _)| programmable > 0)
                .map(|(_, unit)| unit),
        };
        chosen.or_else(|| policy.choose(&mut core.units, pool))
    }

    /// What becomes of a victim.
    pub(in crate::reuse) fn fate(&self, core: &Core, unit: u32) -> Fate {
        if !self.keeps_code(core, unit) {
            return Fate::Erase;
        }
        match self.reopening {
            Reopening::InPlaceAny if self.programmable(unit, &core.map) > 0 => Fate::ReopenInPlace,
            Reopening::InPlace | Reopening::InPlaceIntact
                if !self.is_worn(unit) && core.units.valid(unit) < self.code(unit).slots =>
            {
                Fate::ReopenInPlace
            }
            Reopening::AfterMoving if !self.is_worn(unit) => {
                // Cleaning relies on units with room for any victim, which an erased one has under some code.
                if self.varies() || self.may_refuse(unit) { Fate::ReopenUncertain } else { Fate::Reopen }
            }
            _ => Fate::Erase,
        }
    }

    fn may_stay(&self, core: &Core, unit: u32) -> bool {
        !self.is_worn(unit) && self.keeps_code(core, unit)
    }

    fn is_worn(&self, unit: u32) -> bool {
        self.slots.is_worn(unit, &self.code(unit).cycle)
    }

    /// Slots of a unit that take a write as it is.
    fn programmable(&self, unit: u32, map: &Map) -> u32 {
        let worn_as_a_whole = matches!(self.code(unit).cycle, Cycle::Unit { .. }) && self.is_worn(unit);
        if worn_as_a_whole { 0 } else { self.slots.programmable(unit, |word| map.valid_word(unit, word)) }
    }

    /// Whether a slot of the unit might refuse data: only where that is checked before the write, and not before the
    /// generations are used up, since each write takes at most one.
    fn may_refuse(&self, unit: u32) -> bool {
        let code = self.code(unit);
        code.cycle.refuses() && u32::from(self.slots.most_written(unit)) >= code.generations()
    }
}
