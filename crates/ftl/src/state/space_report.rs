//! What the drive's space is used for: erase units by state, slots by content.

use std::iter::Sum;

use serde::Serialize;

/// How the erase units and slots of a drive are used at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Space {
    /// Erase units that are erased.
    pub free_units: u32,
    /// Units that wait to be written again without an erase.
    pub reopened_units: u32,
    /// Units that are being written.
    pub open_units: u32,
    /// Units that are written: candidates for cleaning.
    pub closed_units: u32,
    /// Units on which a program failed and whose valid pages are still to be moved.
    pub condemned_units: u32,
    /// Units out of service.
    pub retired_units: u32,
    /// Slots that hold a valid logical page.
    pub valid_slots: u64,
    /// All slots.
    pub slots: u64,
}

/// The space of several drives together.
impl Sum for Space {
    fn sum<I: Iterator<Item = Space>>(spaces: I) -> Space {
        spaces.fold(Space::default(), |sum, more| Space {
            free_units: sum.free_units + more.free_units,
            reopened_units: sum.reopened_units + more.reopened_units,
            open_units: sum.open_units + more.open_units,
            closed_units: sum.closed_units + more.closed_units,
            condemned_units: sum.condemned_units + more.condemned_units,
            retired_units: sum.retired_units + more.retired_units,
            valid_slots: sum.valid_slots + more.valid_slots,
            slots: sum.slots + more.slots,
        })
    }
}
