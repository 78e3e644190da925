//! A full check of the translation layer's state, for tests and doubted results.

use crate::address::{Lpn, SlotAddress, Unit};
use crate::front::Ftl;
use crate::state::groups::PARTS;

impl Ftl {
    /// Compares map, inverse map, validity bits and counts of valid pages with each other.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub fn audit(&self) -> Result<(), String> {
        let state = self.hand.state();
        let mut valid_in_unit = vec![0u32; state.layout.units() as usize];
        for lpn in Lpn::all(state.map.logical_pages()) {
            let ppn = state.map.find(lpn);
            if ppn.is_none() {
                continue;
            }
            let owner = state.map.owner(ppn);
            if owner != lpn {
                if state.sharing.is_some() && state.map.find(owner) == ppn {
                    continue;
                }
                return Err(format!(
                    "LPN {lpn} maps to PPN {ppn}, which belongs to LPN {}",
                    state.map.owner(ppn)
                ));
            }
            let SlotAddress { unit, slot } = state.layout.slot_address(ppn);
            if !state.map.is_valid(unit, slot) {
                return Err(format!("LPN {lpn} maps to the invalid PPN {ppn}"));
            }
            valid_in_unit[unit.index()] += 1;
            let group = state.group_of(SlotAddress { unit, slot });
            if group.is_some_and(|group| group.first != SlotAddress { unit, slot }) {
                return Err(format!("LPN {lpn} maps to PPN {ppn}, which is not the first part of its write"));
            }
            let others = group.into_iter().flat_map(|slots| (1..PARTS).map(move |index| (slots, index)));
            for part in others.map(|(slots, index)| state.part_of(slots, index)) {
                if !state.map.is_valid(part.unit, part.slot)
                    || state.map.owner(state.layout.ppn(part.unit, part.slot)) != lpn
                {
                    return Err(format!("LPN {lpn}: a part of the write at PPN {ppn} is not valid"));
                }
                valid_in_unit[part.unit.index()] += 1;
            }
        }
        for (unit, &mapped) in (0..).map(Unit).zip(&valid_in_unit) {
            let marked: u32 = (0..state.map.words_per_unit())
                .map(|word| state.map.valid_word(unit, word).count_ones())
                .sum();
            let counted = state.units.valid(unit);
            if (marked, counted) != (mapped, mapped) {
                return Err(format!(
                    "unit {unit}: {mapped} pages mapped, {marked} marked valid, {counted} counted"
                ));
            }
        }
        state.units.audit()?;
        state.units.audit_programmable(|unit| self.hand.reuse().programmable(&state.map, unit))?;
        self.hand.reuse().audit()?;
        self.hand.recycle().audit(state)
    }
}
