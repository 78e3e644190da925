//! Victims by `recycle-aware`: invalid pages whose content may be needed again count less.
//!
//! # Idea
//! Greedy cleaning takes the unit with the most invalid pages. Here every invalid page counts with
//! the probability that nobody will ask for its content: a unit of promising pages waits longer, so
//! that they can be recycled.
//!
//! # Paper
//! Zhou, Hu, Huang, Zhao: LX-SSD, section IV.D: the unit with the largest sum of 1 - ReProb over
//! its invalid pages (RC-GC, equation 5).
//!
//! # Parameters
//! `most_discount`.
//!
//! # Cost
//! 8 bytes an erase unit. A choice looks at units, fewest valid pages first, until no further one
//! can win. Victims are fuller than greedy ones, so more pages are moved.
//!
//! # Deviations
//! The probabilities come from the recycling scheme; where it knows none, the choice is the greedy
//! one. A unit full of promising pages has no weight at all by the paper's letter and would never
//! be cleaned, so the discount is bounded: with `most_discount` = 1 it is not. A unit without an
//! invalid page is never taken.

use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::content_score::ONE_PAGE;
use crate::state::units::Units;

/// Parameters of `recycle-aware`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecycleAwareConfig {
    /// The largest share of a unit's invalid pages that the expected loss of content may discount,
    /// 0 to 1; 1 is the paper's equation 5, 0 is greedy.
    pub most_discount: f64,
}

impl Default for RecycleAwareConfig {
    fn default() -> Self {
        RecycleAwareConfig { most_discount: 1.0 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct RecycleAware {
    /// Of each invalid page, in units of 1 / [`ONE_PAGE`].
    most_discount: u64,
}

impl Policy for RecycleAware {
    type Config = RecycleAwareConfig;
    const WEIGHS_CONTENTS: bool = true;

    fn check(config: &RecycleAwareConfig, _: &FlashConfig) -> Result<(), ConfigError> {
        if (0.0..=1.0).contains(&config.most_discount) {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.victim.most_discount",
            format!("{} is no share of a unit's invalid pages", config.most_discount),
            "give 0 to 1; 1 is the paper's",
        ))
    }

    fn new(config: &RecycleAwareConfig, _: DriveFacts) -> RecycleAware {
        RecycleAware { most_discount: (config.most_discount * ONE_PAGE as f64) as u64 }
    }

    /// The unit with the largest weight, among equals the one with the fewest valid pages that has
    /// been so longest.
    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        let slots = units.slots_per_unit();
        let mut best: Option<(u64, Unit)> = None;
        for at in units.by_valid(pool) {
            let invalid = u64::from(slots - at.valid);
            // No unit weighs more than its invalid pages, and those that follow have no more of
            // them.
            if invalid == 0 || best.is_some_and(|(weight, _)| weight >= invalid * ONE_PAGE) {
                break;
            }
            let discount = units.content_score.of(at.unit).min(invalid * self.most_discount);
            let weight = invalid * ONE_PAGE - discount;
            if best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, Unit(at.unit.0)));
            }
        }
        best.map(|(_, unit)| unit)
    }
}
