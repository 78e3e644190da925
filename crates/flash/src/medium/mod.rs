//! What the cells are made of: counts (modelled) or levels (stored); what stored pages say of
//! themselves, and what a power failure does to them.

mod backing;
mod blank;
pub mod cell_format;
pub mod checksum;
pub mod image;
pub mod power;
pub mod progress;
pub mod record;
pub mod stored;

pub use cell_format::{CellFormat, SpareFormat};
pub use image::{Image, ImageError, ImageShape};
pub use power::{PowerCut, Tear};
pub use progress::{Operation, Progress, Spoiled};
pub use record::{Kind, RECORD_BYTES, Record};
pub use stored::Stored;

/// The cells of an array.
#[derive(Debug, Clone)]
pub enum Medium {
    /// No bytes are kept; the array's counts decide what is legal.
    Modelled,
    /// The level of every cell, in memory or in an image file.
    Stored(Stored),
}
