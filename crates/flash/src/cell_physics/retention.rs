//! Retention: the charge that cells lose while data lies in them, more in a worn block.
//!
//! The mean loss is charge * (x - erased) * ln(1 + hours) * K_d * cycles^exponent, and the variance
//! likewise with K_m (Dong, Xie, Zhang, IEEE TCAS-I 58(2), 2011; Pan, Dong, Zhang, FAST '11).

use super::Age;
use super::config::CellConfig;

/// Factor of the mean (K_d).
const MEAN: f64 = 4e-4;
/// Factor of the variance in volts (K_m), and the power of the cycles in it.
const VARIANCE: f64 = 4e-6;
const VARIANCE_EXPONENT: f64 = 0.6;

/// Mean (V) and variance (V^2) of the charge lost by a cell at `x_v`. The erased level, at rest,
/// loses none.
pub(super) fn charge_loss(config: &CellConfig, x_v: f64, age: Age) -> (f64, f64) {
    let r = &config.retention;
    let factor = r.charge * (x_v - config.voltage.erased_mean_v).max(0.0) * libm::log1p(age.retention_hours);
    let mean = factor * MEAN * wear(age.cycles, r.mean_exponent);
    (mean, factor * VARIANCE * wear(age.cycles, VARIANCE_EXPONENT))
}

/// `cycles` to a power; nothing has happened to a block without a cycle, whatever the power.
pub(super) fn wear(cycles: f64, exponent: f64) -> f64 {
    if cycles == 0.0 { 0.0 } else { libm::pow(cycles, exponent) }
}
