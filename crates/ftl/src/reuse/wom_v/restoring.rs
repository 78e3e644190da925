//! What a mounted drive must find again of a slot: its writes since the erase, which of its cells
//! are invalid, and what its error-correcting code restores.
//!
//! The spare area is covered by the same code as the page, so it takes as many writes. The output
//! of the ideal error-correcting code stands there: the set of invalid cells, and the bytes that it
//! restores.

use rewear_flash::medium::{RECORD_BYTES, Record, SpareFormat};

use super::WomV;
use super::unit_code::UnitCode;
use crate::address::SlotAddress;

impl WomV {
    pub(super) fn spare_format(&self) -> SpareFormat {
        let share = |code: &UnitCode| {
            code.cells.as_ref().map_or(0, |cells| cells.side_bytes().div_ceil(code.pages as usize))
        };
        SpareFormat { bytes: RECORD_BYTES + self.codes.iter().map(share).max().unwrap_or(0), coded: true }
    }

    pub(super) fn append_side_information(&self, at: SlotAddress, side: &mut Vec<u8>) {
        if let Some(cells) = &self.code(at.unit).cells {
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
        let code = &mut self.codes[usize::from(self.of_unit[at.unit.index()])];
        if let Some(cells) = &mut code.cells {
            let invalid = cells.restore(self.slots.index(at), side);
            self.left.add_invalid(at.unit, invalid as f64 / cells.slot_cells() as f64);
        }
    }
}
