//! Where a logical page is written.

/// Where a logical page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A slot that was not written since the erase of its unit, or since its unit was reopened.
    Slot { unit: u32, slot: u32 },
    /// The same slot of two units, over the invalid pages that lie there (where `partner` is `unit`, this slot and the next).
    Pair { unit: u32, partner: u32, slot: u32 },
    /// The same slot of four (`kind` 0) or eight units, over the invalid pages that lie there; `unit` is the first of them.
    Group { kind: u8, unit: u32, slot: u32 },
    /// The slot where the logical page lies: it is programmed again in place.
    Again { unit: u32, slot: u32 },
}
