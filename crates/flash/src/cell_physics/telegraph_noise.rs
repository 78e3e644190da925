//! Random telegraph noise: its scale, and tails of Gaussian + Laplace + uniform noise in closed
//! form.
//!
//! Traps that wear leaves in a cell capture and release charge, so its voltage scatters by a
//! Laplace distribution whose scale grows with the cycles (Dong, Xie, Zhang, IEEE TCAS-I, 2011).
//!
//! X = G + L with G normal (sigma) and L Laplace (lambda) is W. J. Reed's normal-Laplace
//! distribution. With y = z / sigma, a = sigma / lambda, and g(y) = exp(a^2/2 - a y) Q(a - y):
//!
//! P(X > z) = Q(y) + (g(y) - g(-y)) / 2,
//! E[(X - z)+] = sigma (phi(y) - y Q(y)) + lambda (g(y) + g(-y)) / 2,
//!
//! and a uniform part of width w between turns P(X > z) into a difference of the second line over
//! w. Every term that matters in a tail is positive, so that tails keep their digits down to the
//! smallest numbers.

use super::config::CellConfig;
use super::retention::wear;

/// Scale of the Laplace distribution in volts after `cycles`.
pub(super) fn scale_v(config: &CellConfig, cycles: f64) -> f64 {
    config.telegraph.scale_v * wear(cycles, config.telegraph.exponent)
}

/// Symmetric noise: a normal and a Laplace part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// Standard deviation of the normal part in volts; may be 0.
    pub sigma_v: f64,
    /// Scale of the Laplace part in volts; may be 0.
    pub lambda_v: f64,
}

impl Noise {
    /// P(X > z).
    pub(super) fn tail(self, z: f64) -> f64 {
        let Noise { sigma_v: s, lambda_v: l } = self;
        if s == 0.0 {
            if l == 0.0 {
                return if z > 0.0 {
                    0.0
                } else if z < 0.0 {
                    1.0
                } else {
                    0.5
                };
            }
            return if z >= 0.0 { 0.5 * libm::exp(-z / l) } else { 1.0 - 0.5 * libm::exp(z / l) };
        }
        let y = z / s;
        let laplace = if l == 0.0 { 0.0 } else { 0.5 * (tilted(s / l, y) - tilted(s / l, -y)) };
        (upper(y) + laplace).clamp(0.0, 1.0)
    }

    /// E[(X - z)+], the integral of the tail from z up.
    fn excess(self, z: f64) -> f64 {
        let Noise { sigma_v: s, lambda_v: l } = self;
        if s == 0.0 {
            let laplace = if l == 0.0 { 0.0 } else { 0.5 * l * libm::exp(-z.abs() / l) };
            return (-z).max(0.0) + laplace;
        }
        let y = z / s;
        // Both sides of the mean by the positive one: E[(X - z)+] - E[(z - X)+] = -z.
        let far = y.abs();
        let gauss = s * (density(far) - far * upper(far)).max(0.0);
        let laplace = if l == 0.0 { 0.0 } else { 0.5 * l * (tilted(s / l, y) + tilted(s / l, -y)) };
        gauss + (-z).max(0.0) + laplace
    }

    /// P(U + X > z) with U uniform in 0..`width_v`.
    pub(super) fn tail_above(self, width_v: f64, z: f64) -> f64 {
        if width_v == 0.0 {
            return self.tail(z);
        }
        ((self.excess(z - width_v) - self.excess(z)) / width_v).clamp(0.0, 1.0)
    }

    /// P(U + X < z) with U uniform in 0..`width_v`; by symmetry of X.
    pub(super) fn tail_below(self, width_v: f64, z: f64) -> f64 {
        self.tail_above(width_v, width_v - z)
    }
}

/// The standard normal density.
fn density(y: f64) -> f64 {
    const INVERSE_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    INVERSE_SQRT_TAU * libm::exp(-0.5 * y * y)
}

/// Q(y) = P(N(0, 1) > y).
pub(super) fn upper(y: f64) -> f64 {
    0.5 * libm::erfc(y * std::f64::consts::FRAC_1_SQRT_2)
}

/// Mills' ratio Q(y) / phi(y), for y >= 0.
fn mills(y: f64) -> f64 {
    if y < 24.0 {
        return upper(y) / density(y);
    }
    // The asymptotic series; the first term left out is below 1e-14 here.
    let r = 1.0 / (y * y);
    let series = [10_395.0, -945.0, 105.0, -15.0, 3.0, -1.0].iter().fold(-135_135.0, |sum, c| sum * r + c);
    (1.0 + r * series) / y
}

/// exp(a^2/2 - a y) Q(a - y), without overflow.
fn tilted(a: f64, y: f64) -> f64 {
    let exponent = a * (0.5 * a - y);
    if a - y < 24.0 && exponent < 600.0 {
        libm::exp(exponent) * upper(a - y)
    } else {
        density(y) * mills(a - y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same tails by the midpoint rule over the Laplace and the uniform part.
    fn by_quadrature(noise: Noise, width_v: f64, z: f64) -> f64 {
        let (steps, reach) = (60_000, 40.0);
        let h = 2.0 * reach / f64::from(steps);
        let laplace: f64 = (0..steps)
            .map(|i| -reach + h * (f64::from(i) + 0.5))
            .map(|x| {
                let above = |u: f64| upper((z - u - noise.lambda_v * x) / noise.sigma_v);
                let uniform =
                    (0..64).map(|j| above(width_v * (f64::from(j) + 0.5) / 64.0)).sum::<f64>() / 64.0;
                0.5 * libm::exp(-x.abs()) * h * uniform
            })
            .sum();
        laplace
    }

    #[test]
    fn tails_match_quadrature() {
        for (sigma_v, lambda_v, width_v) in
            [(0.03, 0.02, 0.15), (0.1, 0.004, 0.3), (0.35, 0.03, 0.0), (0.02, 0.05, 0.1)]
        {
            let noise = Noise { sigma_v, lambda_v };
            for z in [-0.2, 0.0, 0.1, 0.2, 0.3, 0.45] {
                let (exact, sum) = (noise.tail_above(width_v, z), by_quadrature(noise, width_v, z));
                assert!((exact / sum - 1.0).abs() < 2e-3, "{noise:?} {width_v} {z}: {exact:e} {sum:e}");
            }
        }
    }

    #[test]
    fn far_tails_stay_positive_and_fall() {
        for noise in [Noise { sigma_v: 0.03, lambda_v: 1e-5 }, Noise { sigma_v: 0.01, lambda_v: 0.004 }] {
            let mut before = 1.0;
            for i in 0..60 {
                let tail = noise.tail_above(0.15, 0.02 * f64::from(i));
                assert!(tail <= before && tail >= 0.0, "{noise:?} {i}: {tail:e} after {before:e}");
                before = tail;
            }
        }
        // Far out a Laplace part of 4 mV falls by e in 4 mV.
        let noise = Noise { sigma_v: 0.01, lambda_v: 0.004 };
        let ratio = noise.tail_above(0.15, 0.5) / noise.tail_above(0.15, 0.504);
        assert!((ratio / std::f64::consts::E - 1.0).abs() < 1e-9, "{ratio}");
    }
}
