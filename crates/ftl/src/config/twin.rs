//! The `[twin]` table: of which real drive this is a model, and how far off it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a drive was fitted to. It describes, and changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwinConfig {
    /// The drive, as its maker calls it.
    pub of: String,
    /// The measurements, and who published them.
    pub fitted_to: String,
    /// The day of the fit, as YYYY-MM-DD.
    pub fitted_on: String,
    /// Flash of the real drive that holds data, in bytes; this model is smaller.
    pub flash_bytes: u64,
    /// Mean absolute error in write amplification at the points that it was fitted to.
    pub fit_error: f64,
    /// The same at points that were left out of the fit one at a time. Absent with a single point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_one_out_error: Option<f64>,
    /// The same at points that it was not fitted to. Absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction_error: Option<f64>,
    /// How many of those there are.
    #[serde(default)]
    pub predicted_points: u32,
}
