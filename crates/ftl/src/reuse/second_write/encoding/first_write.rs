//! First writes on stored cells: the image of a page is its cells, then the part of its spare area
//! that the codes use.

use rewear_codes::polar_wom::{FIELD_BYTES, first_write, read_first_write};

use super::code_error;
use crate::error::FtlError;

/// Turns the image of an erased page into that of a first write: at most half of its cells are
/// programmed.
pub(in crate::reuse::second_write) fn encode(data: &[u8], image: &mut [u8]) -> Result<(), FtlError> {
    let (page, spare) = image.split_at_mut(data.len());
    let mut field = [0; FIELD_BYTES];
    first_write(data, page, &mut field).map_err(code_error)?;
    spare[..FIELD_BYTES].copy_from_slice(&field);
    Ok(())
}

/// Reads the first write of an image.
pub(in crate::reuse::second_write) fn decode(image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
    let (page, spare) = image.split_at(data.len());
    let mut field = [0; FIELD_BYTES];
    field.copy_from_slice(&spare[..FIELD_BYTES]);
    read_first_write(page, field, data).map_err(code_error)
}
