//! Victims by `wear-aware`: the greedy choice, sparing units that are worn more than the average.
//!
//! # Idea
//! The remaining life of a unit is what is left of its endurance; it is compared with the average
//! of its pool. Units go by in greedy order. One with less than 0.80 of the average is skipped with
//! probability 1 - (life / average) / 0.8. After the cleaning of one with less than 0.85, cold data
//! moves into it, where it stays and saves it from being erased.
//!
//! # Paper
//! Agrawal, Prabhakaran, Wobber, Davis, Manasse, Panigrahy: Design Tradeoffs for SSD Performance,
//! USENIX ATC 2008 (cold data migration and rate limiting), with the thresholds of the SSD
//! extension of DiskSim, its implementation.
//!
//! # Parameters
//! None. Needs `flash.endurance_cycles`; `flash.seed` is that of the skips.
//!
//! # Cost
//! Moves of cold data (`pages_levelled`), one open unit in each pool for them, and victims that are
//! not the emptiest.
//!
//! # Deviations
//! Cold data is the content of the least worn closed unit, and it goes into the most worn free
//! unit, which is the victim or one worn more. If every candidate is skipped, the first is taken.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::{ConfigError, FlashConfig};

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// Below this share of the average remaining life a victim may be skipped.
const SKIP_BELOW: f64 = 0.80;
/// Below this share cold data moves into the victim.
const MIGRATE_BELOW: f64 = 0.85;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WearAware {
    endurance_passes: f64,
    rng: Xoshiro256PlusPlus,
}

impl Policy for WearAware {
    type Config = ();
    const LEVELS_WEAR: bool = true;

    fn check((): &(), flash: &FlashConfig) -> Result<(), ConfigError> {
        if flash.endurance_cycles.is_some() {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.victim.scheme",
            "wear-aware cleaning compares remaining lives, and these blocks live for ever",
            "give flash.endurance_cycles",
        ))
    }

    fn new((): &(), of: DriveFacts) -> WearAware {
        let rng = Xoshiro256PlusPlus::seed_from_u64(of.seed);
        WearAware { endurance_passes: of.endurance_passes as f64, rng }
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        let slots = units.slots_per_unit();
        let mut first = None;
        for at in units.by_valid(pool).take_while(|at| at.valid < slots) {
            let share = self.life(units, at.unit, pool);
            let skip = 1.0 - share / SKIP_BELOW;
            let drawn = if skip > 0.0 { f64::from(self.rng.next_u32()) / 2f64.powi(32) } else { 1.0 };
            if drawn >= skip {
                return Some(at.unit);
            }
            first = first.or(Some(at.unit));
        }
        first
    }

    fn wants_cold_data(&self, units: &Units, unit: Unit, pool: Pool) -> bool {
        self.life(units, unit, pool) < MIGRATE_BELOW
    }
}

impl WearAware {
    /// Remaining life of a unit over the average of its pool.
    fn life(&self, units: &Units, unit: Unit, pool: Pool) -> f64 {
        let average = self.endurance_passes - units.mean_wear(pool);
        if average <= 0.0 {
            return 1.0;
        }
        (self.endurance_passes - f64::from(units.wear(unit))) / average
    }
}
