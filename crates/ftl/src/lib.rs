//! A flash translation layer with three axes.
//!
//! Every host write meets three questions in this order: must it be written at all ([`recycle`]),
//! where can it be written without an erase ([`reuse`]), with how much effort must it be written
//! ([`effort`]). A drive is a flash array plus one scheme per axis; a scheme knows its own axis
//! only and hears of the rest by events.
//!
//! Schemes and policies decide, the layer does. A scheme looks at the [`state`], which it cannot
//! change, and returns a value: a program mode, a victim, the fate of a unit. The layer is three
//! structs through which data flows one way: the front serves the host, the cleaner finds room, the
//! hand programs, moves, erases, and keeps map and counters.
//!
//! Reading order, which is also the way of a write:
//!
//! 1. [`address`], [`config`], [`shape`]: numbers, what a drive is, and what follows from it.
//! 2. [`host`]: what a host says of a write, and the buffer in front of the flash.
//! 3. `front`: one write, one read, one trim; `front/write.rs` first.
//! 4. [`recycle`], [`reuse`], [`effort`]: the three axes, each with its interface and its schemes.
//! 5. [`state`]: map, erase units, counters.
//! 6. `cleaning`: a slot for a page, and what happens where no unit has room; `hand`: programs, reads,
//!    erases, and the map.
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
mod front;
mod hand;
pub mod host;
pub mod policies;
pub mod recycle;
pub mod reuse;
pub mod shape;
pub mod state;

pub use address::{Lpn, Pool, Ppn, Slot, SlotAddress, Unit};
pub use config::DriveConfig;
pub use error::FtlError;
pub use front::Ftl;
pub use hand::recovery;
pub use shape::Shape;
pub use state::counters::Counters;
pub use state::space_report::Space;

#[cfg(test)]
#[path = "../tests/worked_examples/mod.rs"]
mod worked_examples;
