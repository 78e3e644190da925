//! How many program/erase cycles a block lasts.

use super::Age;
use super::config::within;
use super::rber::Cells;
use crate::error::ConfigError;

/// Blocks are not followed further; a result of this size means "at least".
pub const MOST_CYCLES: f64 = 1e6;

impl Cells<'_> {
    /// The cycles after which a page kept for `retention_hours` is just below `limit_rber` on its
    /// worst kind: 0 if it is above from the beginning, [`MOST_CYCLES`] if it is still below then.
    ///
    /// # Errors
    /// A limit or hours out of range.
    pub fn cycles_until(&self, limit_rber: f64, retention_hours: f64) -> Result<f64, ConfigError> {
        within("limit_rber", limit_rber, 0.0, 1.0)?;
        // Hours and parameters are checked once; cycles are within bounds.
        self.rber(Age { cycles: 0.0, retention_hours })?;
        let worst = |cycles| self.rber(Age { cycles, retention_hours }).map_or(1.0, |rber| rber.worst);
        Ok(last_cycle(|cycles| worst(cycles) <= limit_rber))
    }
}

/// The cycles up to which something holds that holds no more from some cycle on: 0 if it never
/// does, [`MOST_CYCLES`] if it still does then.
pub(crate) fn last_cycle(holds: impl Fn(f64) -> bool) -> f64 {
    if !holds(0.0) {
        return 0.0;
    }
    if holds(MOST_CYCLES) {
        return MOST_CYCLES;
    }
    let (mut low, mut high) = (0.0, libm::log1p(MOST_CYCLES));
    while high - low > 1e-4 {
        let middle = 0.5 * (low + high);
        if holds(libm::expm1(middle)) { low = middle } else { high = middle }
    }
    libm::expm1(low)
}
