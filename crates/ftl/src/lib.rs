//! A flash translation layer with three axes.
//!
//! Every host write meets three questions in this order: must it be written at all ([`recycle`]),
//! where can it be written without an erase ([`reuse`]), with how much effort must it be written
//! ([`effort`]). A drive is a flash array plus one scheme per axis; a scheme knows its own axis
//! only and hears of the rest by events.
//!
//! Schemes and policies decide, the layer does. A scheme looks at the [`state`], which it cannot
//! change, and returns a value: a place, a program mode, what becomes of a unit. The layer
//! programs, moves, erases, and keeps map and counters.
//!
//! Reading order, which is also the way of a write:
//!
//! 1. [`address`], [`config`], [`shape`]: numbers, what a drive is, and what follows from it.
//! 2. [`host`]: what a host says of a write, and the buffer in front of the flash.
//! 3. `layer`: one write, one read, one trim; `layer/write.rs` first.
//! 4. [`recycle`], [`reuse`], [`effort`]: the three axes, each with its interface and its schemes.
//! 5. [`state`]: map, erase units, counters.
//! 6. `cleaning`: what happens where no unit has room.
//! 7. [`policies`]: what else is decided, off by default: victims, streams, wear levelling, idle
//!    time.
//! 8. [`recovery`]: how a drive is mounted from its flash.
//!
//! Beside the way: [`cache_hints`], which change no result.

#[macro_use]
mod registry;

pub mod address;
pub mod cache_hints;
mod cleaning;
pub mod config;
pub mod effort;
pub mod error;
pub mod host;
mod layer;
pub mod policies;
pub mod recovery;
pub mod recycle;
pub mod reuse;
pub mod shape;
pub mod state;

pub use address::{Lpn, Pool, Ppn, Slot, SlotAddress, Unit};
pub use config::DriveConfig;
pub use error::FtlError;
pub use layer::Ftl;
pub use shape::Shape;
pub use state::counters::Counters;
pub use state::space_report::Space;

#[cfg(test)]
#[path = "../tests/worked_examples/mod.rs"]
mod worked_examples;
