//! Victims by their valid pages alone.
//!
//! The fewest valid pages cost the fewest moves now. Among equals the unit that has been so longest
//! is taken, so that no unit is passed over for ever; DiskSim's SSD extension takes the one with
//! the highest number instead.

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// `greedy`: the fewest valid pages, among equals the one that has been so longest.
#[derive(Debug, Clone)]
pub struct Greedy;

impl Policy for Greedy {
    type Config = ();

    fn new((): &(), _: DriveFacts) -> Greedy {
        Greedy
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        units.fewest_valid(pool)
    }
}

/// `greedy-highest`: the fewest valid pages, among equals the highest number.
#[derive(Debug, Clone)]
pub struct GreedyHighest;

impl Policy for GreedyHighest {
    type Config = ();

    fn new((): &(), _: DriveFacts) -> GreedyHighest {
        GreedyHighest
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        let mut candidates = units.by_valid(pool).peekable();
        let fewest = candidates.peek()?.valid;
        let equals = candidates.take_while(|candidate| candidate.valid == fewest);
        equals.map(|candidate| candidate.unit).max().filter(|_| fewest < units.slots_per_unit())
    }
}
