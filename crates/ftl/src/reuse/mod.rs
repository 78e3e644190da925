//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what shape a logical page has on the flash, which programs of a programmed page its code makes legal,
//! which unit cleaning should take and what becomes of it, and (on stored cells) how data turns into cell levels.

mod config;
mod decisions;
mod facts;
pub mod none;
pub(crate) mod place;
pub(crate) mod placing;
pub(crate) mod reclaim_decision;
mod records;
pub mod seal;
pub mod second_write;
pub mod wom_v;
mod writing;

pub use config::ReuseConfig;
use rewear_flash::{ConfigError, FlashConfig, Geometry};

use crate::config::ftl::FtlConfig;
use crate::reuse::placing::Placing;
use crate::shape::layout::Layout;
use crate::state::groups::Groups;

/// The reuse scheme of a drive.
#[derive(Debug, Clone)]
pub enum Reuse {
    /// See [`none`].
    Nothing(none::Nothing),
    /// See [`wom_v`].
    WomV(Box<wom_v::WomV>),
    /// See [`second_write`].
    SecondWrite(Box<second_write::SecondWrite>),
    /// See [`seal`].
    Seal(Box<seal::Seal>),
}

/// Calls a method on whichever scheme is configured: a predictable branch instead of a virtual call.
macro_rules! dispatch {
    ($self:ident, $scheme:ident => $call:expr) => {
        match $self {
            Reuse::Nothing($scheme) => $call,
            Reuse::WomV($scheme) => $call,
            Reuse::SecondWrite($scheme) => $call,
            Reuse::Seal($scheme) => $call,
        }
    };
}
use dispatch;

impl Reuse {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// Parameters that the scheme or its code cannot have on such cells.
    pub fn new(config: &ReuseConfig, flash: &FlashConfig) -> Result<Reuse, ConfigError> {
        match config {
            ReuseConfig::Nothing {} => Ok(Reuse::Nothing(none::Nothing::new(flash))),
            ReuseConfig::WomV(config) => Ok(Reuse::WomV(Box::new(wom_v::WomV::new(config, flash)?))),
            ReuseConfig::SecondWrite(config) => {
                Ok(Reuse::SecondWrite(Box::new(second_write::SecondWrite::new(config, flash)?)))
            }
            ReuseConfig::Seal(config) => Ok(Reuse::Seal(Box::new(seal::Seal::new(config, flash)?))),
        }
    }

    /// Checks the scheme against the rest of the translation layer.
    ///
    /// # Errors
    /// A policy under which the scheme cannot work.
    pub fn check(&self, config: &FtlConfig) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::SecondWrite(_) => Ok(()),
            Reuse::Seal(scheme) => scheme.check(config),
        }
    }

    /// Makes room for state of units and slots, once the layout is known.
    ///
    /// # Errors
    /// A code that cannot be worked out for these parameters.
    pub fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) => {}
            Reuse::WomV(scheme) => scheme.prepare(layout),
            Reuse::SecondWrite(scheme) => scheme.prepare(flash, layout)?,
            Reuse::Seal(scheme) => scheme.prepare(layout),
        }
        Ok(())
    }

    /// Checks what the scheme asks of the layout.
    ///
    /// # Errors
    /// A layout on which the scheme cannot work.
    pub fn check_layout(&self, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.check_layout(layout, geometry),
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

    /// Which slots hold one logical page together, if the scheme makes such writes.
    pub(crate) fn groups(&self, layout: &Layout) -> Option<Groups> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => None,
            Reuse::SecondWrite(scheme) => {
                let words = layout.slots_per_unit.div_ceil(64);
                Some(Groups::new(scheme.groups_shape(), layout.pools, layout.units(), words))
            }
        }
    }

    /// Whether the scheme names the places of host writes.
    #[inline]
    pub(crate) fn chooses_places(&self) -> bool {
        matches!(self, Reuse::SecondWrite(_))
    }

    /// The scheme that names the places of host writes: asked only where it does so.
    #[inline]
    pub(crate) fn placing(&mut self) -> &mut impl Placing {
        match self {
            Reuse::SecondWrite(scheme) => scheme.as_mut(),
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => {
                unreachable!("only a scheme that chooses places is asked for one")
            }
        }
    }

    /// Compares the scheme's own records with each other.
    pub(crate) fn audit(&self) -> Result<(), String> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.audit(),
        }
    }
}
