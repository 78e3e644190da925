//! Policy `ftl.victim`: which closed erase unit is cleaned next.
//!
//! A policy is asked once a cleaning, so it may take its time; what it needs to know is kept only if it is configured.

pub mod cost_benefit;
pub mod d_choices;
pub mod recycle_aware;
pub mod wear_aware;

use d_choices::{DChoices, DChoicesConfig};
use recycle_aware::{RecycleAware, RecycleAwareConfig};
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wear_aware::{WearAware, WearAwareConfig};

use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// The `[ftl.victim]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum VictimConfig {
    /// The unit with the fewest valid pages, among equals the one that has been so longest.
    Greedy {},
    /// The unit with the fewest valid pages, among equals the one with the highest number: DiskSim's tie-break.
    GreedyHighest {},
    /// The unit with the largest age x (1 - u) / 2u, u its share of valid pages.
    CostBenefit {},
    /// The unit with the fewest valid pages of a few drawn at random.
    DChoices(DChoicesConfig),
    /// Greedy, but sparing worn units and moving cold data into them, as DiskSim's SSD extension does.
    WearAware(WearAwareConfig),
    /// Greedy, but sparing units whose invalid pages hold content that may be needed again.
    RecycleAware(RecycleAwareConfig),
}

impl Default for VictimConfig {
    fn default() -> Self {
        VictimConfig::Greedy {}
    }
}

impl VictimConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// No choices at all; wear-aware cleaning of blocks that never wear out.
    pub fn check(&self, flash: &FlashConfig) -> Result<(), ConfigError> {
        match self {
            VictimConfig::Greedy {} | VictimConfig::GreedyHighest {} | VictimConfig::CostBenefit {} => Ok(()),
            VictimConfig::DChoices(config) => config.check(),
            VictimConfig::RecycleAware(config) => config.check(),
            VictimConfig::WearAware(_) if flash.endurance_cycles.is_some() => Ok(()),
            VictimConfig::WearAware(_) => Err(ConfigError::new(
                "ftl.victim.scheme",
                "wear-aware cleaning compares remaining lives, and these blocks live for ever",
                "give flash.endurance_cycles",
            )),
        }
    }

    /// Whether the choice depends on the content of invalid pages.
    pub fn weighs_contents(&self) -> bool {
        matches!(self, VictimConfig::RecycleAware(_))
    }

    /// Whether units must remember when they changed last.
    pub(crate) fn asks_for_age(&self) -> bool {
        matches!(self, VictimConfig::CostBenefit {})
    }

    /// Whether the policy moves cold data into worn units.
    pub(crate) fn levels_wear(&self) -> bool {
        matches!(self, VictimConfig::WearAware(_))
    }
}

/// The victim policy of a drive.
#[derive(Debug, Clone)]
pub enum VictimPolicy {
    /// Fewest valid pages.
    Greedy,
    /// Fewest valid pages, highest number.
    GreedyHighest,
    /// See [`cost_benefit`].
    CostBenefit,
    /// See [`d_choices`].
    DChoices(DChoices),
    /// See [`wear_aware`].
    WearAware(WearAware),
    /// See [`recycle_aware`].
    RecycleAware(RecycleAware),
}

impl VictimPolicy {
    /// Builds the policy of a configuration. A block endures `endurance_passes` times being emptied.
    pub fn new(config: &VictimConfig, endurance_passes: u64) -> VictimPolicy {
        match config {
            VictimConfig::Greedy {} => VictimPolicy::Greedy,
            VictimConfig::GreedyHighest {} => VictimPolicy::GreedyHighest,
            VictimConfig::CostBenefit {} => VictimPolicy::CostBenefit,
            VictimConfig::DChoices(config) => VictimPolicy::DChoices(DChoices::new(config)),
            VictimConfig::WearAware(config) => {
                VictimPolicy::WearAware(WearAware::new(config, endurance_passes))
            }
            VictimConfig::RecycleAware(config) => VictimPolicy::RecycleAware(RecycleAware::new(config)),
        }
    }

    /// The closed unit of a pool that is to be cleaned; `None` if none has an invalid page.
    pub fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        match self {
            VictimPolicy::Greedy => units.fewest_valid(pool),
            VictimPolicy::GreedyHighest => highest_of_fewest_valid(units, pool),
            VictimPolicy::CostBenefit => cost_benefit::choose(units, pool),
            VictimPolicy::DChoices(policy) => policy.choose(units, pool),
            VictimPolicy::WearAware(policy) => policy.choose(units, pool),
            VictimPolicy::RecycleAware(policy) => policy.choose(units, pool),
        }
    }

    /// Whether cold data should move into a unit that was just cleaned.
    pub(crate) fn wants_cold_data(&self, units: &Units, unit: Unit, pool: Pool) -> bool {
        matches!(self, VictimPolicy::WearAware(policy) if policy.wants_cold_data(units, unit, pool))
    }
}

fn highest_of_fewest_valid(units: &Units, pool: Pool) -> Option<Unit> {
    let mut candidates = units.by_valid(pool).peekable();
    let fewest = candidates.peek()?.valid;
    let equals = candidates.take_while(|candidate| candidate.valid == fewest);
    equals.map(|candidate| candidate.unit).max().filter(|_| fewest < units.slots_per_unit())
}
