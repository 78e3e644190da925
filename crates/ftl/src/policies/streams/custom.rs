//! Streams `custom`: a policy that the caller supplies, as Python does with a file of a few lines.
//!
//! # Idea
//! A policy asked for every page would set the speed of the drive. It is asked once a
//! cleaning, and answers with ages that divide the streams: of pages that the host writes by the
//! life of the version that they replace, of moved pages by the time since they were written.
//! Looking up a page is then as fast as under SepBIT, which can be said so.
//!
//! # Parameters
//! None: no key of a configuration leads here, since a file has no code. The caller puts the policy
//! in.
//!
//! # Cost
//! An open erase unit a pool for each stream, four bytes a logical page, eight a unit.
//!
//! Controller RAM: `4 * pages + 8 * units`.
//!
//! # Deviations
//! A page follows the ages that were last given for units of its stream: where two units of a
//! stream are emptied side by side, in idle time or with `moved_to = "drive-nested"`, those for the
//! second.

use std::fmt;
use std::sync::Arc;

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::StreamFigures;
use super::last_writes::LastWrites;
use super::policy::{MovedWith, Policy, StreamShape};
use crate::address::{Lpn, Unit};
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

/// Streams that a policy may have.
pub const STREAMS: std::ops::RangeInclusive<u8> = 2..=16;

/// Which streams pages go to, by their age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ages {
    /// The stream of pages that are younger than the first of `divide`.
    pub first: u8,
    /// Rising ages in host pages: each is the least of the next stream. A page that was never
    /// written is older than all of them.
    pub divide: Vec<u64>,
}

impl Ages {
    /// All pages to one stream.
    fn all_to(stream: u8) -> Ages {
        Ages { first: stream, divide: Vec::new() }
    }

    fn stream(&self, age: u64) -> u8 {
        self.first + self.divide.iter().take_while(|&&least| age >= least).count() as u8
    }
}

/// A unit that cleaning empties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emptied {
    /// The unit.
    pub unit: Unit,
    /// The stream that filled it; the last one if that was none of the policy's.
    pub stream: u8,
    /// Its valid pages.
    pub valid: u32,
    /// Host pages written since it was opened.
    pub life: u64,
}

/// What a caller supplies. It keeps its own state, which copies of a drive share.
pub trait SortByAge: fmt::Debug + Send + Sync {
    /// Where pages go that the host writes: asked at the beginning, and whenever a unit was taken
    /// by cleaning. Streams are below the number of the configuration.
    fn of_host(&self) -> Ages;

    /// Where the valid pages of a unit go.
    fn of_moved(&self, unit: &Emptied) -> Ages;
}

/// A policy and its name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CustomConfig {
    /// What reports call the policy.
    pub name: String,
    /// Its streams.
    pub streams: u8,
    /// The policy.
    #[serde(skip)]
    pub policy: Arc<dyn SortByAge>,
}

impl PartialEq for CustomConfig {
    fn eq(&self, other: &CustomConfig) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy)
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Custom {
    policy: Arc<dyn SortByAge>,
    streams: u8,
    writes: LastWrites,
    /// When each unit was opened, in host pages.
    opened: Vec<u64>,
    of_host: Ages,
    /// Of pages moved out of a unit of each stream.
    of_moved: Vec<Ages>,
    figures: StreamFigures,
}

impl Custom {
    /// The number of a stream; the last one for what is none of the policy's.
    fn number(&self, stream: Stream) -> u8 {
        let number = match stream {
            Stream::Host => 0,
            Stream::HostCold => 1,
            Stream::Class(class) => class + 2,
            _ => u8::MAX,
        };
        number.min(self.streams - 1)
    }
}

/// The stream of a number.
fn numbered(number: u8) -> Stream {
    match number {
        0 => Stream::Host,
        1 => Stream::HostCold,
        more => Stream::Class(more - 2),
    }
}

impl Policy for Custom {
    type Config = CustomConfig;

    const SORTS_MOVES: bool = true;

    fn check(config: &CustomConfig, table: &str) -> Result<(), ConfigError> {
        if STREAMS.contains(&config.streams) {
            return Ok(());
        }
        let (least, most) = STREAMS.into_inner();
        let problem = format!("{} has {} streams", config.name, config.streams);
        Err(ConfigError::new(format!("{table}.streams"), problem, format!("give {least} to {most}")))
    }

    fn shape(config: &CustomConfig, _: MovedPages) -> StreamShape {
        let streams = u32::from(config.streams);
        StreamShape { open_units: streams, classes: streams - 2, moved_with: MovedWith::Nobody }
    }

    fn table_bytes(_: &CustomConfig, layout: &Layout) -> u64 {
        LastWrites::table_bytes(layout) + 8 * u64::from(layout.units())
    }

    fn new(config: &CustomConfig) -> Custom {
        Custom {
            policy: Arc::clone(&config.policy),
            streams: config.streams,
            writes: LastWrites::default(),
            opened: Vec::new(),
            of_host: config.policy.of_host(),
            of_moved: (0..config.streams).map(Ages::all_to).collect(),
            figures: StreamFigures::new(0, usize::from(config.streams), false),
        }
    }

    fn prepare(&mut self, _: MovedPages, layout: &Layout) {
        self.writes = LastWrites::new(layout.exported_pages, layout.slots_per_unit);
        self.opened = vec![0; layout.units() as usize];
    }

    fn stream_of(&mut self, lpn: Lpn) -> Stream {
        let stream = self.of_host.stream(self.writes.replace(lpn).unwrap_or(u64::MAX));
        self.figures.rows[usize::from(stream)].written += 1;
        numbered(stream)
    }

    fn stream_of_move(&mut self, lpn: Lpn, from: Stream) -> Stream {
        let age = self.writes.age(lpn).unwrap_or(u64::MAX);
        let stream = self.of_moved[usize::from(self.number(from))].stream(age);
        self.figures.rows[usize::from(stream)].moved += 1;
        numbered(stream)
    }

    fn opened(&mut self, unit: Unit, _: Stream) {
        self.opened[unit.index()] = self.writes.now();
    }

    fn reclaimed(&mut self, unit: Unit, stream: Stream, valid: u32) {
        let (stream, life) = (self.number(stream), self.writes.now() - self.opened[unit.index()]);
        self.of_moved[usize::from(stream)] = self.policy.of_moved(&Emptied { unit, stream, valid, life });
        self.of_host = self.policy.of_host();
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
    fn ages_divide_where_they_say() {
        let ages = Ages { first: 1, divide: vec![10, 20, u64::MAX] };
        let streams = [0, 9, 10, 19, 20, u64::MAX - 1, u64::MAX].map(|age| ages.stream(age));
        assert_eq!(streams, [1, 1, 2, 2, 3, 3, 4]);
        assert_eq!(Ages::all_to(5).stream(7), 5);
    }
}
