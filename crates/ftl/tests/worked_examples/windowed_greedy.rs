//! Victims by `windowed-greedy`: the fewest valid pages among the oldest units.
//!
//! # Idea
//! A unit that was closed lately still loses pages; among the oldest the best is taken.
//!
//! # Paper
//! Hu, Eleftheriou, Haas, Iliadis, Pletka: Write Amplification Analysis in Flash-Based Solid State
//! Drives, SYSTOR 2009.

use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Pool, Unit};
use crate::policies::victim::policy::{DriveFacts, Policy};
use crate::state::units::Units;
use crate::state::units::valid_count_index::Candidate;

/// Parameters of `windowed-greedy`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WindowedGreedyConfig {
    /// Units among which the choice is, at least 1.
    pub window: u32,
}

impl Default for WindowedGreedyConfig {
    fn default() -> Self {
        WindowedGreedyConfig { window: 16 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WindowedGreedy {
    window: usize,
    oldest: Vec<Candidate>,
}

impl Policy for WindowedGreedy {
    type Config = WindowedGreedyConfig;
    const ASKS_FOR_AGE: bool = true; // so that `Candidate::since` is known

    fn check(config: &WindowedGreedyConfig, _: &FlashConfig) -> Result<(), ConfigError> {
        if config.window > 0 {
            return Ok(());
        }
        Err(ConfigError::new("ftl.victim.window", "an empty window", "give at least 1"))
    }

    fn new(config: &WindowedGreedyConfig, _: DriveFacts) -> WindowedGreedy {
        WindowedGreedy { window: config.window as usize, oldest: Vec::new() }
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        self.oldest.clear();
        self.oldest.extend(units.by_valid(pool));
        self.oldest.sort_by_key(|at| at.since());
        self.oldest.truncate(self.window);
        let best = self.oldest.iter().min_by_key(|at| at.valid)?;
        if best.valid < units.slots_per_unit() { Some(best.unit) } else { units.fewest_valid(pool) }
    }
}

/// Four closed units, the older the more valid pages: a window of one takes the oldest that is not
/// wholly valid, a window of four the emptiest.
#[test]
fn the_window_weighs_age_against_valid_pages() {
    use crate::host::HostWrite;
    use crate::policies::victim::VictimConfig;
    use crate::{DriveConfig, Ftl, Lpn};

    let timing = rewear_flash::timing::TimingConfig {
        read_ns: vec![10],
        program_ns: vec![100],
        erase_ns: 1000,
        channel_mb_per_s: 0,
    };
    let flash = FlashConfig { pages_per_block: 8, ..FlashConfig::single_plane(timing) };
    let mut config = DriveConfig::plain("test", flash.clone());
    config.ftl.victim = VictimConfig::CostBenefit {}; // keeps ages
    config.ftl.over_provisioning = 0.5;
    let mut ftl = Ftl::new(&config).unwrap();
    let mut write = |lpn| ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
    (0..24).for_each(|lpn| _ = write(lpn));
    // Of the first unit one page, then of the second three.
    [0, 8, 9, 10].into_iter().for_each(|lpn| _ = write(lpn));
    let units = ftl.hand().units();
    units.settle_queues(Pool(0));
    let of = DriveFacts { seed: 1, erases_victims: true };
    let chosen = |window| {
        let config = WindowedGreedyConfig { window };
        WindowedGreedy::check(&config, &flash).unwrap();
        let unit = WindowedGreedy::new(&config, of).choose(units, Pool(0)).unwrap();
        units.valid(unit)
    };
    // The third unit is the oldest: it changed last when it was closed, and is wholly valid.
    assert_eq!([chosen(1), chosen(2), chosen(3)], [5, 7, 5]);
}
