//! What the cells are made of: counts (modelled) or levels (stored).

pub mod stored;

pub use stored::{CellFormat, Stored};

/// The cells of an array.
#[derive(Debug, Clone)]
pub enum Medium {
    /// No bytes are kept; the array's counts decide what is legal.
    Modelled,
    /// The level of every cell, in memory.
    Stored(Stored),
}
