//! Stored cells: the real code on real levels, and what the error-correcting code gives back.
//!
//! The levels are what that code protects: an invalid cell is a wrong level at a place that it must
//! find. It is ideal here up to the limit of the check, so the levels that it would work out are
//! kept aside.

use rewear_codes::CodeError;
use rewear_codes::coset::{Code, InvalidCell, Writer, correct};

/// Bytes of an invalid cell in the side information: its number plus one, and its level.
const ENTRY_BYTES: usize = 5;

/// The slots of a drive with stored cells.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) code: Code,
    writer: Writer,
    /// Invalid cells that a page may have.
    limit: usize,
    slots: Vec<Box<[InvalidCell]>>,
}

impl Cells {
    pub(super) fn new(code: Code, limit: usize) -> Cells {
        Cells { writer: Writer::new(&code), code, limit, slots: Vec::new() }
    }

    /// Makes room for `slots` slots.
    pub(super) fn prepare(&mut self, slots: usize) {
        self.slots = vec![Box::default(); slots];
    }

    /// Writes a slot as write `write` since its erase. Whether few enough cells are invalid then.
    pub(super) fn write(
        &mut self,
        slot: usize,
        write: u32,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, CodeError> {
        let invalid = self.writer.write(&self.code, write, data, image)?;
        if invalid.len() > self.limit {
            return Ok(false);
        }
        self.slots[slot] = invalid.into();
        Ok(true)
    }

    /// Reads what write `write` left, with corrected levels.
    pub(super) fn read(
        &self,
        slot: usize,
        write: u32,
        image: &[u8],
        data: &mut [u8],
    ) -> Result<(), CodeError> {
        let invalid = &self.slots[slot];
        if invalid.is_empty() {
            return self.code.decode(write, image, data);
        }
        let mut corrected = image.to_vec();
        correct(&mut corrected, invalid);
        self.code.decode(write, &corrected, data)
    }

    pub(super) fn erased(&mut self, slots: std::ops::Range<usize>) {
        self.slots[slots].fill(Box::default());
    }

    /// Bytes of [`side_information`](Self::side_information) at most.
    pub(super) fn side_bytes(&self) -> usize {
        ENTRY_BYTES * self.limit
    }

    /// The invalid cells of a slot and the levels that they should have.
    pub(super) fn side_information(&self, slot: usize, side: &mut Vec<u8>) {
        for cell in &self.slots[slot] {
            side.extend((cell.cell + 1).to_le_bytes());
            side.push(cell.wanted);
        }
    }

    /// Takes over the side information of a slot.
    pub(super) fn restore(&mut self, slot: usize, side: &[u8]) {
        let (entries, _) = side.as_chunks::<ENTRY_BYTES>();
        let cell = |&[a, b, c, d, wanted]: &[u8; ENTRY_BYTES]| {
            let cell = u32::from_le_bytes([a, b, c, d]).checked_sub(1)?;
            ((cell as usize) < self.code.cells()).then_some(InvalidCell { cell, wanted: wanted & 15 })
        };
        self.slots[slot] = entries.iter().map_while(cell).collect();
    }
}
