//! Policy `ftl.victim`: which closed erase unit is cleaned next.
//!
//! [`policy`] is the interface; this file is the registry: a line a policy.

pub mod cost_benefit;
pub mod custom;
pub mod cyclic;
pub mod d_choices;
pub mod greedy;
pub mod policy;
pub mod recycle_aware;

use policy::{DriveFacts, Policy};
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Pool, Unit};
use crate::state::units::Units;

registry! {
    /// The `[ftl.victim]` table.
    VictimConfig, default Greedy;
    /// The victim policy of a drive.
    pub enum VictimPolicy;
    bare {
        /// The unit with the fewest valid pages, among equals the one that has been so longest.
        Greedy => greedy::Greedy;
        /// The unit with the fewest valid pages, among equals the one with the highest number:
        /// DiskSim's tie-break.
        GreedyHighest => greedy::GreedyHighest;
        /// The unit with the largest age x (1 - u) / 2u, u its share of valid pages.
        CostBenefit => cost_benefit::CostBenefit;
        /// The units of a pool in turn: first in, first out, where one unit is open at a time.
        Cyclic => cyclic::Cyclic;
    }
    with_parameters {
        /// The unit with the fewest valid pages of a few drawn at random.
        DChoices(d_choices::DChoicesConfig) => d_choices::DChoices;
        /// Greedy, but sparing units whose invalid pages hold content that may be needed again.
        RecycleAware(recycle_aware::RecycleAwareConfig) => recycle_aware::RecycleAware;
        /// A policy that the caller supplies, as `--policy FILE.py` does.
        #[serde(skip_deserializing)]
        Custom(custom::CustomConfig) => custom::Custom;
    }
}

impl VictimConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// No choices at all.
    pub fn check(&self, flash: &FlashConfig) -> Result<(), ConfigError> {
        of!(self, Kind, config => Kind::check(config, flash))
    }

    /// Whether the choice depends on the content of invalid pages.
    pub fn weighs_contents(&self) -> bool {
        of!(self, Kind, _config => Kind::WEIGHS_CONTENTS)
    }

    /// Whether units must remember when they changed last.
    pub(crate) fn asks_for_age(&self) -> bool {
        of!(self, Kind, _config => Kind::ASKS_FOR_AGE)
    }
}

impl VictimPolicy {
    /// Builds the policy of a configuration on such a drive.
    pub fn new(config: &VictimConfig, of: DriveFacts) -> VictimPolicy {
        make!(config, Kind, config => Kind::new(config, of))
    }

    /// The closed unit of a pool that is to be cleaned; `None` if none has an invalid page.
    pub fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        let (chosen, names_full) = ask!(self, policy => (policy.choose(units, pool), policy.names_full()));
        let gains = |unit| names_full || units.valid(unit) < units.slots_per_unit();
        debug_assert!(chosen.is_none_or(gains), "a victim policy names a unit that is wholly valid");
        chosen
    }
}
