//! The configuration of recovery.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `[ftl.recovery]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecoveryConfig {
    /// None: the drive cannot be mounted again.
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
    /// Journal pages of each half of the log, at least. 0: as many as the checkpoint has pages, and
    /// no less than 4. No key.
    #[serde(skip)]
    pub journal_pages: u32,
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
