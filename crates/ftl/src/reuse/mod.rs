//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what shape a logical page has on the flash, which programs of a programmed page its code makes legal,
//! which unit cleaning should take and what becomes of it, and (on stored cells) how data turns into cell levels.

pub mod none;
pub mod seal;
pub mod wom_v;

use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::FtlConfig;
use crate::error::FtlError;
use crate::layout::{Layout, SlotShape};
use crate::units::fill::FillOrder;
use crate::units::{Stream, Units};
use crate::victim::VictimPolicy;

/// The `[reuse]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReuseConfig {
    /// Every erase unit is erased before it is written again.
    #[serde(rename = "none")]
    Nothing {},
    /// WOM-v codes: several generations of writes between two erases.
    WomV(wom_v::WomVConfig),
    /// Extended P/E cycles: MLC pages overwritten in place, blocks sealed.
    Seal(seal::SealConfig),
}

impl Default for ReuseConfig {
    fn default() -> Self {
        ReuseConfig::Nothing {}
    }
}

/// What becomes of a unit whose valid pages cleaning has moved away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reclaim {
    /// Erase it.
    Erase,
    /// Write it again without an erase.
    Reopen,
    /// Leave its valid pages where they are and write the pages that are still erased.
    Seal,
}

/// The reuse scheme of a drive.
#[derive(Debug, Clone)]
pub enum Reuse {
    /// See [`none`].
    Nothing(none::Nothing),
    /// See [`wom_v`].
    WomV(wom_v::WomV),
    /// See [`seal`].
    Seal(seal::Seal),
}

/// Calls a method on whichever scheme is configured: a predictable branch instead of a virtual call.
macro_rules! dispatch {
    ($self:ident, $scheme:ident => $call:expr) => {
        match $self {
            Reuse::Nothing($scheme) => $call,
            Reuse::WomV($scheme) => $call,
            Reuse::Seal($scheme) => $call,
        }
    };
}

impl Reuse {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// Parameters that the scheme or its code cannot have on such cells.
    pub fn new(config: &ReuseConfig, flash: &FlashConfig) -> Result<Reuse, ConfigError> {
        match config {
            ReuseConfig::Nothing {} => Ok(Reuse::Nothing(none::Nothing::new(flash))),
            ReuseConfig::WomV(config) => Ok(Reuse::WomV(wom_v::WomV::new(config, flash)?)),
            ReuseConfig::Seal(config) => Ok(Reuse::Seal(seal::Seal::new(config, flash)?)),
        }
    }

    /// Checks the scheme against the rest of the translation layer.
    ///
    /// # Errors
    /// A policy under which the scheme cannot work.
    pub fn check(&self, config: &FtlConfig) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => Ok(()),
            Reuse::Seal(scheme) => scheme.check(config),
        }
    }

    /// Makes room for the state of units and slots, once the layout is known.
    pub fn prepare(&mut self, layout: &Layout) {
        match self {
            Reuse::Nothing(_) => {}
            Reuse::WomV(scheme) => scheme.prepare(layout.units()),
            Reuse::Seal(scheme) => scheme.prepare(layout),
        }
    }

    /// With which slots units are filled, where not with all in order.
    pub fn fill_order(&self, layout: &Layout) -> FillOrder {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => FillOrder::default(),
            Reuse::Seal(scheme) => scheme.fill_order(layout),
        }
    }

    /// Bytes that the scheme's model keeps for each slot.
    pub fn bytes_per_slot(&self) -> u64 {
        u64::from(matches!(self, Reuse::Seal(_)))
    }

    /// Open units that each pool has beside those of the translation layer's own streams.
    pub fn open_units(&self) -> u32 {
        u32::from(matches!(self, Reuse::Seal(_)))
    }

    /// The flash pages and data bytes of one logical page.
    pub fn slot_shape(&self) -> SlotShape {
        dispatch!(self, scheme => scheme.slot_shape())
    }

    /// Which programs of a programmed page the code makes legal.
    pub fn program_again(&self) -> ProgramAgain {
        dispatch!(self, scheme => scheme.program_again())
    }

    /// How cell levels are packed on stored cells.
    pub fn cell_format(&self) -> CellFormat {
        dispatch!(self, scheme => scheme.cell_format())
    }

    /// Whether a page's cells may be copied as they are to another place (so that copyback is possible).
    pub fn copies_verbatim(&self) -> bool {
        dispatch!(self, scheme => scheme.copies_verbatim())
    }

    /// The unit of a pool that gives room, by default the one that the drive's policy chooses, and what becomes of it, as far as that
    /// is decided before its valid pages move: [`Reclaim::Seal`], which is only an answer where a stream is `needy`, that
    /// is, has no open unit; anything else is asked again by [`reclaim`](Self::reclaim).
    pub fn victim(
        &mut self,
        policy: &mut VictimPolicy,
        units: &mut Units,
        pool: u32,
        needy: Option<Stream>,
    ) -> Option<(u32, Reclaim)> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => {
                policy.choose(units, pool).map(|unit| (unit, Reclaim::Erase))
            }
            // Overwrites need an erased unit.
            Reuse::Seal(scheme) => {
                let may_seal = needy.is_some_and(|stream| stream != Stream::Overwrite);
                scheme.victim(policy, units, pool, may_seal)
            }
        }
    }

    /// What becomes of a unit whose valid pages are gone.
    pub fn reclaim(&mut self, unit: u32) -> Reclaim {
        dispatch!(self, scheme => scheme.reclaim(unit))
    }

    /// Turns a logical page into the cell levels of its slot. `image` holds the present levels and receives the new.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn encode(&self, unit: u32, data: &[u8], image: &mut [u8]) -> Result<(), FtlError> {
        match self {
            Reuse::Nothing(scheme) => scheme.encode(unit, data, image),
            Reuse::WomV(scheme) => scheme.encode(unit, data, image),
            Reuse::Seal(scheme) => scheme.encode(data, image),
        }
    }

    /// Turns the cell levels of a slot into the logical page.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        dispatch!(self, scheme => scheme.decode(image, data))
    }
}
