//! How many program/erase cycles a block lasts.

use super::config::within;
use super::level::Age;
use super::rber::Cells;
use crate::error::ConfigError;

/// Blocks are not followed further; a result of this size means "at least".
pub const MOST_CYCLES: f64 = 1e6;

impl Cells<'_> {
    /// The cycles after which a page kept for `retention_hours` is just below `limit_rber` on its worst kind: 0 if it is above
    /// from the beginning, [`MOST_CYCLES`] if it is below so long.
    ///
    /// # Errors
    /// A limit or hours out of range.
    pub fn cycles_until(&self, limit_rber: f64, retention_hours: f64) -> Result<f64, ConfigError> {
        within("limit_rber", limit_rber, 0.0, 1.0)?;
        let passes = |cycles: f64| Ok(self.rber(Age { cycles, retention_hours })?.worst <= limit_rber);
        if !passes(0.0)? {
            return Ok(0.0);
        }
        if passes(MOST_CYCLES)? {
            return Ok(MOST_CYCLES);
        }
        let (mut low, mut high) = (0.0, libm::log1p(MOST_CYCLES));
        while high - low > 1e-4 {
            let middle = 0.5 * (low + high);
            if passes(libm::expm1(middle))? { low = middle } else { high = middle }
        }
        Ok(libm::expm1(low))
    }
}
