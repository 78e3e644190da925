//! The part of its life in which a block takes second writes. Their cells take room in the spare
//! area, so the error-correcting code of the first writes is shorter. A worn block needs the longer
//! one (section 3.3).

use rewear_flash::cell_physics::{in_flash_cells, second_write_ends_at_cycles};
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::SecondWriteConfig;

/// End of a block's second writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// A share of its life, `life_fraction`: the paper's rule.
    #[default]
    ShareOfLife,
    /// The raw bit errors of its cells by `flash.cells` after `retention_hours`: the share of their
    /// life in which the short code reads them, of `flash.endurance_cycles` or else the model's own
    /// cycles.
    Derived,
}

/// Erases after which a block takes no second writes.
///
/// # Errors
/// Under `derived` a cell that cannot be, or one of another number of levels than the flash has.
pub(super) fn erase_limit(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<u32, ConfigError> {
    let share = match config.until {
        // None of a life that nothing states is none.
        Until::ShareOfLife if config.life_fraction == 0.0 => return Ok(0),
        Until::ShareOfLife => config.life_fraction,
        Until::Derived => {
            let cells = flash.cell_model("or set reuse.until = \"share-of-life\"")?;
            let ends = second_write_ends_at_cycles(&cells, cells.voltage.step_v, config.retention_hours)
                .map_err(|error| in_flash_cells(error, "reuse"))?;
            if flash.endurance_cycles.is_none() {
                return Ok(ends.end_cycles.round() as u32);
            }
            ends.share
        }
    };
    Ok(flash.endurance_cycles.map_or(u32::MAX, |cycles| (f64::from(cycles) * share).round() as u32))
}
