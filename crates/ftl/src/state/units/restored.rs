//! Units as a mount finds them.

use crate::address::Unit;
use crate::state::units::low_then_high::Fill;
use crate::state::units::pool::Open;
use crate::state::units::stream::STREAMS;
use crate::state::units::wear::PoolWear;
use crate::state::units::{UnitState, Units};

/// What a unit is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Erased.
    Free,
    /// Written up to a slot, counted in the order of `fill`; a stream goes on there.
    Open { stream: u8, next_slot: u32, fill: Fill },
    /// A stream goes on in it, in any slot that is not blocked.
    OpenAgain { stream: u8 },
    /// To be cleaned.
    Closed { fill: Fill },
    /// A program failed on it.
    Condemned,
    /// Out of service.
    Retired,
}

/// A unit that a mount found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundUnit {
    pub(crate) unit: Unit,
    pub(crate) state: Found,
    /// Times that it was emptied.
    pub(crate) passes: u32,
    pub(crate) valid: u32,
    /// Whether its cells hold one bit each.
    pub(crate) is_cached: bool,
}

impl Units {
    /// Open units that a pool can have.
    pub(crate) fn streams(&self) -> u8 {
        (STREAMS + self.classes as usize) as u8 + u8::from(self.cache.is_some())
    }

    /// Takes over the units of a drive that was mounted, in this order among equals. All units of a
    /// fresh drive that are in service must be named.
    pub(crate) fn restore(&mut self, found: &[FoundUnit]) {
        for FoundUnit { unit, state, passes, valid, is_cached } in found.iter().copied() {
            self.wear[unit.index()] = passes;
            let is_fixed = self.is_fixed_in_cache(unit);
            if is_fixed {
                self.restore_fixed(unit, (state == Found::Free).then_some(passes));
            }
            if is_cached && !matches!(state, Found::Open { .. }) {
                self.join_cache(unit);
            }
            let known = &mut self.units[unit.index()];
            known.valid = valid;
            let pool = &mut self.pools[known.pool.index()];
            pool.valid += valid;
            pool.free.remove(unit);
            match state {
                Found::Free if is_fixed => {}
                Found::Free => pool.free.push(unit, passes),
                Found::Open { stream, next_slot, fill } => {
                    let index = known.pool.index();
                    if is_cached {
                        self.fill_cached(unit);
                    } else {
                        self.fill_as(unit, stream as usize, fill);
                    }
                    self.pools[index].open_mut(stream as usize).next_slot = next_slot;
                }
                Found::OpenAgain { stream } => {
                    let fill = Fill::All;
                    let end = self.slots_per_unit;
                    *pool.open_mut(stream as usize) =
                        Open { unit, next_slot: 0, stop_slot: 0, run_end: 0, end, fill };
                    known.state = UnitState::Open;
                }
                Found::Closed { .. } if is_cached => {
                    self.enlist(unit);
                    self.enlist_cached(unit);
                }
                Found::Closed { fill } => {
                    let pools = self.pools.len() as u32;
                    let known = &mut self.units[unit.index()];
                    (known.fill, known.queue) =
                        (fill, known.pool.0 + if fill == Fill::Low { pools } else { 0 });
                    self.enlist(unit);
                }
                Found::Condemned => known.state = UnitState::Condemned,
                Found::Retired => {}
            }
        }
        for pool in 0..self.pools.len() {
            let members = (0..).map(Unit).zip(self.units.iter().zip(&self.wear));
            let in_service = members.filter(|&(unit, (entry, _))| {
                entry.pool.index() == pool
                    && entry.state != UnitState::Retired
                    && !self.is_fixed_in_cache(unit)
            });
            self.pools[pool].wear = PoolWear::of(in_service.map(|(_, (_, &wear))| wear));
        }
        found.iter().filter(|unit| unit.state == Found::Retired).for_each(|found| self.retire(found.unit));
    }
}
