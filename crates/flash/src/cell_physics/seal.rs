//! Bit errors of low pages that are programmed several times between two erases.
//!
//! This is the extended P/E cycle of Margaglia and Brinkmann, MSST '15, sections III and V-A. A low
//! page of an MLC block is programmed again and again with data that only clears bits, half of the
//! remaining ones each time. Then the block is sealed, and its high pages are programmed once with
//! random data. Two things differ from a plain cycle. After the last program nearly all low bits
//! are cleared, so most cells end on the two upper levels: they and their neighbours rise further.
//! And the oxide has carried more charge, or more pulses. Which of these ages a cell is not
//! settled; the paper concludes that erases do. So each view is computed.

use serde::Serialize;

use super::Age;
use super::config::{CellConfig, within};
use super::rber::Cells;
use crate::error::ConfigError;

/// Raw bit error rates of a low page after cycles, by the cause of ageing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LowPage {
    /// After plain cycles: every page programmed once, with random data.
    pub plain: f64,
    /// After extended cycles that age the cells as much as plain ones: erases age them.
    pub aged_by_erases: f64,
    /// After extended cycles that age the cells by the charge which they move.
    pub aged_by_charge: f64,
    /// After extended cycles that age the cells by every program.
    pub aged_by_programs: f64,
    /// Mean rise of a cell in an extended cycle over that in a plain one.
    pub charge_ratio: f64,
}

/// Low pages of cells of two bits, programmed `programs` times in each of `age.cycles` extended
/// cycles.
///
/// # Errors
/// Cells of another number of bits; a parameter, step, age or number of programs that cannot be.
pub fn extended_cycles(
    config: &CellConfig,
    step_v: f64,
    programs: u32,
    age: Age,
) -> Result<LowPage, ConfigError> {
    if config.bits_per_cell() != 2 {
        let problem = format!("{} verify voltages", config.voltage.verify_v.len());
        return Err(ConfigError::new(
            "voltage.verify_v",
            problem,
            "give 3: extended cycles are those of MLC",
        ));
    }
    within("programs", f64::from(programs), 1.0, 255.0)?;
    let plain = Cells::new(config, step_v)?;
    // Each program clears half of the low bits that are left; high pages hold random data.
    let left = 0.5 * libm::pow(0.5, f64::from(programs));
    let shares = [left, left, 0.5 - left, 0.5 - left];
    let extended = Cells::with_shares(config, step_v, shares.to_vec())?;
    let charge_ratio = mean_rise(config, step_v, &shares) / mean_rise(config, step_v, &[0.25; 4]);
    // Programs of the two pages of a word line, over those of a plain cycle.
    let program_ratio = f64::from(programs + 1) / 2.0;
    let low = |cells: &Cells<'_>, ratio: f64| -> Result<f64, ConfigError> {
        let rber = cells.rber(Age { cycles: age.cycles * ratio, ..age })?;
        // The bit that is read with a single reference.
        Ok(rber.pages[1])
    };
    Ok(LowPage {
        plain: low(&plain, 1.0)?,
        aged_by_erases: low(&extended, 1.0)?,
        aged_by_charge: low(&extended, charge_ratio)?,
        aged_by_programs: low(&extended, program_ratio)?,
        charge_ratio,
    })
}

/// Mean rise of a cell from the erased level, in volts.
fn mean_rise(config: &CellConfig, step_v: f64, shares: &[f64; 4]) -> f64 {
    let v = &config.voltage;
    let rises = v.verify_v.iter().map(|verify_v| verify_v + 0.5 * step_v - v.erased_mean_v);
    rises.zip(&shares[1..]).map(|(rise, share)| rise * share).sum()
}
