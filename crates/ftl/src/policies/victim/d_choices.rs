//! Victims by `d-choices`: the best of a few drawn at random.
//!
//! # Idea
//! d closed units are drawn at random (with replacement) and the one with the fewest valid pages is
//! cleaned. d = 1 is random cleaning, a large d is greedy; around 10 is nearly as good as greedy
//! and needs no index.
//!
//! # Paper
//! Van Houdt: A Mean Field Model for a Class of Garbage Collection Algorithms in Flash-based Solid
//! State Drives, SIGMETRICS 2013.
//!
//! # Parameters
//! `choices` (d). `flash.seed` is that of the draws.
//!
//! # Cost
//! No memory; d random accesses a cleaning.
//!
//! # Deviations
//! A sample of several without an invalid page is drawn anew; after 100 such samples the greedy
//! victim is taken. With d = 1 a unit is cleaned as drawn, as the theory has it: a full one moves all
//! its pages and gives no room. After 100 full ones in a row the next victim has an invalid page. So
//! has each where the reserve is incomplete, or a reuse scheme writes units again.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

const SAMPLES: usize = 100;

/// Parameters of `d-choices`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DChoicesConfig {
    /// Units drawn for each cleaning, 1 to 1000.
    pub choices: u32,
}

impl Default for DChoicesConfig {
    fn default() -> Self {
        DChoicesConfig { choices: 10 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct DChoices {
    choices: u32,
    rng: Xoshiro256PlusPlus,
    takes_full: bool,
    /// Full units named since the last other one.
    full_in_row: usize,
}

impl Policy for DChoices {
    type Config = DChoicesConfig;

    fn check(config: &DChoicesConfig, _: &FlashConfig) -> Result<(), ConfigError> {
        if (1..=1000).contains(&config.choices) {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.victim.choices",
            format!("{} units cannot be drawn", config.choices),
            "give 1 to 1000",
        ))
    }

    fn new(config: &DChoicesConfig, of: DriveFacts) -> DChoices {
        DChoices {
            choices: config.choices,
            rng: Xoshiro256PlusPlus::seed_from_u64(of.seed),
            takes_full: config.choices == 1 && of.erases_victims,
            full_in_row: 0,
        }
    }

    fn names_full(&self) -> bool {
        self.takes_full
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        for _ in 0..SAMPLES {
            let mut best: Option<Unit> = None;
            for _ in 0..self.choices {
                let drawn = units.draw_closed(pool, &mut self.rng)?;
                if best.is_none_or(|best| units.valid(drawn) < units.valid(best)) {
                    best = Some(drawn);
                }
            }
            let is_full = best.is_some_and(|unit| units.valid(unit) == units.slots_per_unit());
            if !is_full {
                self.full_in_row = 0;
                return best;
            }
            if self.takes_full && self.full_in_row < SAMPLES && !units.is_short(pool) {
                self.full_in_row += 1;
                // Where nothing can be gained there is no victim.
                return units.fewest_valid(pool).and(best);
            }
        }
        units.fewest_valid(pool)
    }
}
