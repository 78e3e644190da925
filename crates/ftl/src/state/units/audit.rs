//! The units' states: a full check for tests, a count for statistics.

use crate::address::{Pool, Unit};
use crate::state::space_report::Space;
use crate::state::units::low_then_high::Fill;
use crate::state::units::{UnitState, Units};

impl Units {
    /// Compares states, free units, wear and sums of valid pages.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub fn audit(&self) -> Result<(), String> {
        if let Some(unit) = Unit::all(self.count()).find(|&unit| self.valid(unit) > self.slots(unit)) {
            return Err(format!(
                "unit {unit}: {} valid pages in {} slots",
                self.valid(unit),
                self.slots(unit)
            ));
        }
        for (index, pool) in (0..).map(Pool).zip(&self.pools) {
            let members = || self.units.iter().filter(|unit| unit.pool == index);
            let valid: u32 = members().map(|unit| unit.valid).sum();
            if valid != pool.valid {
                return Err(format!(
                    "pool {index}: {} valid pages counted, {valid} in its units",
                    pool.valid
                ));
            }
            self.audit_cache(index)?;
            let free = (0..).map(Unit).zip(&self.units).filter(|&(unit, entry)| {
                entry.pool == index && entry.state == UnitState::Free && !self.is_fixed_in_cache(unit)
            });
            let free = free.count();
            if free != pool.free.len() {
                return Err(format!("pool {index}: {free} units free, {} in the queue", pool.free.len()));
            }
            let reopened = members().filter(|unit| unit.state == UnitState::Reopened).count();
            if reopened != pool.reopened.len() {
                return Err(format!(
                    "pool {index}: {reopened} units reopened, {} in the queue",
                    pool.reopened.len()
                ));
            }
            if members()
                .any(|unit| matches!(unit.state, UnitState::Free | UnitState::Retired) && unit.valid > 0)
            {
                return Err(format!("pool {index}: a free or retired unit holds valid pages"));
            }
            for (fill_is_low, queue) in [(false, index.0), (true, self.pools.len() as u32 + index.0)] {
                let closed = members().filter(|unit| {
                    let apart = unit.fill == Fill::Low || unit.stream == self.cache_index;
                    unit.state == UnitState::Closed && apart == fill_is_low
                });
                let (closed, queued) = (closed.count(), self.victims.count(queue));
                if closed != queued {
                    return Err(format!(
                        "pool {index}: {closed} closed units, {queued} in queue {queue} of victims"
                    ));
                }
            }
            let in_service = || {
                let units = (0..).map(Unit).zip(self.units.iter().zip(&self.wear));
                units
                    .filter(|&(unit, (entry, _))| {
                        entry.pool == index
                            && entry.state != UnitState::Retired
                            && !self.is_fixed_in_cache(unit)
                    })
                    .map(|(_, (_, &wear))| wear)
            };
            let ends = (in_service().min(), in_service().max());
            if let (Some(least), Some(most)) = ends
                && (least, most) != (pool.wear.least(), pool.wear.most())
            {
                return Err(format!(
                    "pool {index}: wear {least} to {most}, counted {} to {}",
                    pool.wear.least(),
                    pool.wear.most()
                ));
            }
        }
        Ok(())
    }

    /// Counts units by state and valid slots into `space`.
    pub(crate) fn space(&self, mut space: Space) -> Space {
        for unit in &self.units {
            *match unit.state {
                UnitState::Free => &mut space.free_units,
                UnitState::Reopened => &mut space.reopened_units,
                UnitState::Open => &mut space.open_units,
                UnitState::Closed => &mut space.closed_units,
                UnitState::Condemned => &mut space.condemned_units,
                UnitState::Retired => &mut space.retired_units,
            } += 1;
            space.valid_slots += u64::from(unit.valid);
        }
        space
    }
}
