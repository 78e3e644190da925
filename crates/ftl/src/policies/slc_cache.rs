//! Policy `ftl.slc_cache`: host writes go first to erase units whose cells hold one bit each.
//!
//! # Idea
//! Cells of several bits are programmed faster, read faster and worn less while they hold one bit.
//! So drives of TLC and QLC flash keep some blocks in that mode and let host writes land there.
//! What is still valid when a block of the cache is wanted again is folded: moved to blocks in the
//! normal mode. A page that dies in the cache is never folded.
//!
//! # Parameters
//! A `static` cache has erase units that are nothing else, a `dynamic` one takes free units and
//! gives them back. When it is full, a host write waits for a fold or goes past the cache.
//!
//! # Cost
//! A unit of the cache holds a page for every `flash.bits_per_cell` pages of a normal one. Folded
//! pages are programmed twice. Four bytes a unit for the order in which units were filled.
//!
//! Controller RAM: `4 * units`.
//!
//! # Deviations
//! Units are folded in the order in which they were filled. What drives do beside (which requests
//! go past the cache, when a cache grows) is not published.

use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, Nanos, ProgramMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Pool;
use crate::state::units::Units;

/// The `[ftl.slc_cache]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SlcCacheConfig {
    /// All cells hold all of their bits.
    #[serde(rename = "none")]
    Nothing {},
    /// Erase units of its own for the drive's whole life.
    Static(CacheConfig),
    /// Free erase units, as long as cleaning needs none of them.
    Dynamic(CacheConfig),
}

/// Parameters of both kinds of cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheConfig {
    /// Part of the erase units of each pool that is in the cache, at most (`dynamic`) or always
    /// (`static`; never less than one). Above 0, up to 0.5.
    pub share: f64,
    /// A host write to a full cache.
    pub when_full: WhenFull,
    /// Nanoseconds that the whole array must have been idle before the cache is folded in idle
    /// time. Absent: it is folded only when it is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_after_ns: Option<u64>,
    /// Sensing a page of the cache; that of the fastest kind of page unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<u64>,
    /// Programming a page of the cache; that of the fastest kind of page unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_ns: Option<u64>,
    /// Erasing a block of the cache; `flash.timing.erase_ns` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erase_ns: Option<u64>,
    /// Part of a P/E cycle by which a cycle with one bit a cell wears a block, above 0, up to 1.
    /// 0.1: makers of industrial drives rate TLC flash 3,000 cycles, with one bit a cell 30,000.
    pub cycle_wear: f64,
}

/// A host write to a full cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// It waits until a unit of the cache is folded, if there is one.
    Fold,
    /// It goes past the cache.
    Direct,
}

impl Default for SlcCacheConfig {
    fn default() -> Self {
        SlcCacheConfig::Nothing {}
    }
}

impl Default for CacheConfig {
    fn default() -> Self {
        CacheConfig {
            share: 0.05,
            when_full: WhenFull::Fold,
            idle_after_ns: None,
            read_ns: None,
            program_ns: None,
            erase_ns: None,
            cycle_wear: 0.1,
        }
    }
}

impl CacheConfig {
    /// Erasing a block of the cache.
    pub(crate) fn erase_ns(&self, flash: &FlashConfig) -> Nanos {
        self.erase_ns.unwrap_or(flash.timing.erase_ns)
    }

    /// Units of a pool that the cache may have.
    pub(crate) fn units_of(&self, units_per_pool: u32) -> u32 {
        ((self.share * f64::from(units_per_pool)) as u32).max(1)
    }
}

impl SlcCacheConfig {
    /// Whether there is no cache.
    pub fn is_nothing(&self) -> bool {
        self.cache().is_none()
    }

    /// The parameters, if there is a cache.
    pub fn cache(&self) -> Option<&CacheConfig> {
        match self {
            SlcCacheConfig::Nothing {} => None,
            SlcCacheConfig::Static(cache) | SlcCacheConfig::Dynamic(cache) => Some(cache),
        }
    }

