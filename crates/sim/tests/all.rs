//! The integration tests of this crate in one program, so that what they share is compiled once.

mod bound;
mod chips;
mod closed_forms;
mod common;
mod conservation;
mod disksim;
mod drawn;
mod energy;
mod every_scheme;
mod fixed_reports;
mod indirection;
mod life;
mod measure;
mod metadata_share;
mod miniature;
mod observers;
mod policies;
mod recorded_traces;
mod recycling;
mod seal;
mod second_writes;
mod shared_pages;
mod slc_cache;
mod throughput;
mod timing_options;
mod wom_v;
