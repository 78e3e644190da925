//! The `[product]` table: of which class of drives on sale this is a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A class of drives that can be bought, and the whole drive that this model is a part of. It
/// describes, and changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductConfig {
    /// The class, as data sheets name it.
    pub class: String,
    /// Capacity of the whole drive, as it is sold, in bytes.
    pub capacity_bytes: u64,
    /// Flash of the whole drive, in bytes.
    pub flash_bytes: u64,
}
