//! What is served and how: one JSON file, which `rewear serve` writes.

use std::path::PathBuf;

use rewear_sim::Drive;
use rewear_trace::ContentColumn;
use serde::Deserialize;

use crate::error::LiveError;

/// The options of a live drive. All but the drive have defaults.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveOptions {
    /// The drive's TOML text.
    pub drive: String,
    /// What errors call that text.
    #[serde(default = "drive_text")]
    pub origin: String,
    /// Keys and values that change it, as `("ftl.over_provisioning", "0.28")`.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// Answers come when the simulated drive would give them, instead of as fast as they can.
    #[serde(default)]
    pub pace: bool,
    /// Requests that the host is taken to have in flight at most, in simulated time.
    #[serde(default = "queue_depth")]
    pub queue_depth: u32,
    /// The device is twice as large as the drive; writes to the upper half are overwrites of the lower.
    #[serde(default)]
    pub overwrite_bit: bool,
    /// A compact trace of what is asked of the drive.
    #[serde(default)]
    pub record: Option<PathBuf>,
    /// What the trace keeps of the content of writes.
    #[serde(default)]
    pub record_content: RecordedContent,
    /// Unix socket on which statistics are given.
    #[serde(default)]
    pub control: Option<PathBuf>,
}

/// What a recording keeps of the content of writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedContent {
    /// Digests of pages.
    #[default]
    Digests,
    /// Which pages are equal.
    Numbers,
    /// Nothing.
    None,
}

impl From<RecordedContent> for ContentColumn {
    fn from(content: RecordedContent) -> ContentColumn {
        match content {
            RecordedContent::Digests => ContentColumn::Digests,
            RecordedContent::Numbers => ContentColumn::Numbers,
            RecordedContent::None => ContentColumn::Nothing,
        }
    }
}

/// The deepest queue that is kept account of.
const DEEPEST_QUEUE: u32 = 1 << 16;

impl LiveOptions {
    /// Options with defaults, for a drive's TOML text.
    pub fn new(drive: impl Into<String>) -> LiveOptions {
        LiveOptions {
            drive: drive.into(),
            origin: drive_text(),
            set: Vec::new(),
            pace: false,
            queue_depth: queue_depth(),
            overwrite_bit: false,
            record: None,
            record_content: RecordedContent::default(),
            control: None,
        }
    }

    /// Reads options from JSON.
    ///
    /// # Errors
    /// Text that is no JSON, an unknown key, a wrong type, an impossible value.
    pub fn from_json(text: &str) -> Result<LiveOptions, LiveError> {
        let options: LiveOptions = serde_json::from_str(text).map_err(|error| {
            LiveError::Options(format!(
                "the options are not as expected: {error}; `rewear serve` writes them"
            ))
        })?;
        options.check()?;
        Ok(options)
    }

    /// The checked drive, on stored cells.
    ///
    /// # Errors
    /// As [`Drive::from_toml`]; a queue depth out of range.
    pub fn checked_drive(&self) -> Result<Drive, LiveError> {
        self.check()?;
        let stored = ("flash.medium".to_string(), "stored".to_string());
        let set: Vec<_> = self.set.iter().cloned().chain([stored]).collect();
        Ok(Drive::from_toml(&self.drive, &self.origin, &set)?)
    }

    fn check(&self) -> Result<(), LiveError> {
        if self.queue_depth == 0 || self.queue_depth > DEEPEST_QUEUE {
            let text = format!("queue depth {}: give 1 to {DEEPEST_QUEUE}", self.queue_depth);
            return Err(LiveError::Options(text));
        }
        Ok(())
    }
}

fn drive_text() -> String {
    "drive".to_string()
}

fn queue_depth() -> u32 {
    32
}
