//! When second writes must end.
//!
//! A block that takes second writes (Reusable SSD, section 3) leaves only part of the spare area
//! to the ECC of its first writes. Once raw errors exceed what that part corrects, the whole spare
//! area must go to the ECC of first writes, and second writes are over. The paper takes this to be
//! after 30% of a block's life.

use serde::Serialize;

use super::config::CellConfig;
use super::ecc::bch_limit;
use super::rber::Cells;
use crate::error::ConfigError;

/// Parity of the first write's BCH code, and parity that the whole spare area holds, as fractions of
/// the data (Reusable SSD, section 3).
const FIRST_WRITE_PARITY: f64 = 0.025;
const SPARE_PARITY: f64 = 0.09;

/// How long a block takes second writes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SecondWrites {
    /// Raw bit error rate that the first write's weaker code stands.
    pub first_write_rber: f64,
    /// Raw bit error rate that a code in the whole spare area stands.
    pub spare_rber: f64,
    /// Cycles after which second writes end.
    pub end_cycles: f64,
    /// Cycles after which the block is worn out.
    pub life_cycles: f64,
    /// `end_cycles` over `life_cycles`; 0 for a block that never lives.
    pub share: f64,
}

/// When second writes end on blocks programmed with `step_v`, whose data must be readable for
/// `retention_hours`.
///
/// # Errors
/// A parameter, step or hours that cannot be; parity that no BCH code has.
pub fn second_write_ends_at_cycles(
    config: &CellConfig,
    step_v: f64,
    retention_hours: f64,
) -> Result<SecondWrites, ConfigError> {
    let (first_write_rber, spare_rber) = (bch_limit(FIRST_WRITE_PARITY)?, bch_limit(SPARE_PARITY)?);
    let cells = Cells::new(config, step_v)?;
    let end_cycles = cells.cycles_until(first_write_rber, retention_hours)?;
    let life_cycles = cells.cycles_until(spare_rber, retention_hours)?;
    let share = if life_cycles > 0.0 { end_cycles / life_cycles } else { 0.0 };
    Ok(SecondWrites { first_write_rber, spare_rber, end_cycles, life_cycles, share })
}
