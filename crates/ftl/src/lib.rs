//! A flash translation layer with three axes.
//!
//! Every host write meets three questions in this order: must it be written at all ([`recycle`]), where can it be
//! written without an erase ([`reuse`]), with how much effort must it be written ([`effort`]). A drive is a flash array
//! plus one scheme per axis; a scheme knows its own axis only and hears of the rest by events.
//!
//! Reading order: [`config`] (what a drive is), [`shape`] (what follows from it), [`host_write`], [`fingerprint`], [`ftl`]
//! (one write, one read, one trim), `recycling`, `placement` and `preparing` (the questions on the way; `way`: where nobody asks them), [`layout`] (how page
//! numbers lie over the array), [`write_buffer`], [`map`], [`sharing`], [`units`] and [`victims`] (erase units, their pools,
//! the greedy index),
//! [`core`] (the state that the schemes share), [`cleaning`] (garbage collection), [`counters`], [`space`], [`stored`] and
//! [`scrambler`] (what comes onto stored cells), `table` (how all that lies in memory). Then the policies, which a
//! reader of the plain drive may skip: [`victim`], [`streams`], [`wear_levelling`], [`background`], [`failing`], `rewriting`; and [`recovery`], by which a
//! drive is mounted from its flash.

pub mod audit;
pub mod background;
mod buffered;
pub mod cleaning;
pub mod config;
pub mod core;
pub mod counters;
pub mod effort;
pub mod error;
pub mod failing;
pub mod fingerprint;
pub mod ftl;
pub mod host_write;
pub mod layout;
pub mod map;
mod placement;
mod prefetching;
mod preparing;
pub mod recovery;
pub mod recycle;
mod recycling;
pub mod reuse;
mod rewriting;
pub mod scrambler;
pub mod shape;
pub mod sharing;
pub mod space;
pub mod stored;
pub mod streams;
mod table;
pub mod units;
pub mod victim;
pub mod victims;
pub mod visits;
mod way;
pub mod wear_levelling;
pub mod write_buffer;

pub use config::DriveConfig;
pub use counters::Counters;
pub use error::FtlError;
pub use ftl::Ftl;
pub use shape::Shape;
pub use space::Space;

/// Logical page number: what the host addresses, in units of the drive's logical page.
pub type Lpn = u32;
/// Physical page number: a slot, the place of one logical page (one flash page, or several where a code needs them).
pub type Ppn = u32;
/// No page, no unit.
pub const NONE: u32 = u32::MAX;
