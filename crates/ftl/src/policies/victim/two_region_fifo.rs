//! Victims by `two-region-fifo`: several old units at a time, whose survivors are packed together.
//!
//! # Idea
//! Closed units stand in a queue, the oldest first, and a hand goes along it. It collects units with
//! enough invalid pages until those make up a whole unit. Their survivors fill units of their own,
//! but for the last, in which the host goes on. The hand turns back before the youngest units, so
//! that their hot pages have time to die. It goes on where it stood, so survivors rest for a round.
//!
//! # Paper
//! Haas, Lee, Bonnet, Leis: SSD-iq: Uncovering the Hidden Side of SSD Performance, PVLDB 18(11),
//! 2025, algorithm 2R-FIFO as the released simulator has it (`sim/TwoR.hpp`).
//!
//! # Parameters
//! None: the hand reaches 0.7 of the queue, and a unit is passed over from a part of 0.5 of valid
//! pages at the first cleaning and 0.7 from then on, as in the source. Needs `ftl.moved_pages =
//! "together"` and `ftl.cleaning_step = "restore-lazy"` to be 2R-FIFO:
//! these take a batch at once, and give the rest of its last unit to the host.
//!
//! # Cost
//! 8 bytes an erase unit. A batch sorts the closed units of its pool.
//!
//! # Deviations
//! The source rewrites a unit in place and so has no spare one; here survivors go to a free unit, and
//! the victim is free after. Survivors are packed in the same order. Units of a batch come to the
//! end of the queue in the order in which they fill up, those of the source in the opposite one.
//! The host fills the last unit first, and the erased one behind it.

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// Part of the queue of closed units, the oldest first, from which victims are taken, and the part of
/// valid pages from which a unit is passed over: those of the source.
const DEPTH: f64 = 0.7;
const MAX_VALID: f64 = 0.7;
/// The part of valid pages from which the first cleaning passes a unit over.
const FIRST_MAX_VALID: f64 = 0.5;
/// What is added to that part each time that the hand turns back without a batch.
const STEP: f64 = 0.05;

/// Where the hand of a pool stands.
#[derive(Debug, Clone)]
struct Hand {
    /// The closing of the unit before the hand; `None` at the end of the queue.
    passed: Option<u64>,
    /// Units passed since the head of the queue.
    steps: usize,
    /// Units with this part of valid pages are passed over.
    max_valid: f64,
    /// The batch that is being cleaned, the next victim last.
    batch: Vec<Unit>,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct TwoRegionFifo {
    hands: Vec<Hand>,
}

impl Policy for TwoRegionFifo {
    type Config = ();
    const ASKS_FOR_ORDER: bool = true;

    fn new((): &(), _: DriveFacts) -> TwoRegionFifo {
        TwoRegionFifo { hands: Vec::new() }
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        if self.hands.len() <= pool.index() {
            let fresh = Hand { passed: Some(0), steps: 0, max_valid: FIRST_MAX_VALID, batch: Vec::new() };
            self.hands.resize(pool.index() + 1, fresh);
        }
        let hand = &mut self.hands[pool.index()];
        if hand.batch.is_empty() {
            hand.collect(units, pool);
        }
        let is_victim = |&unit: &Unit| units.is_closed(unit) && units.valid(unit) < units.slots_per_unit();
        while let Some(unit) = hand.batch.pop() {
            if is_victim(&unit) {
                return Some(unit);
            }
        }
        units.fewest_valid(pool)
    }
}

impl Hand {
    /// Collects units whose invalid pages make up one, as far as the queue has them.
    fn collect(&mut self, units: &Units, pool: Pool) {
        let queue = units.in_order_of_closing(pool);
        let slots = units.slots_per_unit();
        let limit = ((DEPTH * queue.len() as f64) as usize).max(1);
        let mut at = match self.passed {
            Some(passed) => queue.partition_point(|&(closing, _)| closing <= passed),
            None => queue.len(),
        };
        if at == queue.len() {
            (at, self.steps) = (0, 0);
        }
        let mut gain = 0;
        while gain < slots && at < queue.len() && self.max_valid < 1.0 + STEP {
            let (_, unit) = queue[at];
            let valid = units.valid(unit);
            let is_empty_enough = valid < slots && f64::from(valid) < self.max_valid * f64::from(slots);
            if is_empty_enough && !self.batch.contains(&unit) {
                self.batch.push(unit);
                gain += slots - valid;
            }
            (at, self.steps) = (at + 1, self.steps + 1);
            if self.steps >= limit {
                (at, self.steps) = (0, 0);
                self.max_valid += STEP;
            }
        }
        self.max_valid = MAX_VALID;
        self.passed = match at {
            0 => Some(0),
            _ if at == queue.len() => None,
            _ => Some(queue[at - 1].0),
        };
    }
}
