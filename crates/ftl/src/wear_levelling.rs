//! Policy `ftl.wear_levelling`: cold data is moved so that all erase units wear alike.
//!
//! Without it the units that hold cold data are never emptied and keep their few erases for ever. Static levelling watches
//! the spread of wear in each pool. Where it exceeds the limit, the least worn closed unit is emptied into the most
//! worn free unit: the worn unit rests under cold data, and the fresh one joins those that are written often. At most one
//! unit a time that room is made, so that the cost is spread out.
//!
//! Wear is counted in times that a unit was emptied. Under a code that reopens units without an erase each pass is a part
//! of an erase, and the limit is scaled accordingly.

use rewear_flash::{ConfigError, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::units::Stream;

/// The `[ftl.wear_levelling]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WearLevellingConfig {
    /// Units wear as they are used.
    #[serde(rename = "none")]
    Nothing {},
    /// Cold data moves from the least worn unit of a pool to the most worn. Costs one erase unit a pool, and the moves.
    Static {
        /// Erases by which the most worn unit of a pool may exceed the least worn.
        spread: u32,
    },
}

impl Default for WearLevellingConfig {
    fn default() -> Self {
        WearLevellingConfig::Nothing {}
    }
}

impl WearLevellingConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        match self {
            WearLevellingConfig::Static { spread: 0 } => Err(ConfigError::new(
                "ftl.wear_levelling.spread",
                "a spread of 0 erases is impossible, since units are erased one after the other",
                "give at least 1; a few dozen cost little",
            )),
            _ => Ok(()),
        }
    }

    /// The limit in times that a unit is emptied, where that happens so often between two erases.
    pub(crate) fn spread_passes(&self, passes_per_erase: f64) -> Option<u32> {
        match self {
            WearLevellingConfig::Nothing {} => None,
            WearLevellingConfig::Static { spread } => {
                Some((f64::from(*spread) * passes_per_erase).round() as u32)
            }
        }
    }
}

impl Ftl {
    /// Empties the coldest unit of a pool if the wear of the pool's units lies too far apart.
    pub(crate) fn level_wear(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        let Some(spread) = self.spread_passes else { return Ok(()) };
        let limit = self.core.units.most_wear(pool).saturating_sub(spread);
        self.empty_coldest(at, pool, limit)
    }

    /// Empties the least worn closed unit of a pool, if its wear is below `limit`, into the most worn free one.
    pub(crate) fn empty_coldest(&mut self, at: Nanos, pool: u32, limit: u32) -> Result<(), FtlError> {
        if self.core.units.free(pool) == 0 {
            return Ok(());
        }
        let Some(cold) = self.core.units.least_worn_closed(pool, limit) else { return Ok(()) };
        self.core.units.begin_cleaning(cold);
        let before = self.core.counters.pages_moved;
        let moved = self.move_valid_pages(at, pool, cold, Stream::Levelled);
        self.core.counters.pages_levelled += self.core.counters.pages_moved - before;
        let moved_at = moved?;
        self.core.counters.levellings += 1;
        self.reclaim(moved_at, cold)?;
        Ok(())
    }
}
