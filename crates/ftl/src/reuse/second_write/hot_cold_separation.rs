//! Which host writes are hot, and so become second writes (section 5.5). Pages that cleaning moves
//! are always cold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adaptive::AdaptiveSize;
use crate::address::Lpn;
use crate::policies::streams::by_size::{BySize, BySizeConfig};
use crate::policies::streams::policy::Policy;
use crate::policies::streams::update_frequency::{UpdateFrequency, UpdateFrequencyConfig};
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

/// The `[reuse.separation]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SeparationConfig {
    /// All host writes are hot.
    #[serde(rename = "none")]
    Nothing {},
    /// Large requests carry cold data.
    BySize(BySizeConfig),
    /// Pages written often lately are hot.
    ByUpdateFrequency(UpdateFrequencyConfig),
    /// By size, with a threshold that follows how many second writes outlive their blocks.
    AdaptiveSize {},
}

impl Default for SeparationConfig {
    fn default() -> Self {
        SeparationConfig::BySize(BySizeConfig::default())
    }
}

impl SeparationConfig {
    /// Bytes of the table of counters.
    pub(super) fn table_bytes(&self, layout: &Layout) -> u64 {
        match self {
            SeparationConfig::ByUpdateFrequency(config) => UpdateFrequency::table_bytes(config, layout),
            _ => 0,
        }
    }
}

/// Tells hot host writes from cold ones.
#[derive(Debug, Clone)]
pub(super) enum Separation {
    Nothing,
    BySize(BySize),
    ByUpdateFrequency(UpdateFrequency),
    Adaptive(AdaptiveSize),
}

impl Separation {
    pub(super) fn new(config: &SeparationConfig) -> Separation {
        match config {
            SeparationConfig::Nothing {} => Separation::Nothing,
            SeparationConfig::BySize(config) => Separation::BySize(BySize::new(config)),
            SeparationConfig::ByUpdateFrequency(config) => {
                Separation::ByUpdateFrequency(UpdateFrequency::new(config))
            }
            SeparationConfig::AdaptiveSize {} => Separation::Adaptive(AdaptiveSize::new()),
        }
    }

    #[inline]
    pub(super) fn announce(&mut self, bytes: u64) {
        match self {
            Separation::Nothing => {}
            Separation::BySize(policy) => policy.announce(bytes, 0),
            Separation::ByUpdateFrequency(policy) => policy.announce(bytes, 0),
            Separation::Adaptive(policy) => policy.announce(bytes),
        }
    }

    #[inline]
    pub(super) fn is_hot(&mut self, lpn: Lpn) -> bool {
        match self {
            Separation::Nothing => true,
            Separation::BySize(policy) => policy.stream_of(lpn) == Stream::Host,
            Separation::ByUpdateFrequency(policy) => policy.stream_of(lpn) == Stream::Host,
            Separation::Adaptive(policy) => policy.is_hot(),
        }
    }

    /// A block that took `written` second writes is erased, and `valid` of them must be moved.
    pub(super) fn outlived(&mut self, valid: u32, written: u32) {
        if let Separation::Adaptive(policy) = self {
            policy.outlived(valid, written);
        }
    }
}
