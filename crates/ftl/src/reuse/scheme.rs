//! The interface of a reuse scheme: its facts, and the fate of units.
//!
//! A scheme is a file (or a folder) that implements [`Scheme`] and
//! [`SlotCode`](super::slot_code::SlotCode), and a line in the registry (`reuse/mod.rs`). It looks
//! at the state, decides, and returns a value; the layer does it. What most schemes have no opinion
//! of has a default. There is none where a wrong answer would change results unseen.

use rewear_flash::{ConfigError, FlashConfig, Geometry};

use crate::address::{Pool, Unit};
use crate::config::ftl::FtlConfig;
use crate::reuse::facts::Facts;
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::map::Map;

/// What every scheme says of itself and of units.
pub(crate) trait Scheme: Sized {
    /// Its table of the configuration.
    type Config;

    /// The scheme of a configuration for a flash array, and its facts.
    ///
    /// # Errors
    /// Parameters that the scheme or its code cannot have on such cells.
    fn new(config: &Self::Config, flash: &FlashConfig) -> Result<(Self, Facts), ConfigError>;

    /// Bytes that its tables take in the memory of a controller, as *Cost* says. The model may take
    /// more or less ([`Facts::remembers`]).
    fn controller_bytes(&self, layout: &Layout) -> u64;

    /// Decision about a victim: asked before its valid pages are moved, and again behind that
    /// unless they stay.
    fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision;

    /// Checks the scheme against the rest of the drive.
    ///
    /// # Errors
    /// A layout or a policy under which the scheme cannot work.
    fn check(&self, _: &FtlConfig, _: &Layout, _: &Geometry) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Makes room for state of units and slots, once the layout is known.
    ///
    /// # Errors
    /// A code that cannot be worked out for these parameters.
    fn prepare(&mut self, _: &FlashConfig, _: &Layout) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The unit of a pool that cleaning should take, where the victim policy names `chosen`.
    #[inline]
    fn victim(&mut self, _view: &State, _pool: Pool, chosen: Option<Unit>) -> Option<Unit> {
        chosen
    }

    /// Slots of a unit that take a write as it is, asked where the [facts](Facts) say that units are
    /// ranked by them.
    #[inline]
    fn programmable(&self, _map: &Map, _unit: Unit) -> u32 {
        0
    }

    /// The unit that cleaning should take whatever the victim policy says; the policy is not asked
    /// then.
    #[inline]
    fn own_victim(&mut self, _view: &State, _pool: Pool) -> Option<Unit> {
        None
    }

    /// Something happened to a unit.
    fn hears(&mut self, _view: &State, _unit: Unit, _event: UnitEvent) {}

    /// The writes that follow belong to a request of this number of bytes.
    fn announce(&mut self, _bytes: u64) {}

    /// The parts of their cycles that blocks have begun, in erases; `None` where programs over
    /// those of a whole cycle say it.
    fn unfinished_cycles(&self, _view: &State) -> Option<f64> {
        None
    }

    /// The clock starts at 0 again.
    fn restart_clock(&mut self) {}

    /// The counters start at 0 again.
    fn reset_figures(&mut self) {}

    /// Compares the scheme's own records with each other.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }
}
