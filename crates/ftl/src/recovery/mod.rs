//! Recovery: everything that the translation layer must know lies on the flash itself, and a drive can be mounted from it.
//!
//! # Idea
//! Every page is programmed together with a record in its spare area ([`rewear_flash::medium::Record`]): what it holds and the number of
//! the program ([`spare_area`]). The newest record of a logical page names its place, so writes and cleaning need nothing else. What
//! programs no page (a trim, a recycled page's new owner) is noted in the journal of a small log ([`log`], [`entry`]), which becomes
//! durable with the next flush, or before the page that it released is destroyed ([`commit`]). When a half of the log is full
//! the other one begins with a checkpoint ([`checkpoint`]): the map as it is. Mounting ([`mount`]) takes the newest checkpoint, the journal
//! behind it and every newer record ([`scan`]), and begins a new half.
//!
//! # Source
//! Records in spare areas are what every page-mapped translation layer keeps (e.g. Gupta et al., DFTL, ASPLOS '09, section 3); a checkpoint
//! followed by a log is that of log-structured file systems (Rosenblum and Ousterhout, 1992).
//!
//! # Parameters
//! [`RecoveryConfig`].
//!
//! # Cost
//! Records ride along with the pages. The log takes a few erase units of the first pool, a page for every flush after a trim or a
//! recycled write, and a checkpoint (4 bytes a logical page) whenever half of it is full. Every pool keeps one more unit in
//! reserve: what was open when power failed may be lost for a while. All of it happens on modelled cells, too, except the records.
//!
//! # Deviations
//! Histories (of accesses, of contents, of hotness) are not kept: schemes learn anew after a mount. Blocks that read as erased
//! count as erased.

pub(crate) mod checkpoint;
mod commit;
mod commit_time;
pub(crate) mod entry;
pub(crate) mod log;
pub mod mount;
mod rebuild;
mod scan;
pub(crate) mod spare_area;

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use mount::{MountError, MountReport};
pub(crate) use spare_area::SpareMetadata;

/// The `[ftl.recovery]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecoveryConfig {
    /// Nothing is kept on the flash beside data: the drive cannot be mounted again.
    #[serde(rename = "none")]
    Nothing {},
    /// Records in spare areas (on stored cells), a journal and checkpoints.
    Log(LogConfig),
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        RecoveryConfig::Nothing {}
    }
}

/// Parameters of `log`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    /// Journal pages that each half of the log has room for behind its checkpoint, at least. 0: as many as the checkpoint has
    /// pages, and no less than 4.
    pub journal_pages: u32,
    /// A flush writes a checkpoint if the drive has programmed so many pages since the last one, which bounds what mounting
    /// has to read on a drive without `reuse`. 0: only when a half of the log is full.
    pub checkpoint_after_pages: u64,
}

impl RecoveryConfig {
    /// The log's parameters, if there is one.
    pub fn log(&self) -> Option<&LogConfig> {
        match self {
            RecoveryConfig::Nothing {} => None,
            RecoveryConfig::Log(config) => Some(config),
        }
    }

    /// Checks the scheme against the write buffer.
    ///
    /// # Errors
    /// A buffer that survives power loss: what it holds would have to lie on the flash, too.
    pub(crate) fn check(&self, buffer_survives: bool) -> Result<(), ConfigError> {
        if self.log().is_none() || !buffer_survives {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.write_buffer.survives_power_loss",
            "a drive with ftl.recovery recovers what lies on the flash, which a surviving buffer is not",
            "set it to false, or ftl.recovery.scheme = \"none\"",
        ))
    }
}
