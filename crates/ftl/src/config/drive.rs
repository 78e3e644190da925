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
    /// The class of drives on sale, or the real drive, that this one stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductConfig>,
    /// How a twin was fitted to its product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<TwinConfig>,
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
            product: None,
            twin: None,
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

/// The `[product]` table: the real drive that this drive models at a smaller scale. It describes,
/// and changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductConfig {
    /// A class as data sheets name it, or of a twin the drive as its maker calls it.
    pub name: String,
    /// Capacity of the whole drive, as it is sold, in bytes.
    pub capacity_bytes: u64,
    /// Flash of the whole drive that holds data, in bytes.
    pub flash_bytes: u64,
}

/// The `[twin]` table of a model that was fitted to a real drive, the `product`. It describes, and
/// changes nothing; the head of the file has the points and what else explains them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwinConfig {
    /// Mean absolute error in write amplification where it was fitted, in words, with the numbers of
    /// points and of fitted numbers. With as many numbers as points the error says nothing.
    pub fit: String,
    /// Mean absolute error in write amplification at points that it was not fitted to, in words.
    /// Absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<String>,
}
