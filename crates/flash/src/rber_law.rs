//! Raw bit error rates by a published power law: what a chip was measured to do, where no model of
//! its cells is known.
//!
//! RBER(N, t) = floor + wear N^k + retention N^m t^n after N cycles and t days: B. S. Kim, J. Choi,
//! S. L. Min, "Design Tradeoffs for SSD Reliability", FAST '19. Its term of reads is left out, as reads
//! disturb nothing here.
//! `docs/notebook/physics.md` says where the coefficients were read, and how far they agree with the
//! cell model and with rated lives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_physics::lifetime::last_cycle;

const HOURS_PER_DAY: f64 = 24.0;

/// A chip whose raw bit error rate was published as such a law. Another chip is a line here and its
/// coefficients below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasuredRber {
    /// 3D TLC of 72 layers (Kim, Choi, Min, FAST '19).
    #[serde(rename = "tlc-72-layers")]
    Tlc72Layers,
    /// Planar MLC of 20 to 24 nm (the same).
    #[serde(rename = "mlc-2y-nm")]
    Mlc2yNm,
}

impl MeasuredRber {
    /// The coefficients of the chip.
    pub fn law(self) -> RberLaw {
        match self {
            MeasuredRber::Tlc72Layers => {
                RberLaw { floor: 1.48e-3, wear: (3.90e-10, 2.05), retention: (6.28e-5, 0.14, 0.54) }
            }
            MeasuredRber::Mlc2yNm => {
                RberLaw { floor: 8.34e-5, wear: (3.30e-11, 1.71), retention: (5.56e-19, 2.49, 3.33) }
            }
        }
    }
}

/// The coefficients of the law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RberLaw {
    /// Of a fresh page.
    floor: f64,
    /// Factor, and the power of the cycles.
    wear: (f64, f64),
    /// Factor, and the powers of the cycles and of the days.
    retention: (f64, f64, f64),
}

impl RberLaw {
    /// Raw bit error rate of a page after `cycles`, `hours` since it was programmed; at most 0.5.
    pub fn rber(&self, cycles: f64, hours: f64) -> f64 {
        // A power of 0 is 1, also of 0: without time there is no such term.
        let term = |factor: f64, bases: &[(f64, f64)]| match bases.iter().any(|&(base, _)| base <= 0.0) {
            true => 0.0,
            false => bases.iter().fold(factor, |product, &(base, power)| product * libm::pow(base, power)),
        };
        let days = hours / HOURS_PER_DAY;
        let (wear, retention) = (self.wear, self.retention);
        let sum = self.floor
            + term(wear.0, &[(cycles, wear.1)])
            + term(retention.0, &[(cycles, retention.1), (days, retention.2)]);
        sum.min(0.5)
    }

    /// The cycles after which a page kept for `hours` is just within `limit_rber`; see
    /// [`Cells::cycles_until`](crate::cell_physics::Cells::cycles_until).
    pub fn cycles_until(&self, limit_rber: f64, hours: f64) -> f64 {
        last_cycle(|cycles| self.rber(cycles, hours) <= limit_rber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_are_those_of_the_law() {
        let law = MeasuredRber::Tlc72Layers.law();
        assert!((law.rber(0.0, 0.0) - 1.48e-3).abs() < 1e-12);
        // A public implementation prints this for 1,000 cycles.
        assert!((law.rber(1000.0, 0.0) - 2.030_890e-3).abs() < 1e-9);
        let year = law.rber(1000.0, 8760.0) - law.rber(1000.0, 0.0);
        assert!((year - 6.28e-5 * 1000f64.powf(0.14) * 365f64.powf(0.54)).abs() < 1e-12);
    }

    #[test]
    fn a_page_lives_until_its_rate_reaches_the_limit() {
        let law = MeasuredRber::Tlc72Layers.law();
        for hours in [0.0, 24.0 * 90.0, 8760.0] {
            let cycles = law.cycles_until(1e-2, hours);
            assert!(law.rber(cycles, hours) <= 1e-2);
            assert!(law.rber(cycles * 1.001, hours) > 1e-2);
        }
        assert_eq!(law.cycles_until(1e-3, 0.0), 0.0);
    }
}
