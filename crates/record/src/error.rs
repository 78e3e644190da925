//! Errors of recordings, and how to mend them.

use std::io;
use std::path::PathBuf;

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A device that is too large.
    #[error("a device of {size_bytes} bytes is too large. Give at most 16TiB")]
    Size {
        /// The value asked for.
        size_bytes: u64,
    },
    /// The trace cannot be written.
    #[error("the recording cannot be written: {0}. Check the space and the permissions of its folder")]
    Output(#[from] io::Error),
    /// FUSE refused.
    #[error(
        "{mountpoint} cannot be mounted: {source}. It must be an empty folder, and /dev/fuse must be there; without root, \
         install fuse3 (Debian: apt-get install fuse3)"
    )]
    Mount {
        /// Where the device was to appear.
        mountpoint: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The device is still open.
    #[error("{mountpoint} cannot be unmounted: {source}. Close what uses the device in it")]
    Unmount {
        /// Where the device is.
        mountpoint: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// A file system that cannot be followed.
    #[error("who wrote is not recorded: {0}. Let mke2fs make a plain ext4 with a journal")]
    Followed(&'static str),
    /// The thread that writes the trace has ended before its time.
    #[error(
        "the recording was cut short by a fault of its writer; report it with the command that led to it"
    )]
    Writer,
}
