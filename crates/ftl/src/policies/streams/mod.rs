//! Policy `ftl.streams`: host writes of hot and of cold data in separate open units.
//!
//! Pages that die together should lie together: a unit of hot pages empties itself, a unit of cold pages is left alone.
//! With two streams `ftl.moved_pages = "together"` means together with cold host data, since what survives until it is
//! cleaned is cold.

pub mod update_frequency;

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use update_frequency::{UpdateFrequency, UpdateFrequencyConfig};

use crate::address::Lpn;
use crate::state::units::stream::Stream;

/// The `[ftl.streams]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StreamsConfig {
    /// All host writes go to one open unit a pool.
    One {},
    /// Large requests carry cold data. Costs one erase unit a pool.
    BySize(BySizeConfig),
    /// Pages written often lately are hot. Costs one erase unit a pool and the table of counters.
    ByUpdateFrequency(UpdateFrequencyConfig),
}

/// Parameters of `by-size`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BySizeConfig {
    /// Write requests of at least so many bytes are cold; as Chang (Hybrid Solid-State Disks, ASP-DAC 2008) tells
    /// hot from cold.
    pub cold_bytes: u64,
}

impl Default for BySizeConfig {
    fn default() -> Self {
        BySizeConfig { cold_bytes: 65_536 }
    }
}

impl Default for StreamsConfig {
    fn default() -> Self {
        StreamsConfig::One {}
    }
}

impl StreamsConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// A table of counters that cannot be.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self {
            StreamsConfig::One {} | StreamsConfig::BySize(_) => Ok(()),
            StreamsConfig::ByUpdateFrequency(config) => config.check("ftl.streams"),
        }
    }

    /// Open units that host writes take in each pool.
    pub(crate) fn count(&self) -> u32 {
        match self {
            StreamsConfig::One {} => 1,
            StreamsConfig::BySize(_) | StreamsConfig::ByUpdateFrequency(_) => 2,
        }
    }
}

/// Sorts the host writes of a drive into streams.
#[derive(Debug, Clone)]
pub enum Streams {
    /// One for all.
    One,
    /// By the length of the request.
    BySize {
        /// Length from which a request is cold.
        cold_bytes: u64,
        /// Length of the present request.
        request_bytes: u64,
    },
    /// See [`update_frequency`].
    ByUpdateFrequency(UpdateFrequency),
}

impl Streams {
    /// Builds the policy of a configuration.
    pub fn new(config: &StreamsConfig) -> Streams {
        match config {
            StreamsConfig::One {} => Streams::One,
            StreamsConfig::BySize(config) => {
                Streams::BySize { cold_bytes: config.cold_bytes, request_bytes: 0 }
            }
            StreamsConfig::ByUpdateFrequency(config) => {
                Streams::ByUpdateFrequency(UpdateFrequency::new(config))
            }
        }
    }

    /// The writes that follow belong to a request of this length.
    #[inline]
    pub fn announce(&mut self, bytes: u64) {
        if let Streams::BySize { request_bytes, .. } = self {
            *request_bytes = bytes;
        }
    }

    /// The stream of a host write.
    #[inline]
    pub fn stream_of(&mut self, lpn: Lpn) -> Stream {
        let hot = match self {
            Streams::One => true,
            Streams::BySize { cold_bytes, request_bytes } => request_bytes < cold_bytes,
            Streams::ByUpdateFrequency(policy) => policy.is_hot(lpn),
        };
        if hot { Stream::Host } else { Stream::HostCold }
    }
}
