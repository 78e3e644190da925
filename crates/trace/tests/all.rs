//! The integration tests of this crate in one program, so that what they share is compiled once.

mod ahead;
mod analysis;
mod clock_jumps;
mod common;
mod compact;
mod content_model;
mod fit;
mod formats;
mod own_columns;
mod recorded;
mod refill;
mod skipped_trims;
mod stand_in;
mod trouble;
mod workloads;
