//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what it is ([`facts`]), the fate of units ([`scheme`]), and how data lies in
//! slots ([`slot_code`]). This file is the registry: a line a scheme.

pub mod coset;
pub mod facts;
pub mod none;
pub mod reclaim_decision;
pub(crate) mod scheme;
pub mod seal;
pub mod second_write;
pub(crate) mod slot_code;
mod slots;
pub mod wom_v;

use std::borrow::Cow;
use std::ops::Range;

use rewear_flash::medium::Record;
use rewear_flash::{ConfigError, FlashConfig, Geometry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::reuse::facts::{Facts, Places};
use crate::reuse::reclaim_decision::{GivesRoom, ReclaimDecision, UnitEvent, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::map::Map;

registry! {
    /// The `[reuse]` table: the scheme and its parameters.
    ReuseConfig, default Nothing;
    enum AnyScheme;
    bare {
        /// Every erase unit is erased before it is written again.
        Nothing = "none" => none::Nothing;
    }
    with_parameters {
        /// WOM-v codes: several generations of writes between two erases.
        WomV(wom_v::WomVConfig) => wom_v::WomV;
        /// Coset codes: cells written several times at rates near 1.
        Coset(coset::CosetConfig) => coset::Coset;
        /// Second writes on the invalid pages of used blocks.
        SecondWrite(second_write::SecondWriteConfig) => second_write::SecondWrite;
        /// Extended P/E cycles: MLC pages overwritten in place, blocks sealed.
        Seal(seal::SealConfig) => seal::Seal;
    }
}

impl ReuseConfig {
    /// The flash as the code leaves it: that of the configuration, or blocks of fewer and longer
    /// pages.
    ///
    /// # Errors
    /// A code that such flash cannot have.
    pub fn flash<'a>(&self, flash: &'a FlashConfig) -> Result<Cow<'a, FlashConfig>, ConfigError> {
        match self {
            ReuseConfig::Coset(config) => config.flash(flash).map(Cow::Owned),
            _ => Ok(Cow::Borrowed(flash)),
        }
    }
}

/// The reuse scheme of a drive.
#[derive(Debug, Clone)]
pub struct Reuse {
    pub(crate) facts: Facts,
    scheme: AnyScheme,
}

/// See [`Scheme`] and [`SlotCode`].
impl Reuse {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// Parameters that the scheme or its code cannot have on such cells.
    pub fn new(config: &ReuseConfig, flash: &FlashConfig) -> Result<Reuse, ConfigError> {
        let facts;
        let scheme = make!(config, Kind, config => {
            let made = Kind::new(config, flash)?;
            facts = made.1;
            made.0
        });
        Ok(Reuse { facts, scheme })
    }

    fn scheme(&self) -> &AnyScheme {
        &self.scheme
    }

    fn scheme_mut(&mut self) -> &mut AnyScheme {
        &mut self.scheme
    }

    pass_on! {
        pub(crate) fn check(&self, config: &FtlConfig, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError>;
        pub(crate) fn controller_bytes(&self, layout: &Layout) -> u64;
        pub(crate) fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision;
        #[inline]
        pub(crate) fn programmable(&self, map: &Map, unit: Unit) -> u32;
        pub(crate) fn audit(&self) -> Result<(), String>;
        #[inline]
        pub(crate) fn goes_over_data(&self, at: SlotAddress) -> bool;
        #[inline]
        pub(crate) fn reads_first(&self, at: SlotAddress) -> bool;
        #[inline]
        pub(crate) fn exhausted_word(&self, unit: Unit, word: u32) -> u64;
        pub(crate) fn decode(&self, at: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError>;
        pub(crate) fn programs_of(&self, at: SlotAddress, ppn: Ppn, again: bool) -> u16;
        pub(crate) fn side_information(&self, at: SlotAddress, side: &mut Vec<u8>);
    }

    pass_on_mut! {
        pub(crate) fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError>;
        pub(crate) fn own_victim(&mut self, view: &State, pool: Pool) -> Option<Unit>;
        pub(crate) fn victim(&mut self, view: &State, pool: Pool, chosen: Option<Unit>) -> Option<Unit>;
        pub(crate) fn hears(&mut self, view: &State, unit: Unit, event: UnitEvent);
        #[inline]
        pub(crate) fn announce(&mut self, bytes: u64);
        pub(crate) fn restart_clock(&mut self);
        pub(crate) fn reset_figures(&mut self);
        pub(crate) fn exhaust(&mut self, at: SlotAddress);
        pub(crate) fn admit(&mut self, at: SlotAddress) -> bool;
        pub(crate) fn encode(&mut self, at: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError>;
        pub(crate) fn restore_slot(&mut self, at: SlotAddress, ppn: Ppn, record: Option<&Record>, side: &[u8]);
    }

    /// The parts of their cycles that blocks have begun, in erases.
    pub(crate) fn unfinished_cycles(&self, view: &State) -> f64 {
        ask!(&self.scheme, scheme => scheme.unfinished_cycles(view)).unwrap_or_else(|| {
            let per_erase = self.facts.programs.per_erase;
            view.array.unfinished_cycles(|block, programs| {
                f64::from(programs) / per_erase * view.pages_for_each_programmed(block)
            })
        })
    }

    /// Whether there is no scheme, so that cells hold the data as it is.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.scheme, AnyScheme::Nothing(_))
    }

    /// Whether the scheme names the places of all host writes.
    #[inline]
    pub(crate) fn chooses_places(&self) -> bool {
        self.facts.places == Places::Chosen
    }

    /// Second writes: asked only on a drive that has them.
    #[inline]
    pub(crate) fn second_write(&mut self) -> &mut second_write::SecondWrite {
        match &mut self.scheme {
            AnyScheme::SecondWrite(scheme) => scheme.as_mut(),
            _ => unreachable!("only a drive with second writes asks for them"),
        }
    }

    /// No unit of a pool can be cleaned: whether blocks that wait for second writes were given up.
    pub(crate) fn yield_victims(&mut self, state: &mut State, pool: Pool) -> bool {
        match &mut self.scheme {
            AnyScheme::SecondWrite(scheme) => scheme.withdraw(state, pool),
            _ => false,
        }
    }

    /// No pool of these takes a valid page more.
    pub(crate) fn gives_room(&mut self, state: &mut State, pools: Range<Pool>) -> GivesRoom {
        match &mut self.scheme {
            AnyScheme::SecondWrite(scheme) => scheme.room_for_pages(state, pools),
            _ => GivesRoom::Nothing,
        }
    }

    /// The scheme that lets pages be programmed again in place: asked only on a drive that has it.
    pub(crate) fn seal(&mut self) -> &mut seal::Seal {
        match &mut self.scheme {
            AnyScheme::Seal(scheme) => scheme.as_mut(),
            _ => unreachable!("only a drive that programs pages again in place asks for it"),
        }
    }

    /// Recycled and reused blocks, where there are second writes.
    pub(crate) fn second_write_figures(&self) -> Option<second_write::SecondWriteFigures> {
        match &self.scheme {
            AnyScheme::SecondWrite(scheme) => Some(scheme.figures()),
            _ => None,
        }
    }
}
