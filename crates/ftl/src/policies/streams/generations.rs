//! Streams `generations`: pages lie beside those that survived as many cleanings.
//!
//! # Idea
//! What survives a cleaning is likely to survive the next. So a page that is moved goes to a region
//! of its own, and from there to the next, up to the last. The host writes to the first. Nothing is
//! remembered of pages: the unit that a page is moved out of tells its region.
//!
//! # Paper
//! Kang, Choi, Oh, Lee: 2R: Efficiently Isolating Cold Pages in Flash Storages, PVLDB 13(11), 2020:
//! two regions. Oh, Kim, Han, Kim, Lee, Noh: MiDAS: Minimizing Write Amplification in
//! Log-Structured Systems through Adaptive Group Number and Size Configuration, FAST 2024: a chain
//! of groups.
//!
//! # Parameters
//! `generations`: regions. 2 is 2R.
//!
//! # Cost
//! An open erase unit a pool for each generation. A byte a unit names its generation.
//!
//! Controller RAM: `units`.
//!
//! # Deviations
//! The victim policy chooses among the units of all regions: 2R-Greedy is `greedy`. 2R-FIFO takes
//! victims in the order of their age and spares full ones, and empties several into each other.
//! MiDAS gives each group a size by a model of update intervals, and hot pages a group of their
//! own; here the number of groups is fixed and their sizes follow from the victims.
//!
//! # Sections
//! 2R, section 3: normal and cold region. MiDAS, section 3: the chain of groups:
//! [`Generations::stream_of_move`].

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::StreamFigures;
use super::policy::{MovedWith, Policy, StreamShape};
use crate::address::Lpn;
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

const MOST: u8 = 16;

/// Parameters of `generations`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationsConfig {
    /// Regions, 2 to 16: host writes go to the first, pages moved out of one to the next, and those
    /// of the last stay in it.
    pub generations: u8,
}

impl Default for GenerationsConfig {
    fn default() -> Self {
        GenerationsConfig { generations: 2 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Generations {
    last: u8,
    figures: StreamFigures,
}

impl Policy for Generations {
    type Config = GenerationsConfig;

    const SORTS_MOVES: bool = true;

    fn check(config: &GenerationsConfig, table: &str) -> Result<(), ConfigError> {
        if (2..=MOST).contains(&config.generations) {
            return Ok(());
        }
        let problem = format!("{} is out of range", config.generations);
        Err(ConfigError::new(format!("{table}.generations"), problem, format!("give 2 to {MOST}")))
    }

    fn shape(config: &GenerationsConfig, _: MovedPages) -> StreamShape {
        let generations = u32::from(config.generations);
        StreamShape { open_units: generations, classes: generations - 1, moved_with: MovedWith::Nobody }
    }

    fn table_bytes(_: &GenerationsConfig, layout: &Layout) -> u64 {
        u64::from(layout.units())
    }

    fn new(config: &GenerationsConfig) -> Generations {
        Generations {
            last: config.generations - 1,
            figures: StreamFigures::new(1, usize::from(config.generations), false),
        }
    }

    fn stream_of(&mut self, _: Lpn) -> Stream {
        self.figures.rows[0].written += 1;
        Stream::Host
    }

    fn stream_of_move(&mut self, _: Lpn, from: Stream) -> Stream {
        let generation = match from {
            Stream::Host => 1,
            Stream::Class(class) => (class + 2).min(self.last),
            // Pages that were moved for the sake of wear are old.
            _ => self.last,
        };
        self.figures.rows[usize::from(generation)].moved += 1;
        Stream::Class(generation - 1)
    }

    fn figures(&self) -> Option<&StreamFigures> {
        Some(&self.figures)
    }

    fn reset_counts(&mut self) {
        self.figures.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_goes_from_region_to_region_and_stays_in_the_last() {
        let mut policy = Generations::new(&GenerationsConfig { generations: 3 });
        assert_eq!(policy.stream_of(Lpn(7)), Stream::Host);
        assert_eq!(policy.stream_of_move(Lpn(7), Stream::Host), Stream::Class(0));
        assert_eq!(policy.stream_of_move(Lpn(7), Stream::Class(0)), Stream::Class(1));
        assert_eq!(policy.stream_of_move(Lpn(7), Stream::Class(1)), Stream::Class(1));
        assert_eq!(policy.stream_of_move(Lpn(7), Stream::Levelled), Stream::Class(1));
        let counts: Vec<_> = policy.figures.rows.iter().map(|row| (row.written, row.moved)).collect();
        assert_eq!(counts, [(1, 0), (0, 1), (0, 3)]);
    }

    #[test]
    fn two_regions_are_those_of_2r() {
        let mut policy = Generations::new(&GenerationsConfig::default());
        assert_eq!(policy.stream_of_move(Lpn(0), Stream::Host), Stream::Class(0));
        assert_eq!(policy.stream_of_move(Lpn(0), Stream::Class(0)), Stream::Class(0));
        assert!(Generations::check(&GenerationsConfig { generations: 1 }, "ftl.streams").is_err());
    }
}
