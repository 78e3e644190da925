//! Why a replay could not begin or had to end.

use rewear_flash::ConfigError;
use rewear_ftl::FtlError;
use rewear_trace::{ErrorKind, TraceError};

/// An error of a replay. `Display` says what, where and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The drive's configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The trace or workload.
    #[error(transparent)]
    Trace(TraceError),
    /// A replay option out of range.
    #[error("{0}")]
    Options(String),
    /// The workload reaches beyond the drive.
    #[error(
        "{source_name} reaches byte {needed_bytes}, but the drive {drive} exports {exported_bytes} bytes; use a drive that \
         exports at least {needed_bytes} bytes (more flash.blocks_per_plane), or fit the trace: fit dense renumbers the \
         touched pages, fit modulo wraps addresses round"
    )]
    TooSmall {
        /// The workload.
        source_name: String,
        /// First byte behind its last request.
        needed_bytes: u64,
        /// The drive.
        drive: String,
        /// What it exports.
        exported_bytes: u64,
    },
    /// The drive failed in a way that a drive must not.
    #[error("{0}")]
    Drive(#[from] FtlError),
    /// Stored cells returned other bytes than were written.
    #[error("data loss: sector {sector} read back other bytes than were written")]
    DataLoss {
        /// The 512-byte sector.
        sector: u64,
    },
    /// The log of requests could not be written.
    #[error("the log of requests cannot be written: {0}")]
    Log(String),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl From<TraceError> for SimError {
    fn from(error: TraceError) -> Self {
        match error.kind {
            ErrorKind::Interrupted => SimError::Interrupted,
            _ => SimError::Trace(error),
        }
    }
}
