//! What a mounted drive must find again of a slot: its writes since the erase, which of its cells are invalid, and what its
//! error-correcting code restores.
//!
//! The spare area is covered by the same code as the page (so it takes as many writes), and the ideal error-correcting code
//! stands there as what it gives back: the set of invalid cells, and the bytes that it restores.

use rewear_flash::medium::{RECORD_BYTES, Record, SpareFormat};

use super::WomV;

impl WomV {
    pub(in crate::reuse) fn spare_format(&self) -> SpareFormat {
        let side = self.cells.as_ref().map_or(0, |cells| cells.side_bytes());
        SpareFormat { bytes: RECORD_BYTES + side.div_ceil(self.shape.pages as usize), coded: true }
    }

    /// Bytes that so many bytes take on the flash once they are coded.
    pub(in crate::reuse) fn coded_bytes(&self, bytes: u32) -> u32 {
        self.code.cells_for(bytes as usize).div_ceil(8) as u32 * self.bits_per_cell
    }

    /// Writes of a slot since its erase.
    #[inline]
    pub(in crate::reuse) fn written(&self, unit: u32, slot: u32) -> u16 {
        self.slots.written(unit, slot)
    }

    pub(in crate::reuse) fn side_information(&self, unit: u32, slot: u32, side: &mut Vec<u8>) {
        if let Some(cells) = &self.cells {
            cells.side_information(self.slots.index(unit, slot), side);
        }
    }

    pub(in crate::reuse) fn restore_slot(
        &mut self,
        unit: u32,
        slot: u32,
        record: Option<&Record>,
        side: &[u8],
    ) {
        let Some(record) = record else {
            // Nobody knows what its cells went through.
            self.slots.restore(unit, slot, 1, true);
            return;
        };
        self.slots.restore(unit, slot, record.programs, record.exhausted);
        if let Some(cells) = &mut self.cells {
            let invalid = cells.restore(self.slots.index(unit, slot), side);
            self.slots.add_invalid(unit, invalid as f64 / cells.slot_cells() as f64);
        }
    }
}
