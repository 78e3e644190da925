//! A drive that serves bytes: the translation layer of the simulator on stored cells, behind reads
//! and writes of any length.
//!
//! Reading order: [`options`] (what is served and how), `image` (a drive in a file), [`drive`] (the
//! operations), [`serve`] (one request, and its lock), [`clock`] (when requests arrive in simulated
//! time, and how a paced drive waits), [`recording`] (what ran on it, for the simulator), [`snapshot`]
//! (statistics, in the schema of replays), [`control`] (statistics over a socket), [`parent`] (a server
//! ends with who started it), [`front`] (what server programs have in common), [`error`]. Protocols are
//! somebody else's: the crates `nbd` and `nvme-live` hand the requests of a network block device and of
//! NVMe hosts on.

pub mod clock;
#[cfg(unix)]
pub mod control;
pub mod drive;
pub mod error;
#[cfg(unix)]
pub mod front;
mod image;
pub mod options;
#[cfg(unix)]
pub mod parent;
pub mod recording;
pub mod serve;
pub mod snapshot;

pub use drive::{Extent, LiveDrive};
pub use error::LiveError;
pub use options::LiveOptions;
pub use snapshot::Snapshot;
