//! The interface of a scheme that lets pages be programmed again where they lie.

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::state::State;

/// What such a scheme decides of a write by the overwrite command.
pub(crate) trait Overwriting {
    /// Where a page lies, if it is programmed again there; the program is counted.
    fn overwrite_place(&mut self, view: &State, lpn: Lpn) -> Option<SlotAddress>;

    /// A page of an overwrite unit is about to be programmed for the first time.
    fn overwrite_begins(&mut self, ppn: Ppn);
}
