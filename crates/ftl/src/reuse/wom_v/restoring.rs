//! What a mounted drive must find again of a slot: its writes since the erase, which of its cells
//! are invalid, and what its error-correcting code restores.
//!
//! The spare area is covered by the same code as the page, so it takes as many writes. The output
//! of the ideal error-correcting code stands there: the set of invalid cells, and the bytes that it
//! restores.

use rewear_flash::medium::{RECORD_BYTES, Record, SpareFormat};

use super::WomV;
use super::cells::Cells;
use crate::address::SlotAddress;

impl WomV {
    pub(super) fn spare_format(&self) -> SpareFormat {
        let side_bytes = self.code.cells.as_ref().map_or(0, Cells::side_bytes);
        SpareFormat { bytes: RECORD_BYTES + side_bytes.div_ceil(self.shape.pages as usize), coded: true }
    }

    pub(super) fn append_side_information(&self, at: SlotAddress, side: &mut Vec<u8>) {
        if let Some(cells) = &self.code.cells {
            cells.side_information(self.slots.index(at), side);
        }
    }

    pub(super) fn restore(&mut self, at: SlotAddress, record: Option<&Record>, side: &[u8]) {
        let Some(record) = record else {
            // The history of its cells is not known.
            self.slots.restore(at, 1, true);
            return;
        };
        self.slots.restore(at, record.programs, record.exhausted);
        if let Some(cells) = &mut self.code.cells {
            let invalid = cells.restore(self.slots.index(at), side);
            self.left.add_invalid(at.unit, invalid as f64 / cells.slot_cells() as f64);
        }
    }
}
