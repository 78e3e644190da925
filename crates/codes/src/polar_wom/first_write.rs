//! First writes: unchanged data, complemented where that programs fewer cells (`second-write`,
//! section 3).

use super::field::{FIELD_BYTES, Field};
use crate::CodeError;

const PLAIN: u8 = 1;
const COMPLEMENTED: u8 = 2;

/// Writes `data` on an erased page so that at most half of its cells are programmed. `field` is the
/// page's metadata field for first writes. Returns whether the data was complemented.
///
/// # Errors
/// [`CodeError::Size`] when `page` is not as long as `data`.
pub fn first_write(data: &[u8], page: &mut [u8], field: &mut [u8; FIELD_BYTES]) -> Result<bool, CodeError> {
    CodeError::check_bytes("the page", page.len(), data.len())?;
    let ones: usize = data.iter().map(|byte| byte.count_ones() as usize).sum();
    let complement = 2 * ones > 8 * data.len();
    let flip = if complement { 0xff } else { 0 };
    for (cell, byte) in page.iter_mut().zip(data) {
        *cell = byte ^ flip;
    }
    *field = Field::new(if complement { COMPLEMENTED } else { PLAIN })?.to_cells();
    Ok(complement)
}

/// Reads a page of [`first_write`].
///
/// # Errors
/// [`CodeError::Size`] when `data` is not as long as `page`; [`CodeError::NotACodeword`] when the
/// field is none of a first write, or has more than three wrong bits.
pub fn read_first_write(page: &[u8], field: [u8; FIELD_BYTES], data: &mut [u8]) -> Result<(), CodeError> {
    CodeError::check_bytes("the data", data.len(), page.len())?;
    let number = Field::from_cells(field, 8 * page.len())?.number();
    let flip = match number {
        PLAIN => 0,
        COMPLEMENTED => 0xff,
        _ => {
            let (cell, found) = (8 * page.len(), number.into());
            return Err(CodeError::NotACodeword { code: "a first write", cell, found });
        }
    };
    for (byte, cell) in data.iter_mut().zip(page) {
        *byte = cell ^ flip;
    }
    Ok(())
}
