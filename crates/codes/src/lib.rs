//! Codes on real bits and cells: the write-once-memory (WOM) codes and the error-correcting codes of five papers.
//!
//! Everything here encodes and decodes real bits; nothing here knows what a drive is. Pages are byte slices, cell
//! levels are packed into byte slices, and every refusal is an error value.

pub mod bits;
pub mod error;
pub mod isa;
pub mod wom_v;

pub use error::CodeError;
