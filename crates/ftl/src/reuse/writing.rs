//! What a scheme says of each write: whether a slot takes it, and how data becomes cell levels and data again.

use super::{Reuse, dispatch};
use crate::address::{Slot, Unit};
use crate::error::FtlError;

impl Reuse {
    /// Whether the next program of a slot goes over one that was made since the erase.
    #[inline]
    pub(crate) fn goes_over_data(&self, unit: Unit, slot: Slot) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.written(unit, slot) > 0,
        }
    }

    /// The writes that follow belong to a request of this length.
    #[inline]
    pub(crate) fn announce(&mut self, bytes: u64) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.announce(bytes);
        }
    }

    /// Whether a slot must be read before it is written.
    pub fn reads_first(&self, unit: Unit, slot: Slot) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.reads_first(unit, slot),
        }
    }

    /// Slots of a unit that take no further write before an erase, as bits: bit `i` of word `w` is slot `64 w + i`.
    pub fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => 0,
            Reuse::WomV(scheme) => scheme.exhausted_word(unit, word),
        }
    }

    /// A slot takes no further write before an erase.
    pub(crate) fn exhaust(&mut self, unit: Unit, slot: Slot) {
        if let Reuse::WomV(scheme) = self {
            scheme.exhaust(unit, slot);
        }
    }

    /// On modelled cells: whether a slot takes the write that comes to it. If it does the write is counted.
    pub fn admit(&mut self, unit: Unit, slot: Slot) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => true,
            Reuse::WomV(scheme) => scheme.admit(unit, slot),
        }
    }

    /// On stored cells: turns a logical page into the cell levels of its slot. `image` holds the present levels and receives
    /// the new. Returns whether the slot takes the write; if it does it is counted.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn encode(
        &mut self,
        unit: Unit,
        slot: Slot,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, FtlError> {
        dispatch!(self, scheme => scheme.encode(unit, slot, data, image))
    }

    /// Turns the cell levels of a slot into the logical page.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn decode(&self, unit: Unit, slot: Slot, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        dispatch!(self, scheme => scheme.decode(unit, slot, image, data))
    }
}
