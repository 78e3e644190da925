//! The threshold voltages of the cells of one level, after wear, retention and interference.

use super::Age;
use super::config::CellConfig;
use super::interference::Component;
use super::retention::charge_loss;
use super::telegraph_noise::{self, Noise};

/// The distribution of one level: a mixture of (uniform + normal + Laplace).
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// Weight, lower edge and noise of each component.
    parts: Vec<(f64, f64, Noise)>,
    /// Width of the uniform part: the program step, 0 for the erased level.
    width_v: f64,
}

impl Level {
    /// Level `index` (0: erased) at `age`, programmed with `step_v` among neighbours that raise it
    /// by `rise`.
    pub(super) fn new(config: &CellConfig, index: usize, step_v: f64, age: Age, rise: &[Component]) -> Level {
        let v = &config.voltage;
        let (edge_v, width_v, sigma_v) = match index {
            0 => (v.erased_mean_v, 0.0, v.erased_sigma_v),
            _ => (v.verify_v[index - 1], step_v, v.program_noise_v),
        };
        let (lost_v, lost_variance) = charge_loss(config, edge_v + 0.5 * width_v, age);
        let lambda_v = telegraph_noise::scale_v(config, age.cycles);
        let parts = rise
            .iter()
            .map(|c| {
                let sigma_v = libm::sqrt(sigma_v * sigma_v + lost_variance + c.variance);
                (c.weight, edge_v - lost_v + c.mean_v, Noise { sigma_v, lambda_v })
            })
            .collect();
        Level { parts, width_v }
    }

    /// P(voltage > `v`).
    pub(super) fn above(&self, v: f64) -> f64 {
        self.parts.iter().map(|(weight, edge, noise)| weight * noise.tail_above(self.width_v, v - edge)).sum()
    }

    /// P(voltage < `v`).
    pub(super) fn below(&self, v: f64) -> f64 {
        self.parts.iter().map(|(weight, edge, noise)| weight * noise.tail_below(self.width_v, v - edge)).sum()
    }

    /// Mean voltage.
    pub(super) fn mean_v(&self) -> f64 {
        self.parts.iter().map(|(weight, edge, _)| weight * (edge + 0.5 * self.width_v)).sum()
    }
}
