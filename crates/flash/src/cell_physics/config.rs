//! Every parameter of the cell model. Defaults are published values; `docs/notebook/physics.md` has
//! the source of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ecc::EccConfig;
use crate::error::ConfigError;

/// A multi-level cell: voltages, wear, retention, interference, and the codes that go with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CellConfig {
    /// Where the levels lie and how finely they are programmed.
    pub voltage: VoltageConfig,
    /// Random telegraph noise, which grows with program/erase cycles.
    pub telegraph: TelegraphConfig,
    /// Loss of charge with time.
    pub retention: RetentionConfig,
    /// What programming neighbours does to a cell.
    pub interference: InterferenceConfig,
    /// Places of the read references.
    pub references: References,
    /// The codes that read the page.
    pub ecc: EccConfig,
}

/// Levels of a cell in volts, on the normalised scale of the literature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VoltageConfig {
    /// Mean of the erased level.
    pub erased_mean_v: f64,
    /// Standard deviation of the erased level.
    pub erased_sigma_v: f64,
    /// Verify voltage of each programmed level, ascending: 1, 3, 7 or 15 of them for 1 to 4 bits a
    /// cell.
    pub verify_v: Vec<f64>,
    /// Program step of the normal mode (delta V_pp): a programmed cell ends uniformly within one
    /// step above its verify voltage.
    pub step_v: f64,
    /// Standard deviation of Gaussian noise on top of the step (a cell's voltage when the pulse was
    /// verified); 0 in the published set.
    pub program_noise_v: f64,
}

impl Default for VoltageConfig {
    fn default() -> Self {
        VoltageConfig {
            erased_mean_v: 1.1,
            erased_sigma_v: 0.35,
            verify_v: vec![2.55, 3.15, 3.75],
            step_v: 0.15,
            program_noise_v: 0.0,
        }
    }
}

/// Random telegraph noise: Laplace with scale `scale_v` N^`exponent` after N cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TelegraphConfig {
    /// Scale after one cycle.
    pub scale_v: f64,
    /// Power of the cycles.
    pub exponent: f64,
}

impl Default for TelegraphConfig {
    fn default() -> Self {
        TelegraphConfig { scale_v: 2.5e-4, exponent: 0.5 }
    }
}

/// Retention: after t hours a level at x has lost a Gaussian amount of mean `charge` (x - x0) K_d
/// N^`mean_exponent` ln(1 + t / 1 h) and variance `charge` (x - x0) K_m N^0.6 ln(1 + t / 1 h), x0
/// the erased mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionConfig {
    /// Factor of the stored charge (K_s).
    pub charge: f64,
    /// Power of the cycles in the mean.
    pub mean_exponent: f64,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        RetentionConfig { charge: 0.38, mean_exponent: 0.5 }
    }
}

/// Cell-to-cell interference: a cell rises by coupling times what each neighbour that is programmed
/// later rises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InterferenceConfig {
    /// Factor on all couplings; grows as cells shrink (s in the literature).
    pub strength: f64,
}

impl Default for InterferenceConfig {
    fn default() -> Self {
        InterferenceConfig { strength: 0.8 }
    }
}

/// Where the references between levels stand when a page is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum References {
    /// The fewest errors for the present wear and retention (a controller that tracks them).
    #[default]
    Tracked,
    /// The fewest errors on a fresh block right after programming.
    Fixed,
}

/// The `[flash.cells]` table: what of the model differs from drive to drive. All else is the
/// published cell; `rewear codes physics` studies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CellsConfig {
    /// Verify voltage of each programmed level, ascending: 1, 3, 7 or 15 of them for 1 to 4 bits a
    /// cell.
    pub verify_v: Vec<f64>,
}

impl Default for CellsConfig {
    fn default() -> Self {
        CellsConfig { verify_v: VoltageConfig::default().verify_v }
    }
}

impl CellsConfig {
    /// The whole model of such cells.
    pub fn model(self) -> CellConfig {
        CellConfig {
            voltage: VoltageConfig { verify_v: self.verify_v, ..VoltageConfig::default() },
            ..CellConfig::default()
        }
    }
}

/// An error of the cell model with the key that a drive's file has: the age of cells is in the table
/// `age`, all else in `flash.cells`, which has no tables.
pub fn in_flash_cells(error: ConfigError, age: &str) -> ConfigError {
    let table = if matches!(error.key.as_str(), "cycles" | "retention_hours") { age } else { "flash.cells" };
    let key = error.key.rsplit('.').next().unwrap_or_default();
    ConfigError { key: format!("{table}.{key}"), ..error }
}

impl CellConfig {
    /// Checks every parameter.
    ///
    /// # Errors
    /// One that cannot be; the message says which and why.
    pub fn check(&self) -> Result<(), ConfigError> {
        let v = &self.voltage;
        within("voltage.erased_mean_v", v.erased_mean_v, -10.0, 10.0)?;
        within("voltage.erased_sigma_v", v.erased_sigma_v, 0.0, 10.0)?;
        within("voltage.program_noise_v", v.program_noise_v, 0.0, 10.0)?;
        check_step("voltage.step_v", v.step_v)?;
        check_verify(v)?;
        within("telegraph.scale_v", self.telegraph.scale_v, 0.0, 1.0)?;
        within("telegraph.exponent", self.telegraph.exponent, 0.0, 2.0)?;
        within("retention.charge", self.retention.charge, 0.0, 10.0)?;
        within("retention.mean_exponent", self.retention.mean_exponent, 0.0, 2.0)?;
        within("interference.strength", self.interference.strength, 0.0, 10.0)
    }

    /// Bits that a cell holds.
    pub fn bits_per_cell(&self) -> u32 {
        (self.voltage.verify_v.len() + 1).ilog2()
    }
}

/// A program step that a cell can be programmed with: above 0 and up to 5 V.
pub(super) fn check_step(key: &str, step_v: f64) -> Result<(), ConfigError> {
    within(key, step_v, 1e-4, 5.0)
}

fn check_verify(voltage: &VoltageConfig) -> Result<(), ConfigError> {
    const KEY: &str = "voltage.verify_v";
    let verify_v = &voltage.verify_v;
    if !matches!(verify_v.len(), 1 | 3 | 7 | 15) {
        let problem = format!("{} verify voltages for no whole number of bits", verify_v.len());
        return Err(ConfigError::new(KEY, problem, "give 1, 3, 7 or 15, one for each programmed level"));
    }
    let mut below = voltage.erased_mean_v;
    for &v in verify_v {
        within(KEY, v, -10.0, 20.0)?;
        if v <= below {
            let problem = format!("{v} V is not above the level below it, {below} V");
            return Err(ConfigError::new(KEY, problem, "give them ascending, above the erased mean"));
        }
        below = v;
    }
    Ok(())
}

pub(super) fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::new(key, format!("{value} is out of range"), format!("give {low} to {high}")))
}
