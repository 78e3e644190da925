//! The parameters of `differentiated-ecc`.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the `differentiated-ecc` scheme. The chip's normal mode is the paper's normal-cost
/// write with BCH.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DifferentiatedEccConfig {
    /// Rule m: a page that was read and written is written at low cost if its write hotness exceeds
    /// its read hotness by more.
    pub m: f64,
    /// Rule n: a low-cost page whose read hotness exceeds its write hotness by more is rewritten in
    /// the normal mode.
    pub n: f64,
    /// Programming at low cost, per page kind: one value for all, or `flash.bits_per_cell` values.
    pub low_cost_program_ns: Vec<u64>,
    /// Reading a page that was programmed at low cost, decoding by the stronger code included, per
    /// page kind.
    pub low_cost_read_ns: Vec<u64>,
    /// Mode of a page without known accesses, mostly a moved one.
    pub unclassified: Unclassified,
    /// Time of rewrites.
    pub rewrite: RewriteTime,
    /// How reads and writes are told apart.
    pub separator: SeparatorConfig,
}

impl Default for DifferentiatedEccConfig {
    fn default() -> Self {
        DifferentiatedEccConfig {
            m: -1.0,
            n: 3.0,
            low_cost_program_ns: vec![650_000],
            low_cost_read_ns: vec![145_000],
            unclassified: Unclassified::Normal,
            rewrite: RewriteTime::BehindRead,
            separator: SeparatorConfig::default(),
        }
    }
}

/// The mode of a page without access history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unclassified {
    /// The normal mode: slow to write, quick to read.
    Normal,
    /// The low-cost mode.
    LowCost,
    /// The mode of its last program; the normal one for a host write.
    Keep,
}

/// When a page is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RewriteTime {
    /// Right behind the read that shows the need.
    BehindRead,
    /// In idle time with a place at hand, after another read.
    Idle,
    /// Not at all.
    Never,
}

/// Parameters of the read and write separator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SeparatorConfig {
    /// Bits of each Bloom filter, a power of two up to 65536 (section IV.A). No key.
    #[serde(skip)]
    pub bits: u32,
    /// Accesses between two resets of the oldest pair (section IV.A). No key.
    #[serde(skip)]
    pub decay_accesses: u32,
    /// Unit of an access.
    pub access: AccessUnit,
    /// Age of a pair.
    pub age: Age,
}

impl Default for SeparatorConfig {
    fn default() -> Self {
        SeparatorConfig { bits: 2048, decay_accesses: 512, access: AccessUnit::Page, age: Age::Reset }
    }
}

/// Unit of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessUnit {
    /// Each logical page.
    Page,
    /// Each request of the host, with all its pages.
    Request,
}

/// Age of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Age {
    /// The time since its last reset: the pairs are reset in turn.
    Reset,
    /// The time since its last update, as the paper's text says.
    Update,
}

impl DifferentiatedEccConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, value) in [("effort.m", self.m), ("effort.n", self.n)] {
            if !value.is_finite() {
                return Err(ConfigError::new(
                    key,
                    format!("{value} is impossible"),
                    "give a number; hotness lies between 0 and 5",
                ));
            }
        }
        Ok(())
    }
}
