//! A drive as a whole: the configuration schema.

use std::borrow::Cow;

use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::ftl::FtlConfig;
use crate::effort::EffortConfig;
use crate::recycle::RecycleConfig;
use crate::reuse::ReuseConfig;

/// A drive: a flash array and one scheme for each of the three questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveConfig {
    /// Short name, shown in tables.
    pub name: String,
    /// The drive's model in life, and the sources of its figures.
    #[serde(default)]
    pub description: String,
    /// The real drive that this one was fitted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<TwinConfig>,
    /// The class of drives on sale that this one stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductConfig>,
    /// The flash array.
    pub flash: FlashConfig,
    /// The flash translation layer.
    #[serde(default)]
    pub ftl: FtlConfig,
    /// Must it be written at all?
    #[serde(default)]
    pub recycle: RecycleConfig,
    /// Where can it be written without an erase?
    #[serde(default)]
    pub reuse: ReuseConfig,
    /// With how much effort must it be written?
    #[serde(default)]
    pub effort: EffortConfig,
}

impl DriveConfig {
    /// A plain drive on a flash array: greedy cleaning, no scheme on any axis. A base for
    /// configurations made in code.
    pub fn plain(name: &str, flash: FlashConfig) -> DriveConfig {
        DriveConfig {
            name: name.to_owned(),
            description: String::new(),
            twin: None,
            product: None,
            flash,
            ftl: FtlConfig::default(),
            recycle: RecycleConfig::default(),
            reuse: ReuseConfig::default(),
            effort: EffortConfig::default(),
        }
    }

    /// The flash as the reuse code leaves it.
    ///
    /// # Errors
    /// A code that such flash cannot have.
    pub fn coded_flash(&self) -> Result<Cow<'_, FlashConfig>, ConfigError> {
        self.reuse.flash(&self.flash)
    }
}

/// The `[twin]` table: what a drive was fitted to, and how far off it is. It describes, and changes nothing.
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
    /// Bytes that the real drive exports.
    pub capacity_bytes: u64,
    /// Mean absolute error in write amplification at the points that it was fitted to.
    pub fit_error: f64,
    /// How many of those there are.
    pub fitted_points: u32,
    /// Numbers fitted to the points. With as many as points the error says nothing.
    pub fitted_numbers: u32,
    /// Other drives that explain the points equally well, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equals: Vec<String>,
    /// The same at points that it was not fitted to. Absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction_error: Option<f64>,
    /// How many of those there are.
    #[serde(default)]
    pub predicted_points: u32,
}

/// The `[product]` table: a class of drives that can be bought, and the whole drive that this model is a part of. It
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
