//! Policy `ftl.background`: cleaning beside host writes that need room.
//!
//! `erase-invalid`: whenever a request arrives, each pool whose planes are idle then erases a unit
//! that holds no valid page, if it has one (Margaglia and Brinkmann, MSST '15, section IV). The
//! request may have to wait for it.
//!
//! `each-request` is the background collector of FEMU (`hw/femu/bbssd/ftl.c`): behind each request a
//! unit is cleaned while few are free, if it has enough invalid pages. No time is looked at.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Pool;
use crate::shape::layout::Layout;
use crate::state::units::Units;
use crate::state::units::stream::Stream;

/// The `[ftl.background]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BackgroundConfig {
    /// Cleaning waits until a write needs room.
    #[serde(rename = "none")]
    Nothing {},
    /// When a request arrives, each idle pool erases a unit without valid pages.
    EraseInvalid {},
    /// When a request arrives, each pool with few free units cleans one, if that has enough invalid
    /// pages.
    EachRequest(EachRequestConfig),
}

/// Parameters of `each-request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EachRequestConfig {
    /// A pool is cleaned while at most this fraction of its erase units is free, 0 to 0.5.
    pub free_fraction: f64,
}

/// A victim with a larger fraction of valid pages is left, and no other is looked for: FEMU asks for
/// an eighth of invalid pages.
const MAX_VALID_FRACTION: f64 = 0.875;

impl Default for EachRequestConfig {
    fn default() -> Self {
        EachRequestConfig { free_fraction: 0.25 }
    }
}

impl Default for BackgroundConfig {
    fn default() -> Self {
        BackgroundConfig::Nothing {}
    }
}

impl BackgroundConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let BackgroundConfig::EachRequest(config) = self else { return Ok(()) };
        if (0.0..=0.5).contains(&config.free_fraction) {
            return Ok(());
        }
        let problem = format!("{} is out of range", config.free_fraction);
        Err(ConfigError::new("ftl.background.free_fraction", problem, "give 0 to 0.5"))
    }
}

/// The policy of a drive.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Background {
    EraseInvalid,
    EachRequest(EachRequest),
}

/// Cleaning at each request, in counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EachRequest {
    free_units: usize,
}

impl Background {
    pub(crate) fn new(config: &BackgroundConfig, layout: &Layout) -> Option<Background> {
        match config {
            BackgroundConfig::Nothing {} => None,
            BackgroundConfig::EraseInvalid {} => Some(Background::EraseInvalid),
            BackgroundConfig::EachRequest(config) => Some(Background::EachRequest(EachRequest {
                free_units: (config.free_fraction * f64::from(layout.units_per_pool)) as usize,
            })),
        }
    }
}

impl EachRequest {
    /// Whether a pool has few free units. FEMU opens a unit as soon as the one before it is full, here
    /// the next write does: so behind a full one a free unit is spoken for.
    pub(crate) fn wants_units(self, units: &Units, pool: Pool) -> bool {
        let spoken_for = usize::from(!units.has_room(pool, Stream::Host));
        units.free(pool) <= self.free_units + spoken_for
    }

    /// Whether a unit with `valid` of its slots valid is cleaned.
    pub(crate) fn takes(self, valid: u32, slots: u32) -> bool {
        f64::from(valid) <= MAX_VALID_FRACTION * f64::from(slots)
    }
}
