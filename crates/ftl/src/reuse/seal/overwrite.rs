//! The overwrite operation (section IV): the same page again, or a low page of the open overwrite
//! unit.

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::reuse::seal::Seal;
use crate::state::State;

impl Seal {
    /// Where a page lies, if it is programmed again there; the program is counted.
    pub(crate) fn overwrite_place(&mut self, view: &State, lpn: Lpn) -> Option<SlotAddress> {
        let ppn = view.map.find(lpn);
        if ppn.is_none() {
            return None;
        }
        let at = view.layout.slot_address(ppn);
        // The other owners of a shared page keep what it holds.
        let is_shared = view.sharing.as_ref().is_some_and(|sharing| sharing.next(lpn) != lpn);
        if is_shared
            || !view.units.takes_programs_again(at.unit)
            || self.programs[ppn.index()] >= self.programs_per_page
        {
            return None;
        }
        self.programs[ppn.index()] += 1;
        Some(at)
    }

    /// A page of an overwrite unit is about to be programmed for the first time.
    pub(crate) fn overwrite_begins(&mut self, ppn: Ppn) {
        self.programs[ppn.index()] = 1;
    }
}
