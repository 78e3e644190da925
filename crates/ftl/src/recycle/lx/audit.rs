//! A full check of the scheme's state, for tests.

use super::Lx;
use super::pages::Marks;
use crate::address::{Ppn, SlotAddress, Unit};
use crate::state::State;

impl Lx {
    /// Compares store, lists, classes and expected losses with validity and owners of pages.
    pub(super) fn audit_against(&self, state: &State) -> Result<(), String> {
        let (slots, slots_per_unit, loss) =
            (state.layout.slots(), state.layout.slots_per_unit, &state.units.content_score);
        let owner = |ppn| state.map.owner(ppn);
        let is_valid = |ppn| {
            let SlotAddress { unit, slot } = state.layout.slot_address(ppn);
            state.map.is_valid(unit, slot)
        };
        let (mut entries, mut lost) = (0, vec![0u64; (slots / slots_per_unit) as usize]);
        for ppn in Ppn::all(slots) {
            let page = &self.pages[ppn];
            let (stored, listed) = (self.store.has(ppn), page.marks.has(Marks::LISTED));
            if is_valid(ppn) && (stored || listed || page.class > 0) {
                return Err(format!("the valid PPN {ppn} counts as recyclable"));
            }
            if listed && page.newer.is_none() && self.history.newest(owner(ppn)) != ppn {
                return Err(format!("PPN {ppn} heads no list of its owner, LPN {}", owner(ppn)));
            }
            if !is_valid(ppn) && !listed && (page.content().is_some() || page.class > 0) {
                return Err(format!(
                    "PPN {ppn} is neither valid nor on a list, and something is known of it"
                ));
            }
            if listed && page.older.is_some() && self.pages[page.older].newer != ppn {
                return Err(format!("PPN {} does not know that PPN {ppn} is newer", page.older));
            }
            if listed && page.newer.is_none() && (self.store.ranks_by_probability() || loss.is_kept()) {
                self.history.audit(&self.pages, owner(ppn))?;
            }
            if stored && !self.store.finds(&self.pages, ppn) {
                return Err(format!("PPN {ppn} is in the store, which does not find it"));
            }
            if stored {
                entries += 1;
                if !listed || page.content().is_none() {
                    return Err(format!("PPN {ppn} is in the store, and on no list or without content"));
                }
            }
            lost[(ppn.0 / slots_per_unit) as usize] += self.classes.scaled(page.class);
        }
        if entries != self.store.count() {
            return Err(format!("the store counts {} pages, {entries} are in it", self.store.count()));
        }
        match (0..).map(Unit).zip(&lost).find(|&(unit, &lost)| loss.is_kept() && loss.of(unit) != lost) {
            None => Ok(()),
            Some((unit, lost)) => Err(format!("unit {unit}: loss {} noted, {lost} expected", loss.of(unit))),
        }
    }
}
