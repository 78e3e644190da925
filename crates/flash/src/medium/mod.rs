//! What the cells are made of: counts (modelled) or levels (stored); what stored pages say of themselves, and what a power
//! failure does to them.

pub mod power;
pub mod record;
pub mod stored;

pub use power::{PowerCut, Tear};
pub use record::{Kind, RECORD_BYTES, Record};
pub use stored::{CellFormat, SpareFormat, Stored};

/// The cells of an array.
#[derive(Debug, Clone)]
pub enum Medium {
    /// No bytes are kept; the array's counts decide what is legal.
    Modelled,
    /// The level of every cell, in memory.
    Stored(Stored),
}
