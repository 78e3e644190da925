//! A NAND flash array: what may be done to it, how long it takes and what it costs in wear.
//!
//! Reading order: [`geometry`] (what there is), [`address`] (where), [`array`] (the operations and which of them
//! are illegal), [`program_again`] (what a write-once-memory code makes legal), `word_lines`
//! (the two pages of an MLC cell), [`timing`] and [`timeline`] (when an
//! operation ends), [`queue`] (reads that overtake), [`medium`] (cells that are modelled or stored), [`failures`] (blocks
//! that are or go bad).
//!
//! The array knows nothing of logical pages, validity or garbage collection. Whoever drives it (crate `ftl`) is
//! refused every operation that a chip would answer with corrupt data.

pub mod address;
pub mod array;
pub mod config;
pub mod energy;
pub mod error;
pub mod failures;
pub mod geometry;
pub mod medium;
pub mod page_kind;
pub mod program_again;
pub mod queue;
mod queued;
pub mod timeline;
pub mod timing;
pub mod wear;
mod word_lines;

pub use address::Address;
pub use array::Array;
pub use config::FlashConfig;
pub use energy::Energy;
pub use error::{ConfigError, Illegal};
pub use failures::Failures;
pub use geometry::Geometry;
pub use program_again::ProgramAgain;
pub use timing::{ProgramMode, Transfer};

/// A point in simulated time or a duration, in integer nanoseconds.
pub type Nanos = u64;
