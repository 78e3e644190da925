//! The integration tests of this crate in one program, so that what they share is compiled once.

mod bit_errors;
mod bytes;
mod clock;
mod common;
mod image;
mod recorded;
mod worn_out;
