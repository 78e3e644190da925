//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what shape a logical page has on the flash, which programs of a programmed page its code makes legal,
//! which unit cleaning should take and what becomes of it, and (on stored cells) how data turns into cell levels.

pub mod none;
pub mod wom_v;

use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::FtlError;
use crate::layout::SlotShape;
use crate::units::Units;
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
}

/// The reuse scheme of a drive.
#[derive(Debug, Clone)]
pub enum Reuse {
    /// See [`none`].
    Nothing(none::Nothing),
    /// See [`wom_v`].
    WomV(wom_v::WomV),
}

/// Calls a method on whichever scheme is configured: a predictable branch instead of a virtual call.
macro_rules! dispatch {
    ($self:ident, $scheme:ident => $call:expr) => {
        match $self {
            Reuse::Nothing($scheme) => $call,
            Reuse::WomV($scheme) => $call,
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
        }
    }

    /// Makes room for per-unit state, once the layout is known.
    pub fn prepare(&mut self, units: u32) {
        match self {
            Reuse::Nothing(_) => {}
            Reuse::WomV(scheme) => scheme.prepare(units),
        }
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

    /// The unit of a pool that cleaning should take: for these schemes the one that the drive's policy chooses.
    pub fn victim(&mut self, policy: &mut VictimPolicy, units: &mut Units, pool: u32) -> Option<u32> {
        policy.choose(units, pool)
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
        dispatch!(self, scheme => scheme.encode(unit, data, image))
    }

    /// Turns the cell levels of a slot into the logical page.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        dispatch!(self, scheme => scheme.decode(image, data))
    }
}
