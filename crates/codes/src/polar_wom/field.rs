//! Five bits of metadata that survive bit errors: a first-order Reed-Muller codeword of 16 cells.
//!
//! The complement flag of a first write and the attempt of a second one are needed before the rest
//! of a page can be read. So they cannot rely on the page's own error-correcting code. The code
//! RM(1, 4) has distance 8: three wrong bits of 16 are corrected, four are noticed. Its zero
//! codeword is a field of erased cells, so "nothing written yet" needs no flag of its own, and a
//! field is written once in one programming step.

use crate::CodeError;

/// Bytes of a field.
pub const FIELD_BYTES: usize = 2;

/// Wrong bits that are corrected.
const CORRECTABLE: u32 = 3;

/// A number from 0 to 31 in 16 cells; 0 is the erased field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field(u8);

impl Field {
    /// The field of an erased page.
    pub const ERASED: Field = Field(0);

    /// The field for `number`; numbers above 31 are a [`CodeError::Range`].
    pub fn new(number: u8) -> Result<Field, CodeError> {
        if number < 32 {
            Ok(Field(number))
        } else {
            Err(CodeError::Range { what: "field", count: 32, got: number.into() })
        }
    }

    /// The number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The cells, a one being a programmed cell.
    pub fn to_cells(self) -> [u8; FIELD_BYTES] {
        codeword(self.0).to_le_bytes()
    }

    /// Reads a field with at most three wrong bits. Erased cells with few wrong bits read as
    /// [`Field::ERASED`].
    ///
    /// # Errors
    /// [`CodeError::NotACodeword`] with more wrong bits, naming `first_cell` as the place.
    pub fn from_cells(cells: [u8; FIELD_BYTES], first_cell: usize) -> Result<Field, CodeError> {
        let found = u16::from_le_bytes(cells);
        (0..32).find(|number| (codeword(*number) ^ found).count_ones() <= CORRECTABLE).map(Field).ok_or(
            CodeError::NotACodeword { code: "the metadata field", cell: first_cell, found: found.into() },
        )
    }
}

/// Cell `j` is bit 4 of `number`, plus the inner product of its bits 0 to 3 with those of `j`.
fn codeword(number: u8) -> u16 {
    const ROWS: [u16; 5] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00, 0xffff];
    ROWS.iter().enumerate().filter(|(i, _)| number >> i & 1 == 1).fold(0, |word, (_, row)| word ^ row)
}
