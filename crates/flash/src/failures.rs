//! Bad blocks: those that leave the factory bad, and programs and erases that fail.
//!
//! A failed operation takes its time and reports the failure; the block should then hold no new
//! data. The fate of the data is the translation layer's concern.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Geometry;
use crate::error::ConfigError;

/// The `[flash.failures]` table. A probability is the same for all blocks at any age: a knob for
/// experiments, not a fit to a chip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
}

impl FailuresConfig {
    /// Checks ranges.
    ///
    /// # Errors
    /// A probability outside `[0, 0.5]`.
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
        Ok(())
    }

    /// Whether operations can fail.
    pub fn operations_fail(&self) -> bool {
        self.program_failure_probability > 0.0 || self.erase_failure_probability > 0.0
    }

    /// How many blocks of each plane are bad from the factory. Blocks of a plane are alike, so
    /// which ones does not matter.
    pub fn factory_bad_blocks(&self, geometry: &Geometry, seed: u64) -> Vec<u32> {
        let planes = geometry.planes() as usize;
        if self.factory_bad_fraction == 0.0 {
            return vec![0; planes];
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ FACTORY);
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
    rng: Xoshiro256PlusPlus,
}

impl Failures {
    /// `None` where no operation can fail.
    pub fn new(config: &FailuresConfig, seed: u64) -> Option<Failures> {
        config.operations_fail().then(|| Failures {
            program_probability: config.program_failure_probability,
            erase_probability: config.erase_failure_probability,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        })
    }

    /// Whether a program fails.
    pub fn program_fails(&mut self) -> bool {
        uniform(&mut self.rng) < self.program_probability
    }

    /// Whether an erase fails.
    pub fn erase_fails(&mut self) -> bool {
        uniform(&mut self.rng) < self.erase_probability
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
    fn failures_come_as_often_as_they_are_likely() {
        let config = FailuresConfig {
            program_failure_probability: 0.01,
            erase_failure_probability: 0.02,
            ..FailuresConfig::default()
        };
        let Some(mut failures) = Failures::new(&config, 1) else { panic!("failures are configured") };
        const DRAWS: u32 = 200_000;
        let programs = (0..DRAWS).filter(|_| failures.program_fails()).count() as f64;
        let erased = (0..DRAWS).filter(|_| failures.erase_fails()).count() as f64;
        // Five standard deviations of a binomial count.
        for (count, probability) in [(programs, 0.01), (erased, 0.02)] {
            let mean = f64::from(DRAWS) * probability;
            assert!((count - mean).abs() < 5.0 * (mean * (1.0 - probability)).sqrt(), "{count} for {mean}");
        }
    }

    #[test]
    fn nothing_fails_unless_it_is_asked_for() {
        assert!(Failures::new(&FailuresConfig::default(), 1).is_none());
        let wrong = FailuresConfig { erase_failure_probability: 0.7, ..FailuresConfig::default() };
        assert!(wrong.check().is_err());
    }
}
