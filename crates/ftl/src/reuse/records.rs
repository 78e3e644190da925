//! What a scheme leaves in spare areas, and how a mount tells it what was found there.

use rewear_flash::medium::{Kind, RECORD_BYTES, Record, SpareFormat};

use super::Reuse;
use crate::address::{Ppn, Slot, SlotAddress, Unit};

impl Reuse {
    /// What records take of a page's spare area in a stored medium, and what else the code must find there again.
    pub fn spare_format(&self) -> SpareFormat {
        match self {
            Reuse::Nothing(_) => SpareFormat { bytes: RECORD_BYTES, coded: false },
            Reuse::SecondWrite(_) => SpareFormat { bytes: 2 * RECORD_BYTES, coded: false },
            Reuse::Seal(scheme) => {
                SpareFormat { bytes: scheme.programs_per_page() as usize * RECORD_BYTES, coded: false }
            }
            Reuse::WomV(scheme) => scheme.spare_format(),
        }
    }

    /// Bytes that records take of the spare area of a page on the flash.
    pub(crate) fn record_bytes_on_flash(&self) -> u32 {
        let bytes = RECORD_BYTES as u32;
        match self {
            Reuse::Nothing(_) => bytes,
            Reuse::SecondWrite(_) => 2 * bytes,
            Reuse::Seal(scheme) => scheme.programs_per_page() * bytes,
            Reuse::WomV(scheme) => scheme.coded_bytes(bytes),
        }
    }

    /// Programs of a slot since its erase, the one of this kind that was just encoded included.
    pub(crate) fn programs_of(&self, kind: Kind, SlotAddress { unit, slot }: SlotAddress, ppn: Ppn) -> u16 {
        match (self, kind) {
            (_, Kind::SecondFirstHalf | Kind::SecondSecondHalf) => 2,
            (Reuse::WomV(scheme), _) => scheme.written(unit, slot),
            (Reuse::Seal(scheme), Kind::Again) => scheme.programs_of(ppn),
            _ => 1,
        }
    }

    /// On stored cells: what the code knows of a slot beside its levels, which belongs into its spare area.
    pub(crate) fn side_information(&self, unit: Unit, slot: Slot, side: &mut Vec<u8>) {
        side.clear();
        if let Reuse::WomV(scheme) = self {
            scheme.side_information(unit, slot, side);
        }
    }

    /// A mount found a slot: its newest record, and what lies behind it in the spare areas of its pages. Without a record
    /// the slot was torn.
    pub(crate) fn restore_slot(
        &mut self,
        unit: Unit,
        slot: Slot,
        ppn: Ppn,
        record: Option<&Record>,
        side: &[u8],
    ) {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) => {}
            Reuse::WomV(scheme) => scheme.restore_slot(unit, slot, record, side),
            Reuse::Seal(scheme) => {
                scheme.restore_programs(ppn, record.map_or(u16::MAX, |record| record.programs))
            }
        }
    }

    /// A mount found a unit that takes no second writes before it is erased.
    pub(crate) fn restore_reused(&mut self, unit: Unit) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.restore_reused(unit);
        }
    }
}
