//! Parameters of the `second-write` scheme.

use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hot_cold_separation::SeparationConfig;

/// Attempts in all where there are retries: the paper's one retry (section 5.6). With it all but one
/// in 400 writes succeed.
const ATTEMPTS: u8 = 2;
/// Passes over a block between two erases.
pub(super) const PASSES: u16 = 2;

/// Parameters of the `second-write` scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecondWriteConfig {
    /// Decision whether an encoding succeeds.
    pub fidelity: Fidelity,
    /// Raw bits of a second write in percent of its data: 200 for the two pages, the rest in their
    /// spare areas, at most 250. More makes the code succeed more often.
    pub storage_percent: f64,
    /// Probability that an attempt to encode succeeds, 0 to 1, with fidelity `table`. Absent: that
    /// of the code at `storage_percent`, worked out when the drive is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_probability: Option<f64>,
    /// Action after a failed attempt.
    pub retry: Retry,
    /// Writes that may fail on a pair of pages before the offset counter passes it, at least 1.
    /// With retries on other pages it is 1.
    pub pair_failures: u32,
    /// When the old content of the next pair is read.
    pub prefetch: PrefetchChoice,
    /// A second write takes a page on each of two planes, programmed and read together. Otherwise
    /// it takes two consecutive pages of one block.
    pub parallel: bool,
    /// Hot writes, which become second writes.
    pub separation: SeparationConfig,
    /// The plane of a pair that takes a first write. Absent: `striped` where `ftl.striping` is
    /// `static-die`, which asks for clean pages itself, or a die has an odd number of planes, and
    /// otherwise `most-clean`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane_choice: Option<PlaneChoice>,
    /// Which victims are recycled.
    pub recycling: Recycling,
    /// What ends second writes that cost more than they save.
    pub guard: GuardChoice,
    /// Part of a block's life (`flash.endurance_cycles`) in which it is recycled, 0 to 1.
    pub life_fraction: f64,
}

impl Default for SecondWriteConfig {
    fn default() -> Self {
        SecondWriteConfig {
            fidelity: Fidelity::Table,
            storage_percent: 211.6,
            success_probability: None,
            retry: Retry::SamePages,
            pair_failures: 4,
            prefetch: PrefetchChoice::Idle,
            parallel: true,
            separation: SeparationConfig::default(),
            plane_choice: None,
            recycling: Recycling::ForHotWrites,
            guard: GuardChoice::GhostList,
            life_fraction: 0.3,
        }
    }
}

/// Decision whether an encoding succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// One probability for every attempt.
    Table,
    /// The code's exact chances on randomly written pages, drawn for each second write.
    Mask,
    /// The real code on the real cells; needs `flash.medium = "stored"`.
    Full,
}

/// When the old content of the next pair is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrefetchChoice {
    /// When the next second write comes.
    Off,
    /// As soon as the chip has nothing else to do.
    Idle,
    /// As soon as the second write before it is done, whatever comes behind (section 5.3).
    AtOnce,
}

/// Which victims are recycled instead of erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recycling {
    /// Section 5.4: every victim, unless it is reused, fewer than two blocks of the plane are clean,
    /// or 2R of them are recycled or reused. Recycled blocks count as clean ones towards
    /// `ftl.gc_threshold`, so first writes may take clean blocks that the plain drive keeps.
    BeforeErasing,
    /// Those that hot writes ask for where they find no pair. Clean blocks alone count towards
    /// `ftl.gc_threshold`, and cleaning for room erases.
    ForHotWrites,
}

/// What ends second writes that cost more than they save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuardChoice {
    /// Nothing: the paper's drive.
    #[serde(rename = "none")]
    Nothing,
    /// A ghost list of moved pages: second writes pause while the pages that they hold cost more
    /// moves than they save writes. The first pause lasts as many page writes as the drive has
    /// pages, each one twice as long as the one before.
    GhostList,
}

/// What follows a failed attempt to encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retry {
    /// A first write.
    #[serde(rename = "none")]
    Nothing,
    /// Another attempt on the same pages, with their cells in another order.
    SamePages,
    /// An attempt on the next pair of pages, which must be read first.
    OtherPages,
}

/// The plane of a pair that takes a first write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneChoice {
    /// As `ftl.striping` says.
    Striped,
    /// The plane with more clean pages, among equals the one that has had no erase for longer.
    MostClean,
    /// The plane with fewer clean pages: section 5.1 to the letter.
    FewestClean,
    /// The plane with fewer valid pages (section 4).
    FewestValid,
    /// The plane of the old copy.
    OldCopy,
}

impl SecondWriteConfig {
    /// Checks ranges, and what the scheme asks of the flash.
    ///
    /// # Errors
    /// The first parameter out of range, with the range; a chip without a second plane; real cells
    /// where none are kept.
    pub(super) fn check(&self, flash: &FlashConfig) -> Result<(), ConfigError> {
        let wrong = |key: &str, problem: String, remedy: &str| {
            Err(ConfigError::new(format!("reuse.{key}"), problem, remedy))
        };
        let share = |key: &str, value: f64| match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => wrong(key, format!("{value} is out of range"), "give 0 to 1"),
        };
        share("success_probability", self.success_probability.unwrap_or(1.0))?;
        share("life_fraction", self.life_fraction)?;
        if !(200.0..=250.0).contains(&self.storage_percent) {
            return wrong(
                "storage_percent",
                format!("{} is out of range", self.storage_percent),
                "give 200 to 250",
            );
        }
        if self.pair_failures == 0 {
            return wrong("pair_failures", "0 failures".into(), "give at least 1");
        }
        if self.fidelity == Fidelity::Full && !flash.stores_cells() {
            return wrong(
                "fidelity",
                "full needs real cells, and flash.medium is modelled".into(),
                "set flash.medium = \"stored\", or choose fidelity mask or table",
            );
        }
        let chooses = self.plane_choice.is_some_and(|choice| choice != PlaneChoice::Striped);
        let takes_pairs = self.parallel || chooses;
        if takes_pairs && !flash.planes_per_die.is_multiple_of(2) {
            return Err(ConfigError::new(
                "flash.planes_per_die",
                format!("the planes of a die are taken in pairs, and there are {}", flash.planes_per_die),
                "give an even number, or reuse.parallel = false without reuse.plane_choice",
            ));
        }
        Ok(())
    }

    /// Raw bytes that a second write keeps in each page's spare area.
    pub(super) fn raw_bytes(&self, page_bytes: u32) -> usize {
        (f64::from(page_bytes) * (self.storage_percent - 200.0) / 200.0).round() as usize
    }

    /// Attempts that one second write is given.
    pub(super) fn tries(&self) -> u8 {
        if self.retry == Retry::Nothing { 1 } else { ATTEMPTS }
    }
}
