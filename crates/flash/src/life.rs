//! What a block is rated for, and what else ends its life: the `[flash.life]` table.
//!
//! It is what reports compute lives from. It retires no block: that is `flash.endurance_cycles`, with which a run can be followed to
//! the last block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_physics::{CellConfig, Cells, EccLimits};
use crate::config::FlashConfig;
use crate::error::ConfigError;

/// How long blocks live. Without it, and without `flash.endurance_cycles`, a report names no life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeConfig {
    /// P/E cycles that a block is rated for.
    pub cycles: u32,
    /// Where that figure comes from.
    pub source: String,
    /// Hours after which a page must still be corrected. With it a block's life ends, too, when the raw bit errors of its cells
    /// (`cells`) exceed what `code` corrects at the promised UBER. Absent: only `cycles` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_hours: Option<f64>,
    /// The cells behind `retention_hours`; by default the published MLC cell of docs/manual/physics.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Box<CellConfig>>,
    /// The code that reads pages.
    #[serde(default)]
    pub code: PageCode,
    /// What a program of a page that already holds data costs its cells, as a part of a P/E cycle of that page: 0 (erases alone
    /// wear) to 1 (it wears as much as a cycle). Counted by `flash.endurance_cycles`, too.
    #[serde(default)]
    pub reprogram_wear: f64,
    /// Where that figure comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprogram_source: Option<String>,
}

/// The code of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageCode {
    /// BCH, read hard.
    #[default]
    Bch,
    /// LDPC with as many references as were measured.
    Ldpc,
}

impl LifeConfig {
    /// Checks the table against the flash it stands in.
    ///
    /// # Errors
    /// No cycles, a wear beyond 0 to 1, cells of another number of levels than the flash has.
    pub fn check(&self, flash: &FlashConfig) -> Result<(), ConfigError> {
        if self.cycles == 0 {
            return Err(ConfigError::new("flash.life.cycles", "0 cycles", "give at least 1"));
        }
        if !(0.0..=1.0).contains(&self.reprogram_wear) {
            let problem = format!("{} is no part of a cycle", self.reprogram_wear);
            return Err(ConfigError::new("flash.life.reprogram_wear", problem, "give 0 to 1"));
        }
        self.uncorrectable_cycles(flash).map(|_| ())
    }

    /// Cycles from which on a page is not corrected after `retention_hours`; `None` where that is not asked.
    ///
    /// # Errors
    /// Parameters of cells that cannot be, or of another number of levels than the flash has.
    pub fn uncorrectable_cycles(&self, flash: &FlashConfig) -> Result<Option<f64>, ConfigError> {
        let Some(hours) = self.retention_hours else { return Ok(None) };
        let cells = self.cells.as_deref().cloned().unwrap_or_default();
        let (found, wanted) = (cells.voltage.verify_v.len(), (1usize << flash.bits_per_cell) - 1);
        if found != wanted {
            return Err(ConfigError::new(
                "flash.life.cells.voltage.verify_v",
                format!(
                    "{found} programmed levels, where cells of {} bits (flash.bits_per_cell) have {wanted}",
                    flash.bits_per_cell
                ),
                "give the verify voltage of each level, or leave flash.life.retention_hours out",
            ));
        }
        let cycles = || {
            let limits = EccLimits::new(&cells.ecc)?;
            let rber = match self.code {
                PageCode::Bch => limits.bch.rber,
                PageCode::Ldpc => limits.most_ldpc(),
            };
            Cells::new(&cells, cells.voltage.step_v)?.cycles_until(rber, hours)
        };
        cycles().map(Some).map_err(|error: ConfigError| {
            let key = match error.key.as_str() {
                "retention_hours" => "flash.life.retention_hours".to_owned(),
                key => format!("flash.life.cells.{key}"),
            };
            ConfigError::new(key, error.problem, error.remedy)
        })
    }
}
