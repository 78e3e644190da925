//! The state of the translation layer from what a mount found.

use super::candidates::Candidates;
use super::checkpoint::{Snapshot, UnitFlags};
use super::found::UnitFound;
use super::report::{Damaged, MountError};
use crate::address::{Lpn, Ppn, SlotAddress, Unit};
use crate::hand::Hand;
use crate::reuse::reclaim_decision::UnitEvent;
use crate::state::State;
use crate::state::groups::{Group, GroupSlot};
use crate::state::units::low_then_high::Fill;
use crate::state::units::restored::{Found, FoundUnit};

impl State {
    /// A valid second write begins in a slot: finds its second half, which may have lost its
    /// record, by the record of the first.
    fn find_second_half(&mut self, first: SlotAddress) -> Result<SlotAddress, MountError> {
        let Some(second) = self.other_half_of_whole(first) else {
            return Err(self.damaged(Damaged::Record, first));
        };
        let slots = GroupSlot { first };
        if let Some(groups) = &mut self.groups {
            groups.tie(&Group::of_halves(first.unit, second.unit));
            let is_free = !self.map.is_valid(second.unit, second.slot);
            if is_free && groups.parts(slots) == [first, second] {
                groups.mark_written(second);
                groups.valid_added(slots);
                return Ok(second);
            }
        }
        Err(MountError::Contradiction { ppn: self.layout.ppn(second.unit, second.slot) })
    }
}

impl Hand {
    /// Rebuilds map, validity, second writes and units.
    pub(super) fn rebuild(
        &mut self,
        candidates: &Candidates,
        found: &[UnitFound],
        flags: &[UnitFlags],
        base: &Snapshot,
    ) -> Result<(), MountError> {
        // Units out of service and those of the log hold no data.
        let mut valid = vec![None; self.state.layout.units() as usize];
        found.iter().for_each(|at| valid[at.unit.index()] = Some(0));
        for (lpn, ppn) in candidates.places().filter(|&(_, ppn)| ppn.is_some()) {
            self.bind_found(lpn, ppn, &mut valid)?;
        }
        let units = self.states_of(found, flags, base, &valid);
        self.state.units.restore(&units);
        for unit in &units {
            match unit.state {
                Found::Condemned => self.state.condemned.push(unit.unit),
                Found::OpenAgain { .. } => {
                    for index in 0..self.state.layout.width {
                        let block = self.state.layout.block_of(unit.unit, index).block;
                        self.state.array.reopen(block).map_err(crate::error::FtlError::from)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn bind_found(&mut self, lpn: Lpn, ppn: Ppn, valid: &mut [Option<u32>]) -> Result<(), MountError> {
        let state = &mut self.state;
        let mut count = |unit: Unit| match &mut valid[unit.index()] {
            Some(valid) => {
                *valid += 1;
                Ok(())
            }
            None => Err(MountError::Contradiction { ppn }),
        };
        if ppn >= Ppn(state.layout.slots()) {
            return Err(MountError::Contradiction { ppn });
        }
        let SlotAddress { unit, slot } = state.layout.slot_address(ppn);
        if state.map.is_valid(unit, slot) {
            let owner = state.map.owner(ppn);
            let Some(sharing) = &mut state.sharing else { return Err(MountError::Contradiction { ppn }) };
            sharing.join(lpn, owner);
            state.map.redirect(lpn, ppn);
            return Ok(());
        }
        if state.groups.as_ref().is_some_and(|groups| groups.is_written(unit, slot)) {
            let second = state.find_second_half(SlotAddress { unit, slot })?;
            state.map.bind(lpn, state.layout.ppn(second.unit, second.slot), second.unit, second.slot);
            count(second.unit)?;
        }
        state.map.bind(lpn, ppn, unit, slot);
        count(unit)
    }

    /// What each unit is taken for, in the order in which they come among equals.
    fn states_of(
        &mut self,
        found: &[UnitFound],
        flags: &[UnitFlags],
        base: &Snapshot,
        valid: &[Option<u32>],
    ) -> Vec<FoundUnit> {
        let mut newest_first: Vec<&UnitFound> = found.iter().collect();
        newest_first.sort_by_key(|unit| (std::cmp::Reverse(unit.newest), unit.unit));
        let mut taken = vec![0u128; self.state.layout.pools as usize];
        let mut units = Vec::with_capacity(found.len());
        for at in newest_first {
            let valid = valid[at.unit.index()].unwrap_or(0);
            let state = if flags[at.unit.index()].condemned && !at.is_blank {
                Found::Condemned
            } else {
                self.state_of(at, valid, &mut taken)
            };
            let has_second = self.state.groups.as_ref().is_some_and(|groups| groups.any_in(at.unit));
            // Slots that were never programmed, or who knows how, take no second write either.
            let is_part = matches!(state, Found::Closed { .. }) && !at.is_full;
            if is_part || at.has_holes || at.has_torn || has_second {
                self.reuse.hears(&self.state, at.unit, UnitEvent::BarredFromReuse);
            }
            let is_cached = state != Found::Free && self.state.units.was_cached(at.unit, at.stream);
            units.push(FoundUnit { unit: at.unit, state, passes: at.passes, valid, is_cached });
        }
        units.reverse();
        // Free units: the least worn first.
        units.sort_by_key(|unit| (unit.state == Found::Free).then_some((unit.passes, unit.unit)));
        let retired = (0..).map(Unit).zip(flags).filter(|(_, flags)| flags.retired);
        let in_service = |unit: Unit| !self.state.units.is_retired(unit);
        units.extend(retired.filter(|&(unit, _)| in_service(unit)).map(|(unit, _)| FoundUnit {
            unit,
            state: Found::Retired,
            passes: base.passes[unit.index()],
            valid: 0,
            is_cached: false,
        }));
        units
    }

    /// A stream goes on in the unit that it wrote to last, if there is room. `taken` has a bit for
    /// each stream of a pool that has its unit.
    fn state_of(&self, at: &UnitFound, valid: u32, taken: &mut [u128]) -> Found {
        if at.is_blank && !at.has_stray {
            return Found::Free;
        }
        // An overwrite unit is sealed only once all its low pages are written.
        let part = if at.fill == Fill::Low && (!at.is_full || at.has_stray) { Fill::All } else { at.fill };
        let closed = Found::Closed { fill: part };
        let taken = &mut taken[self.state.layout.pool_of(at.unit).index()];
        // A unit without valid pages may be one whose erase was torn.
        if at.has_holes
            || at.has_stray
            || valid == 0
            || at.stream >= self.state.units.streams()
            || at.stream != self.state.units.cache_index() && self.state.units.is_fixed_in_cache(at.unit)
            || *taken >> at.stream & 1 == 1
        {
            return closed;
        }
        if self.reuse.facts.passes.go_on_anywhere() {
            *taken |= 1 << at.stream;
            return Found::OpenAgain { stream: at.stream };
        }
        if at.is_full {
            return closed;
        }
        *taken |= 1 << at.stream;
        Found::Open { stream: at.stream, next_slot: at.next_slot, fill: at.fill }
    }
}
