//! What the drive's space is used for: erase units by state, slots by content.

use serde::Serialize;

use crate::ftl::Ftl;
use crate::{Lpn, NONE};

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

impl Ftl {
    /// How the space is used now. Walks over all units.
    pub fn space(&self) -> Space {
        let slots = u64::from(self.core.layout.slots());
        self.core.units.space(Space { slots, ..Space::default() })
    }

    /// Whether a logical page holds data: it was written and not trimmed since. `false` beyond the exported capacity.
    pub fn holds(&self, lpn: Lpn) -> bool {
        if lpn >= self.core.map.logical_pages() {
            return false;
        }
        let buffered = || self.write_buffer.as_ref().is_some_and(|buffer| buffer.find(lpn).is_some());
        self.core.map.find(lpn) != NONE || buffered()
    }
}
