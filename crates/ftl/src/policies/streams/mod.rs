//! Policy `ftl.streams`: which pages lie beside each other, in erase units of their own.
//!
//! Pages that die together should lie together: a unit of hot pages empties itself, a unit of cold
//! pages is left alone. With two streams `ftl.moved_pages = "together"` means together with cold
//! host data, since what survives until it is cleaned is cold. [`policy`] is the interface; this
//! file is the registry: a line a policy.

pub mod by_size;
pub mod figures;
pub mod generations;
pub mod host;
pub mod policy;
pub mod sep_bit;
pub mod update_frequency;

use figures::StreamFigures;
use policy::{MovedWith, Policy, StreamShape};
use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Lpn, Unit};
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
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

            /// Bytes that the policy's tables take, in the model as in the memory of a controller.
            pub(crate) fn table_bytes(&self, layout: &Layout) -> u64 {
                match self {
                    StreamsConfig::One {} => 0,
                    $(StreamsConfig::$name(config) => <$policy>::table_bytes(config, layout),)*
                }
            }

            fn shape(&self, moved_pages: MovedPages) -> StreamShape {
                match self {
                    StreamsConfig::One {} => StreamShape::one(moved_pages),
                    $(StreamsConfig::$name(config) => <$policy>::shape(config, moved_pages),)*
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

            /// The drive on which it is, before the first write.
            pub(crate) fn prepare(&mut self, moved_pages: MovedPages, layout: &Layout) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.prepare(moved_pages, layout),)*
                }
            }

            /// The writes that follow belong to a request of this length with this placement
            /// identifier.
            #[inline]
            pub fn announce(&mut self, bytes: u64, identifier: u8) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.announce(bytes, identifier),)*
                }
            }

            /// The identifier of the present request, as far as the policy cares.
            pub(crate) fn identifier(&self) -> u8 {
                match self {
                    Streams::One => 0,
                    $(Streams::$name(policy) => policy.identifier(),)*
                }
            }

            /// The stream of a reclaim unit handle, if the policy knows handles and this is one.
            pub(crate) fn stream_of_handle(&self, handle: u8) -> Option<Stream> {
                match self {
                    Streams::One => None,
                    $(Streams::$name(policy) => policy.stream_of_handle(handle),)*
                }
            }

            /// The page that follows came with this identifier.
            pub(crate) fn identify(&mut self, identifier: u8) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.identify(identifier),)*
                }
            }

            /// The stream of a host write.
            #[inline(always)] // Mostly there is one.
            pub fn stream_of(&mut self, lpn: Lpn) -> Stream {
                if matches!(self, Streams::One) { Stream::Host } else { self.sort_write(lpn) }
            }

            #[inline(never)]
            fn sort_write(&mut self, lpn: Lpn) -> Stream {
                match self {
                    Streams::One => Stream::Host,
                    $(Streams::$name(policy) => policy.stream_of(lpn),)*
                }
            }

            /// Whether it is asked for every page that cleaning moves.
            #[inline]
            pub(crate) fn sorts_moves(&self) -> bool {
                match self {
                    Streams::One => false,
                    $(Streams::$name(_) => <$policy>::SORTS_MOVES,)*
                }
            }

            /// The stream of a page that is moved out of a unit of the stream `from`.
            pub(crate) fn stream_of_move(&mut self, lpn: Lpn, from: Stream) -> Stream {
                match self {
                    Streams::One => Stream::Moved,
                    $(Streams::$name(policy) => policy.stream_of_move(lpn, from),)*
                }
            }

            /// A unit was opened for a stream.
            pub(crate) fn opened(&mut self, unit: Unit, stream: Stream) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.opened(unit, stream),)*
                }
            }

            /// Cleaning took a unit that was last the open one of a stream.
            pub(crate) fn reclaimed(&mut self, unit: Unit, stream: Stream) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.reclaimed(unit, stream),)*
                }
            }

            /// What it counted since the last reset, if it counts.
            pub(crate) fn figures(&self) -> Option<&StreamFigures> {
                match self {
                    Streams::One => None,
                    $(Streams::$name(policy) => policy.figures(),)*
                }
            }

            /// Counts anew.
            pub(crate) fn reset_counts(&mut self) {
                match self {
                    Streams::One => {}
                    $(Streams::$name(policy) => policy.reset_counts(),)*
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
    /// The host says which pages lie together (NVMe flexible data placement, multi-stream). Costs
    /// an erase unit a pool for each handle and a byte a page.
    Host(host::HostConfig) => host::Host;
    /// Pages that are expected to die together lie together, by the life of their last version and
    /// by their age (SepBIT, FAST 2022). Costs five erase units a pool and four bytes a page.
    SepBit(sep_bit::SepBitConfig) => sep_bit::SepBit;
    /// Pages lie beside those that survived as many cleanings (2R, PVLDB 2020; the chain of groups
    /// of MiDAS, FAST 2024). Costs an erase unit a pool for each further generation.
    Generations(generations::GenerationsConfig) => generations::Generations;
}

impl Default for StreamsConfig {
    fn default() -> Self {
        StreamsConfig::One {}
    }
}

impl StreamsConfig {
    /// Open units that host writes and moved pages take in each pool.
    pub(crate) fn open_units(&self, moved_pages: MovedPages) -> u32 {
        self.shape(moved_pages).open_units
    }

    /// Of these, the classes that only this policy has.
    pub(crate) fn classes(&self, moved_pages: MovedPages) -> u32 {
        self.shape(moved_pages).classes
    }

    /// Where moved pages go.
    pub(crate) fn moved_with(&self, moved_pages: MovedPages) -> MovedWith {
        self.shape(moved_pages).moved_with
    }

    /// Bytes that the model takes for the policy.
    pub(crate) fn model_bytes(&self, layout: &Layout, moved_pages: MovedPages) -> u64 {
        /// Of what is known of an open unit.
        const OPEN_UNIT_BYTES: u64 = 24;
        let classes = u64::from(self.shape(moved_pages).classes);
        self.table_bytes(layout) + classes * u64::from(layout.pools) * OPEN_UNIT_BYTES
    }
}