    /// Units of a pool that are in the cache whatever happens.
    pub fn fixed_units(&self, units_per_pool: u32) -> u32 {
        match self {
            SlcCacheConfig::Static(cache) => cache.units_of(units_per_pool),
            SlcCacheConfig::Nothing {} | SlcCacheConfig::Dynamic(_) => 0,
        }
    }

    /// Open units that the cache takes of each pool beside its fixed ones.
    pub(crate) fn open_units(&self) -> u32 {
        u32::from(matches!(self, SlcCacheConfig::Dynamic(_)))
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let Some(cache) = self.cache() else { return Ok(()) };
        for (key, value, most) in [("share", cache.share, 0.5), ("cycle_wear", cache.cycle_wear, 1.0)] {
            if !(value > 0.0 && value <= most) {
                return Err(ConfigError::new(
                    format!("ftl.slc_cache.{key}"),
                    format!("{value} is out of range"),
                    format!("give more than 0, up to {most}"),
                ));
            }
        }
        let is_static = matches!(self, SlcCacheConfig::Static(_));
        if is_static && cache.when_full == WhenFull::Direct && cache.idle_after_ns.is_none() {
            return Err(ConfigError::new(
                "ftl.slc_cache.when_full",
                "nothing would ever empty the cache again",
                "give \"fold\", or ftl.slc_cache.idle_after_ns for folds in idle time",
            ));
        }
        Ok(())
    }

    /// The latencies of pages of the cache.
    ///
    /// # Errors
    /// One of more than an hour.
    pub(crate) fn timing(&self, flash: &FlashConfig) -> Result<Option<ModeTiming>, ConfigError> {
        let Some(cache) = self.cache() else { return Ok(None) };
        let fastest = |times: &[u64]| times.iter().copied().min().unwrap_or(0);
        let read_ns = cache.read_ns.unwrap_or_else(|| fastest(&flash.timing.read_ns));
        let program_ns = cache.program_ns.unwrap_or_else(|| fastest(&flash.timing.program_ns));
        // An erase has the limit of the others.
        let erase = ("ftl.slc_cache.erase_ns", &[cache.erase_ns(flash)][..]);
        ModeTiming::new(1, erase, erase)?;
        let timing = ModeTiming::new(
            flash.bits_per_cell,
            ("ftl.slc_cache.read_ns", &[read_ns]),
            ("ftl.slc_cache.program_ns", &[program_ns]),
        )?;
        Ok(Some(timing))
    }
}

/// The cache of a drive: what it decides.
#[derive(Debug, Clone)]
pub(crate) struct SlcCache {
    /// In which pages of the cache are programmed.
    pub(crate) mode: ProgramMode,
    pub(crate) when_full: WhenFull,
    pub(crate) idle_after_ns: Option<Nanos>,
    most_units: usize,
    is_dynamic: bool,
}

impl SlcCache {
    /// The cache of a configuration, whose mode follows `other_modes` others.
    pub(crate) fn new(config: &SlcCacheConfig, other_modes: usize, units_per_pool: u32) -> Option<SlcCache> {
        let cache = config.cache()?;
        Some(SlcCache {
            mode: ProgramMode(1 + other_modes as u8),
            when_full: cache.when_full,
            idle_after_ns: cache.idle_after_ns,
            most_units: cache.units_of(units_per_pool) as usize,
            is_dynamic: matches!(config, SlcCacheConfig::Dynamic(_)),
        })
    }

    /// Whether the cache may take a further unit of a pool. A dynamic one leaves the pool another
    /// that the host may open, so that it never is the reason for a cleaning.
    pub(crate) fn may_grow(&self, units: &Units, pool: Pool) -> bool {
        let spare = !self.is_dynamic || units.may_open_another(pool);
        spare && units.cached(pool) < self.most_units
    }

    /// Whether room in a pool is made by a fold: a dynamic cache gives back its oldest unit, if
    /// that has no more valid pages than the best victim.
    pub(crate) fn gives_room(&self, units: &Units, pool: Pool) -> bool {
        let Some(oldest) = units.oldest_cached(pool).filter(|_| self.is_dynamic) else { return false };
        units.fewest_valid(pool).is_none_or(|victim| units.valid(oldest) <= units.valid(victim))
    }
}
