//! What is served and how: one JSON file, which `rewear serve` writes.

use std::path::PathBuf;

use rewear_flash::bit_errors::BitErrorsConfig;
use rewear_flash::config::MediumKind;
use rewear_ftl::DriveConfig;
use rewear_sim::Drive;
use rewear_trace::ContentColumn;
use serde::Deserialize;

use crate::error::LiveError;
use crate::image;

/// The options of a live drive. All but the drive have defaults.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveOptions {
    /// The drive; its cells are stored, whatever `flash.medium` says.
    pub drive: DriveConfig,
    /// The file that holds the cells; without one they are in memory.
    #[serde(default)]
    pub image: Option<PathBuf>,
    /// Memory for the cells, or the room of a new image, is taken when they are first programmed, and
    /// not at the start.
    #[serde(default)]
    pub lazy_memory: bool,
    /// Cells are misread as often as their wear says, unless `flash.bit_errors` says otherwise.
    #[serde(default)]
    pub bit_errors: bool,
    /// Answers come when the simulated drive would give them, instead of as fast as they can.
    #[serde(default)]
    pub pace: bool,
    /// Requests that the host is taken to have in flight at most, in simulated time.
    #[serde(default = "queue_depth")]
    pub queue_depth: u32,
    /// The device is twice as large as the drive; writes to the upper half are overwrites of the
    /// lower.
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
    /// Requests of one connection are served at the same time. nbdkit 1.32 may die if such a client
    /// hangs up; requests of several connections always are.
    #[serde(default)]
    pub parallel_requests: bool,
    /// Process with whose end the server ends, too.
    #[serde(default)]
    pub parent: Option<u32>,
    /// What the statistics name as the origin of requests.
    #[serde(default)]
    pub transport: Transport,
}

/// How requests come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Over a network block device.
    #[default]
    Nbd,
    /// As an NVMe drive over TCP.
    NvmeTcp,
}

impl Transport {
    /// As options and statistics name it.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Nbd => "nbd",
            Transport::NvmeTcp => "nvme-tcp",
        }
    }
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
    /// Options with defaults, for a drive in memory.
    pub fn new(drive: DriveConfig) -> LiveOptions {
        LiveOptions {
            drive,
            image: None,
            lazy_memory: false,
            bit_errors: false,
            pace: false,
            queue_depth: queue_depth(),
            overwrite_bit: false,
            record: None,
            record_content: RecordedContent::default(),
            control: None,
            parallel_requests: false,
            parent: None,
            transport: Transport::default(),
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
    /// An impossible configuration; a queue depth out of range.
    pub fn checked_drive(&self) -> Result<Drive, LiveError> {
        self.check()?;
        let mut config = self.drive.clone();
        config.flash.medium = MediumKind::Stored;
        if self.bit_errors && config.flash.bit_errors.is_none() {
            config.flash.bit_errors = Some(BitErrorsConfig::default());
        }
        if self.image.is_some() || config.flash.bit_errors.is_some() {
            config = image::with_recovery(config);
        }
        Ok(Drive::new(config)?)
    }

    fn check(&self) -> Result<(), LiveError> {
        if self.queue_depth == 0 || self.queue_depth > DEEPEST_QUEUE {
            let text = format!("queue depth {}: give 1 to {DEEPEST_QUEUE}", self.queue_depth);
            return Err(LiveError::Options(text));
        }
        Ok(())
    }
}

fn queue_depth() -> u32 {
    32
}
