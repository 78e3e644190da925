//! The part of its life in which a block takes second writes. Their cells take room in the spare
//! area, so the error-correcting code of the first writes is shorter. A worn block needs the longer
//! one (section 3.3).

use rewear_flash::cell_physics::{CellConfig, second_write_ends_at_cycles};
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::SecondWriteConfig;

/// What ends a block's second writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// A share of its life, `life_fraction`: the paper's rule.
    #[default]
    ShareOfLife,
    /// The raw bit errors of its cells, from the model of `cells` after `retention_hours`. It is
    /// the share of their life in which the short code reads them, of `flash.endurance_cycles`.
    /// Without a rated life it is the model's own cycles.
    Derived,
}

/// Erases after which a block takes no second writes.
///
/// # Errors
/// Under `derived` a cell that cannot be, or one of another number of levels than the flash has.
pub(super) fn erase_limit(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<u32, ConfigError> {
    let share = match config.until {
        Until::ShareOfLife => config.life_fraction,
        Until::Derived => {
            let cells = config.cells.as_deref().cloned().unwrap_or_default();
            check_levels(&cells, flash)?;
            let ends = second_write_ends_at_cycles(&cells, cells.voltage.step_v, config.retention_hours)
                .map_err(|error| {
                    let key = match error.key.as_str() {
                        "retention_hours" => "reuse.retention_hours".to_owned(),
                        key => format!("reuse.cells.{key}"),
                    };
                    ConfigError::new(key, error.problem, error.remedy)
                })?;
            if flash.endurance_cycles.is_none() {
                return Ok(ends.end_cycles.round() as u32);
            }
            ends.share
        }
    };
    Ok(flash.endurance_cycles.map_or(u32::MAX, |cycles| (f64::from(cycles) * share).round() as u32))
}

fn check_levels(cells: &CellConfig, flash: &FlashConfig) -> Result<(), ConfigError> {
    let (found, wanted) = (cells.voltage.verify_v.len(), (1usize << flash.bits_per_cell) - 1);
    if found == wanted {
        return Ok(());
    }
    Err(ConfigError::new(
        "reuse.cells.voltage.verify_v",
        format!(
            "{found} programmed levels, where cells of {} bits (flash.bits_per_cell) have {wanted}",
            flash.bits_per_cell
        ),
        "give the verify voltage of each programmed level, or reuse.until = \"share-of-life\"",
    ))
}
