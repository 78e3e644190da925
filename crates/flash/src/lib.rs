//! A NAND flash array: what may be done to it, how long it takes and what it costs in wear.
//!
//! Reading order: [`geometry`] (what there is), [`address`] (where), [`mod@array`] (what it
//! consists of), `operations`, `copies` and `admission` (what may be done to it, and which of it is
//! illegal), [`program_again`] (what a write-once-memory code makes legal), `word_lines` (the two
//! pages of an MLC cell), `shared_pages` (mapping units that share a page), [`timing`] and
//! [`timeline`] (when an operation ends), `multi_plane`, `chips`, [`queue`] (reads that overtake),
//! [`queue_lengths`], [`medium`] (cells that are modelled or stored), `cells` (the array's
//! operations on stored ones), [`bit_errors`] (cells that are misread), [`failures`] (blocks that are or go bad), [`wear`] and [`life`] (what wears blocks,
//! and how long they live), [`cell_physics`] (why steps, codes and wear go together), [`rber_law`]
//! (error rates as they were measured).
//!
//! The array knows nothing of logical pages, validity or garbage collection. It refuses its
//! driver (crate `ftl`) every operation that a chip would answer with corrupt data.

pub mod address;
mod admission;
pub mod array;
pub mod bit_errors;
pub mod cell_physics;
mod cells;
mod chips;
pub mod config;
pub mod copies;
pub mod energy;
pub mod error;
pub mod failures;
pub mod geometry;
pub mod life;
pub mod medium;
mod multi_plane;
mod operations;
pub mod page_kind;
pub mod program_again;
pub mod queue;
pub mod queue_lengths;
mod queued;
mod queued_programs;
pub mod rber_law;
mod shared_pages;
pub mod timeline;
pub mod timing;
pub mod wear;
mod word_lines;

pub use address::Address;
pub use array::Array;
pub use cells::BlockHistory;
pub use config::FlashConfig;
pub use energy::Energy;
pub use error::{ConfigError, Illegal};
pub use failures::Failures;
pub use geometry::Geometry;
pub use life::LifeConfig;
pub use program_again::ProgramAgain;
pub use queue_lengths::QueueLengths;
pub use rber_law::{MeasuredRber, RberLaw};
pub use timing::{ProgramMode, Transfer};

#[cfg(test)]
#[path = "../tests/queue_by_times/mod.rs"]
mod queue_by_times;

/// A point in simulated time or a duration, in integer nanoseconds.
pub type Nanos = u64;
