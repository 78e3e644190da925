//! Why a live drive cannot be opened, or could not serve a request.

use std::path::PathBuf;

use rewear_flash::ConfigError;
use rewear_flash::medium::ImageError;
use rewear_ftl::FtlError;
use rewear_ftl::recovery::MountError;
use rewear_record::RecordError;
use rewear_sim::SimError;

/// An error of a live drive. `Display` says what, where and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The drive's configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The image file.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The cells in the image.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// The options of the server.
    #[error("{0}")]
    Options(String),
    /// A request that reaches beyond the device.
    #[error(
        "a request for {length_bytes} bytes at {offset_bytes} reaches beyond the device of {size_bytes} bytes"
    )]
    Beyond {
        /// First byte.
        offset_bytes: u64,
        /// Bytes.
        length_bytes: u64,
        /// Size of the device.
        size_bytes: u64,
    },
    /// The drive could not serve a request.
    #[error(transparent)]
    Drive(#[from] FtlError),
    /// The drive is worn out.
    #[error("the drive is worn out and read-only: its data can be read, nothing can be written")]
    ReadOnly,
    /// The statistics could not be put together.
    #[error(transparent)]
    Statistics(#[from] SimError),
    /// An earlier request ended in a fault of the program, after which the drive serves nothing.
    #[error("the drive stopped after a fault of the program; restart the server, and report what led to it")]
    Stopped,
    /// The drive was closed and its server is about to end.
    #[error("the drive is closed: its server is stopping")]
    Closed,
    /// A file or socket of the server.
    #[error("{path}: {source}. Check the path, its permissions and the space there")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The recording.
    #[error("{path}: {source}; what was recorded is lost")]
    Recording {
        /// The trace that it was to become.
        path: PathBuf,
        /// What it ran into.
        source: RecordError,
    },
}

impl LiveError {
    /// What a block device answers: whether the request was wrong, there was no room, the device is
    /// read-only, or it failed.
    pub fn kind(&self) -> std::io::ErrorKind {
        use std::io::ErrorKind;
        match self {
            LiveError::Beyond { .. }
            | LiveError::Config(_)
            | LiveError::Options(_)
            | LiveError::Drive(FtlError::NotOverwritable { .. }) => ErrorKind::InvalidInput,
            LiveError::Drive(FtlError::OutOfSpace { .. }) => ErrorKind::StorageFull,
            LiveError::ReadOnly => ErrorKind::ReadOnlyFilesystem,
            _ => ErrorKind::Other,
        }
    }
}
