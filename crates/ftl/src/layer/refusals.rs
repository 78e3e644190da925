//! Slots that refuse a write, as long as they follow each other in one unit.

use crate::address::Unit;

/// The latest refusals, as long as they follow each other in one unit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Refusals {
    pub(super) unit: Unit,
    pub(super) running: u32,
}
