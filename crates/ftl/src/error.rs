//! What can go wrong while a drive works.

use rewear_flash::Illegal;

use crate::address::Lpn;

/// Why the drive could not serve a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// Every erase unit that could take data is full of valid pages.
    #[error(
        "out of space: a pool has no room that cleaning could make ({retired_units} of {units} units are worn out or bad)"
    )]
    OutOfSpace {
        /// Units retired because their blocks are worn out or bad.
        retired_units: u32,
        /// Units of the drive.
        units: u32,
    },
    /// A logical page beyond the exported capacity.
    #[error("logical page {lpn} lies beyond the {exported} exported pages")]
    Beyond {
        /// The page.
        lpn: u64,
        /// Exported pages.
        exported: u32,
    },
    /// A page cannot be read: what lies there is not what was written.
    #[error("logical page {lpn} cannot be read: its data is damaged")]
    Uncorrectable {
        /// The page.
        lpn: Lpn,
    },
    /// An overwrite that does not only clear bits.
    #[error(
        "overwrite of logical page {lpn} refused: byte {byte} would set a bit that is 0 there, and an overwrite only clears bits; \
         write such data by the write command (the page still holds what it held)"
    )]
    NotOverwritable {
        /// The page.
        lpn: Lpn,
        /// Offset of the first such byte in it.
        byte: usize,
    },
    /// The flash refused an operation: a fault of the translation layer.
    #[error("the flash refused an operation, which is a fault of the translation layer: {0}")]
    Illegal(#[from] Illegal),
    /// The code could not encode or decode.
    #[error("code failure: {0}")]
    Code(String),
}
