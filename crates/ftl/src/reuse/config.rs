//! The `[reuse]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{seal, second_write, wom_v};

/// The `[reuse]` table: the scheme and its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReuseConfig {
    /// Every erase unit is erased before it is written again.
    #[serde(rename = "none")]
    Nothing {},
    /// WOM-v codes: several generations of writes between two erases.
    WomV(wom_v::WomVConfig),
    /// Second writes on the invalid pages of used blocks.
    SecondWrite(second_write::SecondWriteConfig),
    /// Extended P/E cycles: MLC pages overwritten in place, blocks sealed.
    Seal(seal::SealConfig),
}

impl Default for ReuseConfig {
    fn default() -> Self {
        ReuseConfig::Nothing {}
    }
}
