//! The integration tests of this crate in one program, so that what they share is compiled once.

mod bch;
mod bch_exhaustive;
mod bch_vectors;
mod bits;
mod coset;
mod ecc_limits;
mod ecc_measure;
mod estimates;
mod gf2m;
mod keystream;
mod ldpc;
mod ldpc_limits;
mod measure;
mod polar_wom;
mod polar_wom_field;
mod second_write;
mod small_codes;
mod wom_v;
mod wom_v_writes;
