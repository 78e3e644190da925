//! Estimates with 95% confidence intervals.

/// Two-sided 95% point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A share of successes with the 95% score interval of E. B. Wilson (J. Am. Stat. Assoc. 22, 1927),
/// which stays inside 0 to 1 and is sound at the ends.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Proportion {
    /// Successes.
    pub successes: u64,
    /// Trials.
    pub trials: u64,
    /// Successes / trials; 0 without trials.
    pub rate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Proportion {
    /// The estimate from `successes` in `trials`. Without trials the interval is 0 to 1.
    pub fn new(successes: u64, trials: u64) -> Proportion {
        if trials == 0 {
            return Proportion { successes, trials, rate: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, rate) = (trials as f64, successes as f64 / trials as f64);
        let scale = 1.0 + Z * Z / n;
        let centre = (rate + Z * Z / (2.0 * n)) / scale;
        let half = Z / scale * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        Proportion { successes, trials, rate, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
    }

    /// Whether `rate` lies in the interval.
    pub fn contains(&self, rate: f64) -> bool {
        (self.low..=self.high).contains(&rate)
    }
}

/// A mean with its 95% interval by the normal approximation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Mean {
    /// Samples.
    pub samples: u64,
    /// Their mean; 0 without samples.
    pub mean: f64,
    /// Half the width of the interval; 0 with fewer than two samples.
    pub half_width: f64,
}

impl Mean {
    /// The estimate from `samples`.
    pub fn new(samples: &[f64]) -> Mean {
        let n = samples.len() as f64;
        if samples.is_empty() {
            return Mean { samples: 0, mean: 0.0, half_width: 0.0 };
        }
        let mean = samples.iter().sum::<f64>() / n;
        let squares: f64 = samples.iter().map(|x| (x - mean).powi(2)).sum();
        let half_width = if samples.len() < 2 { 0.0 } else { Z * (squares / (n - 1.0) / n).sqrt() };
        Mean { samples: samples.len() as u64, mean, half_width }
    }
}
