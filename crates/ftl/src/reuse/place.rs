//! Where a logical page is written.

use crate::address::SlotAddress;
use crate::state::groups::GroupSlot;

/// Where a logical page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A slot that was not written since the erase of its unit, or since its unit was reopened.
    Slot(SlotAddress),
    /// Several slots, over the invalid pages that lie there.
    Group(GroupSlot),
    /// The slot where the logical page lies: it is programmed again in place.
    Again(SlotAddress),
}
