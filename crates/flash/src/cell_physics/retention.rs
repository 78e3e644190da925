//! Retention: the charge that cells lose while data lies in them, more in a worn block.
//!
//! The mean loss is charge * (x - erased) * ln(1 + hours / unit) * mean * cycles^exponent, and the
//! variance likewise (Dong, Xie, Zhang, IEEE TCAS-I 58(2), 2011; Pan, Dong, Zhang, FAST '11).

use super::age::Age;
use super::config::CellConfig;

/// Mean (V) and variance (V^2) of the charge lost by a cell at `x_v`. The erased level, at rest,
/// loses none.
pub(super) fn charge_loss(config: &CellConfig, x_v: f64, age: Age) -> (f64, f64) {
    let r = &config.retention;
    let factor = r.charge
        * (x_v - config.voltage.erased_mean_v).max(0.0)
        * libm::log1p(age.retention_hours / r.unit_hours);
    let mean = factor * r.mean * wear(age.cycles, r.mean_exponent);
    (mean, factor * r.variance * wear(age.cycles, r.variance_exponent))
}

/// `cycles` to a power; nothing has happened to a block without a cycle, whatever the power.
pub(super) fn wear(cycles: f64, exponent: f64) -> f64 {
    if cycles == 0.0 { 0.0 } else { libm::pow(cycles, exponent) }
}
