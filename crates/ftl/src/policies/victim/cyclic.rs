//! Victims by `cyclic`: the units of a pool in turn.
//!
//! # Idea
//! A log that goes round the flash: the next victim is the unit behind the last one, whatever it
//! holds. With one open unit that is the unit written longest ago, so this is cleaning first in,
//! first out.
//!
//! # Paper
//! Robinson: Analysis of Steady-State Segment Storage Utilizations in a Log-Structured File System
//! with Least-Utilized Segment Cleaning, SIGOPS OSR 30(4), 1996; Desnoyers: Analytic Models of SSD
//! Write Performance, TOS 10(2), 2014 (section 4.1, LRU cleaning).
//!
//! # Parameters
//! None.
//!
//! # Cost
//! 4 bytes a pool. A choice passes over the units that are free, open or wholly valid.
//!
//! # Deviations
//! Where several units of a pool are open at a time, or free ones are not taken in the order in
//! which they were freed, units in turn are not exactly oldest first.

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Cyclic {
    /// Where the search of each pool goes on, as a number within the pool.
    next: Vec<u32>,
}

impl Policy for Cyclic {
    type Config = ();

    fn new((): &(), _: DriveFacts) -> Cyclic {
        Cyclic { next: Vec::new() }
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        if self.next.len() <= pool.index() {
            self.next.resize(pool.index() + 1, 0);
        }
        let next = &mut self.next[pool.index()];
        let (unit, behind) = units.closed_from(pool, *next)?;
        *next = behind;
        Some(unit)
    }
}
