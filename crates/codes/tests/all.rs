//! The integration tests of this crate in one program, so that what they share is compiled once.

mod bch;
mod bch_exhaustive;
mod bch_vectors;
mod coset;
mod ecc_measure;
mod ldpc;
mod measure;
mod polar_wom;
mod second_write;
mod small_codes;
mod wom_v;
mod wom_v_writes;
