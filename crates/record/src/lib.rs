//! A recorded device: a file in memory, shown through FUSE, that writes every request on it into a
//! compact trace, with its time and the fingerprint of every page that is written.
//!
//! Read in this order: `pages` (the bytes), `fingerprint` (their digests), `recorder` (requests
//! into a trace), `unfinished` (its file), `ext4` (who wrote), `mount` (the one place that sees FUSE).
//! What makes a disk of the file, with a file system and a page cache on it, is the caller's:
//! `python/rewear/core/recording.py`.

mod error;
mod ext4;
mod fingerprint;
#[cfg(target_os = "linux")]
mod mount;
mod pages;
mod recorder;
mod unfinished;

pub use error::RecordError;
pub use ext4::Follower;
pub use fingerprint::{HASH, fingerprints, zeros};
#[cfg(target_os = "linux")]
pub use mount::{DEVICE_NAME, Device, Ended};
pub use pages::Pages;
pub use recorder::{Recorder, Summary};
pub use unfinished::Unfinished;
