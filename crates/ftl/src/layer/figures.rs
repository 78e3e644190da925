//! What a drive says of itself.

use crate::address::Lpn;
use crate::layer::Ftl;
use crate::state::space_report::Space;

impl Ftl {
    /// How the space is used now. Walks over all units.
    pub fn space(&self) -> Space {
        let slots = u64::from(self.state.layout.slots());
        self.state.units.space(Space { slots, ..Space::default() })
    }

    /// Whether a logical page holds data: it was written and not trimmed since. `false` beyond the exported capacity.
    pub fn holds(&self, lpn: Lpn) -> bool {
        if lpn >= Lpn(self.state.map.logical_pages()) {
            return false;
        }
        let buffered = || self.write_buffer.as_ref().is_some_and(|buffer| buffer.find(lpn).is_some());
        self.state.map.find(lpn).is_some() || buffered()
    }
}
