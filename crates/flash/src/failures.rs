//! Bad blocks: those that leave the factory bad, and programs and erases that fail.
//!
//! A failed operation takes its time and reports the failure; the block should then hold no new
//! data. What becomes of the data is the translation layer's concern.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Geometry;
use crate::error::ConfigError;

/// The `[flash.failures]` table. Both failure probabilities grow in proportion to a block's erases
/// n where `doubling_cycles` is given: p (1 + n / `doubling_cycles`). The law is a knob for
/// experiments, not a fit to a chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FailuresConfig {
    /// Probability of a block to be bad from the factory, 0 to 0.5. Data sheets promise about 0.02
    /// or less.
    pub factory_bad_fraction: f64,
    /// Probability of a page program to fail, 0 to 0.5. The block is retired after its valid pages
    /// were moved.
    pub program_failure_probability: f64,
    /// Probability of a block erase to fail, 0 to 0.5. The block is retired.
    pub erase_failure_probability: f64,
    /// Erases of a block after which its failure probabilities have doubled. Absent: they do not
    /// grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubling_cycles: Option<u32>,
    /// Seed of the bad blocks and of the failures.
    pub seed: u64,
}

impl Default for FailuresConfig {
    fn default() -> Self {
        FailuresConfig {
            factory_bad_fraction: 0.0,
            program_failure_probability: 0.0,
            erase_failure_probability: 0.0,
            doubling_cycles: None,
            seed: 1,
        }
    }
}

impl FailuresConfig {
    /// Checks ranges.
    ///
    /// # Errors
    /// A probability outside `[0, 0.5]`; doubling after 0 erases.
    pub fn check(&self) -> Result<(), ConfigError> {
        for (key, probability) in [
            ("flash.failures.factory_bad_fraction", self.factory_bad_fraction),
            ("flash.failures.program_failure_probability", self.program_failure_probability),
            ("flash.failures.erase_failure_probability", self.erase_failure_probability),
        ] {
            if !(0.0..=0.5).contains(&probability) {
                return Err(ConfigError::new(
                    key,
                    format!("{probability} is out of range"),
                    "give a probability from 0 to 0.5",
                ));
            }
        }
        if self.doubling_cycles == Some(0) {
            return Err(ConfigError::new(
                "flash.failures.doubling_cycles",
                "0 erases",
                "give at least 1, or leave it out",
            ));
        }
        Ok(())
    }

    /// Whether operations can fail.
    pub fn operations_fail(&self) -> bool {
        self.program_failure_probability > 0.0 || self.erase_failure_probability > 0.0
    }

    /// How many blocks of each plane are bad from the factory. Blocks of a plane are alike, so
    /// which ones does not matter.
    pub fn factory_bad_blocks(&self, geometry: &Geometry) -> Vec<u32> {
        let planes = geometry.planes() as usize;
        if self.factory_bad_fraction == 0.0 {
            return vec![0; planes];
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ FACTORY);
        let mut bad = || u32::from(uniform(&mut rng) < self.factory_bad_fraction);
        (0..planes).map(|_| (0..geometry.blocks_per_plane).map(|_| bad()).sum()).collect()
    }
}

/// Sets the seed of the factory apart from that of the operations.
const FACTORY: u64 = 0x6661_6374_6f72_7921;

/// Decides which operations fail.
#[derive(Debug, Clone)]
pub struct Failures {
    program_probability: f64,
    erase_probability: f64,
    /// Added to 1 for every erase of the block.
    growth: f64,
    rng: Xoshiro256PlusPlus,
}

impl Failures {
    /// `None` where no operation can fail.
    pub fn new(config: &FailuresConfig) -> Option<Failures> {
        config.operations_fail().then(|| Failures {
            program_probability: config.program_failure_probability,
            erase_probability: config.erase_failure_probability,
            growth: config.doubling_cycles.map_or(0.0, |cycles| 1.0 / f64::from(cycles)),
            rng: Xoshiro256PlusPlus::seed_from_u64(config.seed),
        })
    }

    /// Whether a program fails on a block that was erased so often.
    pub fn program_fails(&mut self, block_erases: u32) -> bool {
        self.happens(self.program_probability, block_erases)
    }

    /// Whether an erase fails of a block that was erased so often.
    pub fn erase_fails(&mut self, block_erases: u32) -> bool {
        self.happens(self.erase_probability, block_erases)
    }

    fn happens(&mut self, probability: f64, block_erases: u32) -> bool {
        uniform(&mut self.rng) < probability * (1.0 + f64::from(block_erases) * self.growth)
    }
}

/// Uniform in `[0, 1)` from the upper 53 bits.
fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_as_often_as_the_law_says() {
        let config = FailuresConfig {
            program_failure_probability: 0.01,
            erase_failure_probability: 0.02,
            doubling_cycles: Some(100),
            ..FailuresConfig::default()
        };
        let Some(mut failures) = Failures::new(&config) else { panic!("failures are configured") };
        const DRAWS: u32 = 200_000;
        for (erases, factor) in [(0, 1.0), (100, 2.0), (300, 4.0)] {
            let programs = (0..DRAWS).filter(|_| failures.program_fails(erases)).count() as f64;
            let erased = (0..DRAWS).filter(|_| failures.erase_fails(erases)).count() as f64;
            // Five standard deviations of a binomial count.
            for (count, probability) in [(programs, 0.01 * factor), (erased, 0.02 * factor)] {
                let mean = f64::from(DRAWS) * probability;
                assert!(
                    (count - mean).abs() < 5.0 * (mean * (1.0 - probability)).sqrt(),
                    "{count} for {mean}"
                );
            }
        }
    }

    #[test]
    fn nothing_fails_unless_it_is_asked_for() {
        assert!(Failures::new(&FailuresConfig::default()).is_none());
        let wrong = FailuresConfig { erase_failure_probability: 0.7, ..FailuresConfig::default() };
        assert!(wrong.check().is_err());
    }
}
