//! Policy `ftl.background`: cleaning in idle time.
//!
//! When the array was idle for a while, victims are cleaned until enough units are free or the next
//! request arrives. The pools work side by side, page by page, and no step begins that might end
//! after the arrival: the host never waits for it. On a drive that keeps a log, what must be
//! durable before a step is a part of it. A victim that is not finished goes back among the
//! candidates with the pages that it still has.
//!
//! Units reserved for foreground cleaning are not touched, so a victim is begun only if its pages
//! fit elsewhere.
//!
//! `erase-invalid` does less: whenever a request arrives, each pool whose planes are idle then
//! erases a unit that holds no valid page, if it has one (Margaglia and Brinkmann, MSST '15,
//! section IV). The request may have to wait for it.
//!
//! `each-request` is the background collector of FEMU (`hw/femu/bbssd/ftl.c`): behind each request a
//! unit is cleaned while few are free, if it has enough invalid pages. No time is looked at.

use rewear_flash::{ConfigError, Nanos};
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
    /// Idle time is used.
    Idle(IdleConfig),
    /// When a request arrives, each idle pool erases a unit without valid pages.
    EraseInvalid {},
    /// When a request arrives, each pool with few free units cleans one, if that has enough invalid
    /// pages.
    EachRequest(EachRequestConfig),
}

/// Parameters of `idle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdleConfig {
    /// Nanoseconds that the whole array must have been idle before cleaning begins.
    pub after_ns: u64,
    /// Cleaning ends when this fraction of a pool's erase units is free, 0 to 0.5.
    pub free_fraction: f64,
    /// Only units with at most this fraction of valid pages are cleaned, 0 to 1.
    pub max_valid_fraction: f64,
}

impl Default for IdleConfig {
    fn default() -> Self {
        IdleConfig { after_ns: 10_000_000, free_fraction: 0.05, max_valid_fraction: 0.5 }
    }
}

/// Parameters of `each-request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EachRequestConfig {
    /// A pool is cleaned while at most this fraction of its erase units is free, 0 to 0.5.
    pub free_fraction: f64,
    /// A victim with a larger fraction of valid pages is left, and no other is looked for, 0 to 1.
    /// FEMU asks for an eighth of invalid pages.
    pub max_valid_fraction: f64,
}

impl Default for EachRequestConfig {
    fn default() -> Self {
        EachRequestConfig { free_fraction: 0.25, max_valid_fraction: 0.875 }
    }
}

impl IdleConfig {
    /// Units of a pool that are free when cleaning ends.
    fn free_units(&self, layout: &Layout) -> usize {
        (self.free_fraction * f64::from(layout.units_per_pool)).ceil() as usize
    }
}

impl Default for BackgroundConfig {
    fn default() -> Self {
        BackgroundConfig::Nothing {}
    }
}

impl BackgroundConfig {
    /// Units of a pool that idle time leaves free.
    pub(crate) fn leaves_free(&self, layout: &Layout) -> usize {
        match self {
            BackgroundConfig::Idle(config) => config.free_units(layout),
            // What is cleaned at each request may come to nothing: it leaves no unit free for sure.
            _ => 0,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let (free_fraction, max_valid_fraction) = match self {
            BackgroundConfig::Nothing {} | BackgroundConfig::EraseInvalid {} => return Ok(()),
            BackgroundConfig::Idle(config) => (config.free_fraction, config.max_valid_fraction),
            BackgroundConfig::EachRequest(config) => (config.free_fraction, config.max_valid_fraction),
        };
        for (key, value, most) in
            [("free_fraction", free_fraction, 0.5), ("max_valid_fraction", max_valid_fraction, 1.0)]
        {
            if !(0.0..=most).contains(&value) {
                return Err(ConfigError::new(
                    format!("ftl.background.{key}"),
                    format!("{value} is out of range"),
                    format!("give 0 to {most}"),
                ));
            }
        }
        Ok(())
    }
}

/// The policy of a drive.
#[derive(Debug, Clone)]
pub(crate) enum Background {
    Idle(Idle),
    EraseInvalid,
    EachRequest(EachRequest),
}

/// Cleaning at each request, in counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EachRequest {
    free_units: usize,
    max_valid_fraction: f64,
}

/// Cleaning in idle time, in counts.
#[derive(Debug, Clone)]
pub(crate) struct Idle {
    after_ns: Nanos,
    free_units: usize,
    max_valid_fraction: f64,
}

impl Background {
    pub(crate) fn new(config: &BackgroundConfig, layout: &Layout) -> Option<Background> {
        match config {
            BackgroundConfig::Nothing {} => None,
            BackgroundConfig::EraseInvalid {} => Some(Background::EraseInvalid),
            BackgroundConfig::EachRequest(config) => Some(Background::EachRequest(EachRequest {
                free_units: (config.free_fraction * f64::from(layout.units_per_pool)) as usize,
                max_valid_fraction: config.max_valid_fraction,
            })),
            BackgroundConfig::Idle(config) => Some(Background::Idle(Idle {
                after_ns: config.after_ns,
                free_units: config.free_units(layout),
                max_valid_fraction: config.max_valid_fraction,
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

    /// Whether a unit with so many of its slots valid is cleaned.
    pub(crate) fn takes(self, valid: u32, slots: u32) -> bool {
        f64::from(valid) <= self.max_valid_fraction * f64::from(slots)
    }
}

impl Idle {
    /// When cleaning begins on an array that idles since `idle_at`.
    pub(crate) fn begins(&self, idle_at: Nanos) -> Nanos {
        idle_at + self.after_ns
    }

    /// Whether a pool is to have more free units.
    pub(crate) fn wants_units(&self, units: &Units, pool: Pool) -> bool {
        units.free(pool) < self.free_units
    }

    /// Whether a unit with so many of its slots valid is worth cleaning.
    pub(crate) fn takes(&self, valid: u32, slots: u32) -> bool {
        f64::from(valid) <= self.max_valid_fraction * f64::from(slots)
    }
}
