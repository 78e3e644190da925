//! Policy `ftl.streams`: host writes of hot and of cold data in separate open units.
//!
//! Pages that die together should lie together: a unit of hot pages empties itself, a unit of cold pages is left alone.
//! With two streams `ftl.moved_pages = "together"` means together with cold host data, since what survives until it is
//! cleaned is cold. [`policy`] is the interface; this file is the registry: a line a policy.

pub mod by_size;
pub mod policy;
pub mod update_frequency;

use policy::Policy;
use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Lpn;
use crate::state::units::stream::Stream;

/// Makes the `[ftl.streams]` table and the policy of a drive of a list of policies.
macro_rules! policies {
    ($($(#[doc = $doc:literal])* $name:ident($config:ty) => $policy:ty;)*) => {
        /// The `[ftl.streams]` table.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum StreamsConfig {
            /// All host writes go to one open unit a pool.
            One {},
            $($(#[doc = $doc])* $name($config),)*
        }

        impl StreamsConfig {
            /// Checks parameters.
            ///
            /// # Errors
            /// The first that is out of range.
            pub fn check(&self) -> Result<(), ConfigError> {
                match self {
                    StreamsConfig::One {} => Ok(()),
                    $(StreamsConfig::$name(config) => <$policy>::check(config, "ftl.streams"),)*
                }
            }
        }

        /// Sorts the host writes of a drive into streams.
        #[derive(Debug, Clone)]
        pub enum Streams {
            /// One for all.
            One,
            $($(#[doc = $doc])* $name($policy),)*
        }

        impl Streams {
            /// Builds the policy of a configuration.
            pub fn new(config: &StreamsConfig) -> Streams {
                match config {
                    StreamsConfig::One {} => Streams::One,
                    $(StreamsConfig::$name(config) => Streams::$name(Policy::new(config)),)*
                }
            }

            /// The writes that follow belong to a request of this length.
            #[inline]
            pub fn announce(&mut self, bytes: u64) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.announce(bytes),)*
                }
            }

            #[inline]
            fn is_hot(&mut self, lpn: Lpn) -> bool {
                match self {
                    Streams::One => true,
                    $(Streams::$name(policy) => policy.is_hot(lpn),)*
                }
            }
        }
    };
}

policies! {
    /// Large requests carry cold data. Costs one erase unit a pool.
    BySize(by_size::BySizeConfig) => by_size::BySize;
    /// Pages written often lately are hot. Costs one erase unit a pool and the table of counters.
    ByUpdateFrequency(update_frequency::UpdateFrequencyConfig) => update_frequency::UpdateFrequency;
}

impl Default for StreamsConfig {
    fn default() -> Self {
        StreamsConfig::One {}
    }
}

impl StreamsConfig {
    /// Open units that host writes take in each pool.
    pub(crate) fn count(&self) -> u32 {
        if *self == (StreamsConfig::One {}) { 1 } else { 2 }
    }
}

impl Streams {
    /// The stream of a host write.
    #[inline]
    pub fn stream_of(&mut self, lpn: Lpn) -> Stream {
        if self.is_hot(lpn) { Stream::Host } else { Stream::HostCold }
    }
}
