//! What the drive's space is used for: erase units by state, slots by content.

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
