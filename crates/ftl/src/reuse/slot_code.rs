//! The interface of a reuse scheme to slots: whether one takes a write, and how data becomes cell
//! levels and data again.

use rewear_flash::medium::Record;

use crate::address::{Ppn, SlotAddress, Unit};
use crate::error::FtlError;

/// What a scheme's code says of each slot.
pub(crate) trait SlotCode {
    /// Whether the next program of a slot goes over one that was made since the erase.
    #[inline]
    fn goes_over_data(&self, _at: SlotAddress) -> bool {
        false
    }

    /// Whether a slot must be read before it is written.
    #[inline]
    fn reads_first(&self, _at: SlotAddress) -> bool {
        false
    }

    /// Slots of a unit that take no further write before an erase, as bits: bit `i` of word `w` is
    /// slot `64 w + i`.
    #[inline]
    fn exhausted_word(&self, _unit: Unit, _word: u32) -> u64 {
        0
    }

    /// A slot takes no further write before an erase.
    fn exhaust(&mut self, _at: SlotAddress) {}

    /// On modelled cells: whether a slot takes the write that comes to it. If it does the write is
    /// counted.
    #[inline]
    fn admit(&mut self, _at: SlotAddress) -> bool {
        true
    }

    /// On stored cells: turns a logical page into the cell levels of its slot. `image` holds the
    /// present levels and receives the new. Returns whether the slot takes the write; if it does it
    /// is counted. Levels are the data itself if not said otherwise.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    fn encode(&mut self, _at: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        image.copy_from_slice(data);
        Ok(true)
    }

    /// Turns the cell levels of a slot into the logical page.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    fn decode(&self, _at: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        data.copy_from_slice(image);
        Ok(())
    }

    /// Programs of a slot since its erase, the one that was just encoded included; `again` if that
    /// was an overwrite in place.
    fn programs_of(&self, _at: SlotAddress, _ppn: Ppn, _again: bool) -> u16 {
        1
    }

    /// On stored cells: what the code knows of a slot beside its levels, which belongs into its
    /// spare area. Appends it to `side`.
    fn side_information(&self, _at: SlotAddress, _side: &mut Vec<u8>) {}

    /// A mount found a slot: its newest record, and what lies behind it in the spare areas of its
    /// pages. Without a record the slot was torn.
    fn restore_slot(&mut self, _at: SlotAddress, _ppn: Ppn, _record: Option<&Record>, _side: &[u8]) {}
}
