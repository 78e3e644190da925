//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what it is ([`facts`]), what becomes of units ([`scheme`]), and how data lies in
//! slots ([`slot_code`]). One that names the places of host writes says where they go ([`placing`],
//! [`overwriting`]). This file is the registry: a line a scheme.

pub mod coset;
pub mod facts;
pub mod figures;
pub(crate) mod miniature;
pub mod none;
pub(crate) mod overwriting;
pub(crate) mod place;
pub(crate) mod placing;
pub mod reclaim_decision;
pub(crate) mod scheme;
pub mod seal;
pub mod second_write;
pub(crate) mod slot_code;
mod slots;
pub mod wom_v;

use std::borrow::Cow;

use rewear_flash::medium::Record;
use rewear_flash::{ConfigError, FlashConfig, Geometry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::reuse::facts::{Facts, Places};
use crate::reuse::figures::SecondWriteFigures;
use crate::reuse::overwriting::Overwriting;
use crate::reuse::placing::Placing;
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, UnitShape, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;

/// Makes the `[reuse]` table and the scheme of a drive of a list of schemes. Every question goes to
/// the scheme that is configured, by a predictable branch instead of a virtual call.
macro_rules! schemes {
    ($(#[doc = $nothing:literal])* Nothing => $plain:ty; $($(#[doc = $doc:literal])* $name:ident($config:ty) => $scheme:ty;)*) => {
        /// The `[reuse]` table: the scheme and its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum ReuseConfig {
            $(#[doc = $nothing])*
            #[serde(rename = "none")]
            Nothing {},
            $($(#[doc = $doc])* $name($config),)*
        }

        #[derive(Debug, Clone)]
        enum AnyScheme {
            Nothing($plain),
            $($name(Box<$scheme>),)*
        }

        impl Reuse {
            /// Builds the scheme of a configuration for a flash array.
            ///
            /// # Errors
            /// Parameters that the scheme or its code cannot have on such cells.
            pub fn new(config: &ReuseConfig, flash: &FlashConfig) -> Result<Reuse, ConfigError> {
                let (scheme, facts) = match config {
                    ReuseConfig::Nothing {} => {
                        let (scheme, facts) = <$plain>::new(&(), flash)?;
                        (AnyScheme::Nothing(scheme), facts)
                    }
                    $(ReuseConfig::$name(config) => {
                        let (scheme, facts) = <$scheme>::new(config, flash)?;
                        (AnyScheme::$name(Box::new(scheme)), facts)
                    })*
                };
                Ok(Reuse { facts, scheme })
            }
        }

        /// Calls a method on whichever scheme is configured.
        macro_rules! ask {
            ($self:ident, $called:ident => $call:expr) => {
                match $self {
                    AnyScheme::Nothing($called) => $call,
                    $(AnyScheme::$name($called) => $call,)*
                }
            };
        }
    };
}

schemes! {
    /// Every erase unit is erased before it is written again.
    Nothing => none::Nothing;
    /// WOM-v codes: several generations of writes between two erases.
    WomV(wom_v::WomVConfig) => wom_v::WomV;
    /// Coset codes: cells written several times at rates near 1.
    Coset(coset::CosetConfig) => coset::Coset;
    /// Second writes on the invalid pages of used blocks.
    SecondWrite(second_write::SecondWriteConfig) => second_write::SecondWrite;
    /// Extended P/E cycles: MLC pages overwritten in place, blocks sealed.
    Seal(seal::SealConfig) => seal::Seal;
}

impl Default for ReuseConfig {
    fn default() -> Self {
        ReuseConfig::Nothing {}
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

/// Passes questions on to the scheme.
macro_rules! pass_on {
    ($($(#[$meta:meta])* fn $name:ident(&self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)?;)*) => {
        $($(#[$meta])*
        pub(crate) fn $name(&self $(, $arg: $ty)*) $(-> $ret)? {
            let scheme = &self.scheme;
            ask!(scheme, scheme => scheme.$name($($arg),*))
        })*
    };
}

/// As [`pass_on`], of questions that change the scheme.
macro_rules! pass_on_mut {
    ($($(#[$meta:meta])* fn $name:ident(&mut self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)?;)*) => {
        $($(#[$meta])*
        pub(crate) fn $name(&mut self $(, $arg: $ty)*) $(-> $ret)? {
            let scheme = &mut self.scheme;
            ask!(scheme, scheme => scheme.$name($($arg),*))
        })*
    };
}

/// See [`Scheme`] and [`SlotCode`].
impl Reuse {
    pass_on! {
        fn check(&self, config: &FtlConfig, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError>;
        fn check_recovery(&self, stores_cells: bool) -> Result<(), ConfigError>;
        fn controller_bytes(&self, layout: &Layout) -> u64;
        fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision;
        fn audit(&self) -> Result<(), String>;
        #[inline]
        fn goes_over_data(&self, at: SlotAddress) -> bool;
        #[inline]
        fn reads_first(&self, at: SlotAddress) -> bool;
        #[inline]
        fn exhausted_word(&self, unit: Unit, word: u32) -> u64;
        fn decode(&self, at: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError>;
        fn programs_of(&self, at: SlotAddress, ppn: Ppn, again: bool) -> u16;
        fn side_information(&self, at: SlotAddress, side: &mut Vec<u8>);
    }

    pass_on_mut! {
        fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError>;
        fn own_victim(&mut self, view: &State, pool: Pool) -> Option<Unit>;
        fn victim(&mut self, view: &State, pool: Pool, chosen: Option<Unit>) -> Option<Unit>;
        fn yield_victims(&mut self, view: &State, pool: Pool) -> bool;
        fn hears(&mut self, view: &State, unit: Unit, event: UnitEvent);
        fn opens(&mut self, view: &State, unit: Unit, victim: Option<Unit>) -> Option<UnitShape>;
        #[inline]
        fn announce(&mut self, bytes: u64);
        fn restart_clock(&mut self);
        fn reset_figures(&mut self);
        fn exhaust(&mut self, at: SlotAddress);
        fn admit(&mut self, at: SlotAddress) -> bool;
        fn encode(&mut self, at: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError>;
        fn restore_slot(&mut self, at: SlotAddress, ppn: Ppn, record: Option<&Record>, side: &[u8]);
    }

    /// The parts of their cycles that blocks have begun, in erases.
    pub(crate) fn unfinished_cycles(&self, view: &State) -> f64 {
        let scheme = &self.scheme;
        ask!(scheme, scheme => scheme.unfinished_cycles(view)).unwrap_or_else(|| {
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

    /// The scheme that names the places of host writes: asked only where it does so.
    #[inline]
    pub(crate) fn placing(&mut self) -> &mut impl Placing {
        match &mut self.scheme {
            AnyScheme::SecondWrite(scheme) => scheme.as_mut(),
            _ => unreachable!("only a scheme that chooses places is asked for one"),
        }
    }

    /// The scheme that lets pages be programmed again in place: asked only where it does so.
    pub(crate) fn overwriting(&mut self) -> &mut impl Overwriting {
        match &mut self.scheme {
            AnyScheme::Seal(scheme) => scheme.as_mut(),
            _ => unreachable!("only a scheme that programs pages again in place is asked for one"),
        }
    }

    /// Units of each code, by data bits a cell, where units may have different ones.
    pub(crate) fn units_by_code(&self) -> Option<Vec<(u8, u32)>> {
        match &self.scheme {
            AnyScheme::WomV(scheme) => scheme.units_by_code(),
            _ => None,
        }
    }

    /// Recycled and reused blocks, where there are second writes.
    pub(crate) fn second_write_figures(&self) -> Option<SecondWriteFigures> {
        match &self.scheme {
            AnyScheme::SecondWrite(scheme) => Some(scheme.figures()),
            _ => None,
        }
    }
}
