//! Codes on real bits. Knows no SSD: everything here works on byte slices, bit indices and numbers.

pub mod bch;
pub mod ecc_error;
pub mod ecc_limits;
pub mod ecc_measure;
pub mod gf2m;
pub mod ldpc;
