//! Raw bit error rates by a published power law: what a chip was measured to do, where no model of
//! its cells is known.
//!
//! RBER(N, t, r) = floor + wear N^k + retention N^m t^n + reads N^p r^q after N cycles, t days and
//! r reads: B. S. Kim, J. Choi, S. L. Min, "Design Tradeoffs for SSD Reliability", FAST '19.
//! `docs/notebook/physics.md` says where the coefficients were read, and how far they agree with the
//! cell model and with rated lives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_physics::lifetime::last_cycle;
use crate::error::ConfigError;

const HOURS_PER_DAY: f64 = 24.0;

/// The `[flash.life.rber]` table: the coefficients of a fit to a chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RberLaw {
    /// Source of the coefficients.
    pub source: String,
    /// Raw bit error rate of a fresh page.
    pub floor: f64,
    /// What cycles add.
    pub wear: WearTerm,
    /// What the time since programming adds.
    pub retention: RetentionTerm,
    /// What reads of a page add.
    pub reads: ReadsTerm,
}

/// `factor` cycles^`cycles_exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WearTerm {
    /// After one cycle.
    pub factor: f64,
    /// Power of the cycles.
    pub cycles_exponent: f64,
}

/// `factor` cycles^`cycles_exponent` days^`days_exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionTerm {
    /// After one cycle and one day.
    pub factor: f64,
    /// Power of the cycles.
    pub cycles_exponent: f64,
    /// Power of the days.
    pub days_exponent: f64,
}

/// `factor` cycles^`cycles_exponent` reads^`reads_exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadsTerm {
    /// After one cycle and one read.
    pub factor: f64,
    /// Power of the cycles.
    pub cycles_exponent: f64,
    /// Power of the reads.
    pub reads_exponent: f64,
}

impl RberLaw {
    /// 3D TLC of 72 layers.
    pub fn tlc_72_layers() -> RberLaw {
        RberLaw {
            source: "Kim, Choi, Min, FAST '19: 72-layer TLC".into(),
            floor: 1.48e-3,
            wear: WearTerm { factor: 3.90e-10, cycles_exponent: 2.05 },
            retention: RetentionTerm { factor: 6.28e-5, cycles_exponent: 0.14, days_exponent: 0.54 },
            reads: ReadsTerm { factor: 3.73e-9, cycles_exponent: 0.33, reads_exponent: 1.71 },
        }
    }

    /// Planar MLC of 20 to 24 nm.
    pub fn mlc_2y_nm() -> RberLaw {
        RberLaw {
            source: "Kim, Choi, Min, FAST '19: 2y-nm MLC".into(),
            floor: 8.34e-5,
            wear: WearTerm { factor: 3.30e-11, cycles_exponent: 1.71 },
            retention: RetentionTerm { factor: 5.56e-19, cycles_exponent: 2.49, days_exponent: 3.33 },
            reads: ReadsTerm { factor: 6.26e-13, cycles_exponent: 1.76, reads_exponent: 0.47 },
        }
    }

    /// Checks every coefficient. Keys are relative to the table.
    ///
    /// # Errors
    /// A rate outside 0 to 0.5, a factor or an exponent outside 0 to 10.
    pub fn check(&self) -> Result<(), ConfigError> {
        let within = |key: &str, value: f64, most: f64| match (0.0..=most).contains(&value) {
            true => Ok(()),
            false => {
                Err(ConfigError::new(key, format!("{value} is out of range"), format!("give 0 to {most}")))
            }
        };
        within("floor", self.floor, 0.5)?;
        for (key, value) in [
            ("wear.factor", self.wear.factor),
            ("wear.cycles_exponent", self.wear.cycles_exponent),
            ("retention.factor", self.retention.factor),
            ("retention.cycles_exponent", self.retention.cycles_exponent),
            ("retention.days_exponent", self.retention.days_exponent),
            ("reads.factor", self.reads.factor),
            ("reads.cycles_exponent", self.reads.cycles_exponent),
            ("reads.reads_exponent", self.reads.reads_exponent),
        ] {
            within(key, value, 10.0)?;
        }
        Ok(())
    }

    /// Raw bit error rate of a page after `cycles`, `hours` since it was programmed, and so many
    /// `reads`; at most 0.5.
    pub fn rber(&self, cycles: f64, hours: f64, reads: f64) -> f64 {
        // A power of 0 is 1, also of 0: without time or reads there is no such term.
        let term = |factor: f64, bases: &[(f64, f64)]| match bases.iter().any(|&(base, _)| base <= 0.0) {
            true => 0.0,
            false => bases.iter().fold(factor, |product, &(base, power)| product * libm::pow(base, power)),
        };
        let days = hours / HOURS_PER_DAY;
        let sum = self.floor
            + term(self.wear.factor, &[(cycles, self.wear.cycles_exponent)])
            + term(
                self.retention.factor,
                &[(cycles, self.retention.cycles_exponent), (days, self.retention.days_exponent)],
            )
            + term(
                self.reads.factor,
                &[(cycles, self.reads.cycles_exponent), (reads, self.reads.reads_exponent)],
            );
        sum.min(0.5)
    }

    /// The cycles after which a page kept for `hours` and read so often is just within
    /// `limit_rber`; see [`Cells::cycles_until`](crate::cell_physics::Cells::cycles_until).
    pub fn cycles_until(&self, limit_rber: f64, hours: f64, reads: f64) -> f64 {
        last_cycle(|cycles| self.rber(cycles, hours, reads) <= limit_rber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_are_those_of_the_law() {
        let law = RberLaw::tlc_72_layers();
        assert!((law.rber(0.0, 0.0, 0.0) - 1.48e-3).abs() < 1e-12);
        // A public implementation prints this for 1,000 cycles.
        assert!((law.rber(1000.0, 0.0, 0.0) - 2.030_890e-3).abs() < 1e-9);
        let year = law.rber(1000.0, 8760.0, 0.0) - law.rber(1000.0, 0.0, 0.0);
        assert!((year - 6.28e-5 * 1000f64.powf(0.14) * 365f64.powf(0.54)).abs() < 1e-12);
        let read = law.rber(1000.0, 0.0, 100.0) - law.rber(1000.0, 0.0, 0.0);
        assert!((read - 3.73e-9 * 1000f64.powf(0.33) * 100f64.powf(1.71)).abs() < 1e-12);
    }

    #[test]
    fn a_page_lives_until_its_rate_reaches_the_limit() {
        let law = RberLaw::tlc_72_layers();
        for (hours, reads) in [(0.0, 0.0), (8760.0, 0.0), (24.0 * 90.0, 500.0)] {
            let cycles = law.cycles_until(1e-2, hours, reads);
            assert!(law.rber(cycles, hours, reads) <= 1e-2);
            assert!(law.rber(cycles * 1.001, hours, reads) > 1e-2);
        }
        assert_eq!(law.cycles_until(1e-3, 0.0, 0.0), 0.0);
    }

    #[test]
    fn a_coefficient_that_cannot_be_is_named() {
        let mut law = RberLaw::mlc_2y_nm();
        assert!(law.check().is_ok());
        law.retention.days_exponent = -1.0;
        assert!(law.check().is_err_and(|error| error.key == "retention.days_exponent"));
        law.floor = f64::NAN;
        assert!(law.check().is_err_and(|error| error.key == "floor"));
    }
}
