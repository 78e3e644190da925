//! Codes on real bits and cells: the write-once-memory (WOM) codes and the error-correcting codes
//! of five papers.
//!
//! Everything here encodes and decodes real bits; nothing here knows what a drive is. Pages are
//! byte slices, cell levels are packed into byte slices, and every refusal is an error value.

pub mod bch;
pub mod bits;
pub mod coset;
pub mod ecc_error;
pub mod ecc_limits;
pub mod ecc_measure;
pub mod error;
pub mod flip_n_write;
pub mod gf2m;
pub mod isa;
pub mod keystream;
pub mod ldpc;
pub mod ldpc_limits;
pub mod measure;
pub mod mlc_cell;
pub mod polar_wom;
pub mod rivest_shamir;
pub mod wom_v;

pub use error::CodeError;
