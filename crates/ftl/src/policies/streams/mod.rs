//! Policy `ftl.streams`: which pages lie beside each other, in erase units of their own.
//!
//! Pages that die together should lie together: a unit of hot pages empties itself, a unit of cold
//! pages is left alone. With two streams `ftl.moved_pages = "together"` means together with cold
//! host data, since what survives until it is cleaned is cold. [`policy`] is the interface; this
//! file is the registry: a line a policy.

pub mod by_size;
pub mod custom;
pub mod figures;
pub mod generations;
pub mod host;
mod last_writes;
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

registry! {
    /// The `[ftl.streams]` table.
    StreamsConfig, default One;
    /// Sorts the host writes of a drive into streams.
    pub enum Streams;
    without {
        /// All host writes go to one open unit a pool.
        One;
    }
    bare {
        /// Pages that are expected to die together lie together, by the life of their last version and
        /// by their age (SepBIT, FAST 2022). Costs five erase units a pool and four bytes a page.
        SepBit => sep_bit::SepBit;
    }
    with_parameters {
        /// Large requests carry cold data. Costs one erase unit a pool.
        BySize(by_size::BySizeConfig) => by_size::BySize;
        /// Pages written often lately are hot. Costs one erase unit a pool and the table of counters.
        ByUpdateFrequency(update_frequency::UpdateFrequencyConfig) => update_frequency::UpdateFrequency;
        /// The host says which pages lie together (NVMe flexible data placement, multi-stream). Costs
        /// an erase unit a pool for each handle and a byte a page.
        Host(host::HostConfig) => host::Host;
        /// Pages lie beside those that survived as many cleanings (2R, PVLDB 2020; the chain of groups
        /// of MiDAS, FAST 2024). Costs an erase unit a pool for each further generation.
        Generations(generations::GenerationsConfig) => generations::Generations;
        /// A policy that the caller supplies, as `--policy FILE.py` does.
        #[serde(skip_deserializing)]
        Custom(custom::CustomConfig) => custom::Custom;
    }
}

impl StreamsConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// The first that is out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        of!(self, Kind, config => Kind::check(config, "ftl.streams"), Ok(()))
    }

    /// Bytes that the policy's tables take, in the model as in the memory of a controller.
    pub(crate) fn table_bytes(&self, layout: &Layout) -> u64 {
        of!(self, Kind, config => Kind::table_bytes(config, layout), 0)
    }

    fn shape(&self, moved_pages: MovedPages) -> StreamShape {
        of!(self, Kind, config => Kind::shape(config, moved_pages), StreamShape::one(moved_pages))
    }

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

impl Streams {
    /// Builds the policy of a configuration.
    pub fn new(config: &StreamsConfig) -> Streams {
        make!(config, Kind, config => Kind::new(config))
    }

    /// The stream of a host write.
    #[inline(always)] // Mostly there is one.
    pub fn stream_of(&mut self, lpn: Lpn) -> Stream {
        if matches!(self, Streams::One) { Stream::Host } else { self.sort_write(lpn) }
    }

    #[inline(never)]
    fn sort_write(&mut self, lpn: Lpn) -> Stream {
        ask!(self, policy => policy.stream_of(lpn), Stream::Host)
    }

    pass_on! {
        /// The identifier of the present request, as far as the policy cares.
        pub(crate) fn identifier(&self) -> u8 = 0;
        /// The stream of a reclaim unit handle, if the policy knows handles and this is one.
        pub(crate) fn stream_of_handle(&self, handle: u8) -> Option<Stream> = None;
        /// Whether it is asked for every page that cleaning moves.
        #[inline]
        pub(crate) fn sorts_moves(&self) -> bool = false;
        /// What it counted since the last reset, if it counts.
        pub(crate) fn figures(&self) -> Option<&StreamFigures> = None;
    }

    pass_on_mut! {
        /// The drive on which it is, before the first write.
        pub(crate) fn prepare(&mut self, moved_pages: MovedPages, layout: &Layout) = ();
        /// The writes that follow belong to a request of this length with this placement identifier.
        #[inline]
        pub fn announce(&mut self, bytes: u64, identifier: u8) = ();
        /// The page that follows came with this identifier.
        pub(crate) fn identify(&mut self, identifier: u8) = ();
        /// The stream of a page that is moved out of a unit of the stream `from`.
        pub(crate) fn stream_of_move(&mut self, lpn: Lpn, from: Stream) -> Stream = Stream::Moved;
        /// A unit was opened for a stream.
        pub(crate) fn opened(&mut self, unit: Unit, stream: Stream) = ();
        /// Cleaning took a unit that was last the open one of a stream, with `valid` valid pages.
        pub(crate) fn reclaimed(&mut self, unit: Unit, stream: Stream, valid: u32) = ();
        /// Counts anew.
        pub(crate) fn reset_counts(&mut self) = ();
    }
}
