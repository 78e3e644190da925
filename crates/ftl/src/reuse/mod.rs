//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what shape a logical page has on the flash, which programs of a programmed page its code makes legal,
//! which unit cleaning should take and what becomes of it, and (on stored cells) how data turns into cell levels.

pub mod none;
pub mod second_write;
pub mod wom_v;

use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, Geometry, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::Core;
use crate::error::FtlError;
use crate::layout::{Layout, SlotShape};
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
    /// Second writes on the invalid pages of used blocks.
    SecondWrite(second_write::SecondWriteConfig),
}

impl Default for ReuseConfig {
    fn default() -> Self {
        ReuseConfig::Nothing {}
    }
}

/// What cleaning does with a victim, asked before anything of it is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Move its valid pages away and reclaim it ([`Reclaim`]).
    Empty,
    /// Leave its valid pages where they are and write its invalid ones again.
    Recycle,
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
    /// See [`second_write`].
    SecondWrite(Box<second_write::SecondWrite>),
}

/// Calls a method on whichever scheme is configured: a predictable branch instead of a virtual call.
macro_rules! dispatch {
    ($self:ident, $scheme:ident => $call:expr) => {
        match $self {
            Reuse::Nothing($scheme) => $call,
            Reuse::WomV($scheme) => $call,
            Reuse::SecondWrite($scheme) => $call,
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
            ReuseConfig::SecondWrite(config) => {
                Ok(Reuse::SecondWrite(Box::new(second_write::SecondWrite::new(config, flash)?)))
            }
        }
    }

    /// Makes room for per-unit state, once the layout is known.
    ///
    /// # Errors
    /// A code that cannot be worked out for these parameters.
    pub fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) => {}
            Reuse::WomV(scheme) => scheme.prepare(layout.units()),
            Reuse::SecondWrite(scheme) => scheme.prepare(flash, layout)?,
        }
        Ok(())
    }

    /// Checks what the scheme asks of the layout.
    ///
    /// # Errors
    /// A layout on which the scheme cannot work.
    pub fn check_layout(&self, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.check_layout(layout, geometry),
        }
    }

    /// Free units of a pool below which victims are always erased, where the scheme would do something else with them.
    pub fn min_free_units(&self) -> Option<u32> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => None,
            Reuse::SecondWrite(scheme) => Some(scheme.min_clean_blocks()),
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

    /// No unit of a pool can be cleaned: gives up something that the scheme holds back. Whether there was anything.
    pub(crate) fn yield_victims(&mut self, core: &mut Core, pool: u32) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => false,
            Reuse::SecondWrite(scheme) => scheme.withdraw(core, pool),
        }
    }

    /// What cleaning does with a victim.
    pub(crate) fn fate(&self, core: &Core, unit: u32) -> Fate {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => Fate::Empty,
            Reuse::SecondWrite(scheme) => scheme.fate(core, unit),
        }
    }

    /// The valid pages of a unit are about to be moved.
    pub(crate) fn begins_to_empty(&mut self, core: &Core, unit: u32) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.begins_to_empty(core, unit);
        }
    }

    /// A unit was erased, or went out of service (`lost`).
    pub(crate) fn erased(&mut self, core: &mut Core, unit: u32, lost: bool) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.erased(core, unit, lost);
        }
    }

    /// The writes that follow belong to a request of this length.
    #[inline]
    pub(crate) fn announce(&mut self, bytes: u64) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.announce(bytes);
        }
    }

    /// The clock starts at 0 again.
    pub(crate) fn restart_clock(&mut self) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.restart_clock();
        }
    }

    /// The counters start at 0 again.
    pub(crate) fn reset_figures(&mut self) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.reset_figures();
        }
    }

    /// Where second writes lie, if the scheme has any.
    pub(crate) fn pairs(&self, layout: &Layout) -> Option<Box<second_write::Pairs>> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => None,
            Reuse::SecondWrite(scheme) => Some(Box::new(scheme.pairs(layout))),
        }
    }

    /// Work space for second writes on stored cells.
    pub(crate) fn cells(&mut self) -> Option<&mut second_write::Cells> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => None,
            Reuse::SecondWrite(scheme) => scheme.cells.as_deref_mut(),
        }
    }

    /// Compares the scheme's own records with each other.
    pub(crate) fn audit(&self) -> Result<(), String> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.audit(),
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
