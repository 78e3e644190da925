//! Policy `ftl.wear_levelling`: cold data is moved so that all erase units wear alike.
//!
//! Without it the units that hold cold data are never emptied and keep their few erases for ever.
//! Static levelling watches the spread of wear in each pool. Where it exceeds the limit, the least
//! worn closed unit is emptied into the most worn free unit: the worn unit rests under cold data,
//! and the fresh one joins those that are written often. At most one unit a time that room is made,
//! so that the cost is spread out.
//!
//! Wear is counted in times that a unit was emptied. Under a code that reopens units without an
//! erase each pass is a part of an erase, and the limit is scaled accordingly.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `[ftl.wear_levelling]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WearLevellingConfig {
    /// Units wear as they are used.
    #[serde(rename = "none")]
    Nothing {},
    /// Cold data moves from the least worn unit of a pool to the most worn. Costs one erase unit a
    /// pool, and the moves.
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

    /// The limit in emptyings of a unit, with `passes_per_erase` of them between two erases.
    pub(crate) fn spread_passes(&self, passes_per_erase: f64) -> Option<u32> {
        match self {
            WearLevellingConfig::Nothing {} => None,
            WearLevellingConfig::Static { spread } => {
                Some((f64::from(*spread) * passes_per_erase).round() as u32)
            }
        }
    }
}
