//! Victims by `cost-benefit`: a fuller unit may be worth cleaning if it has been quiet for long.
//!
//! # Idea
//! Cleaning a unit whose share u of pages is valid costs 2u (reading and writing them) and frees
//! 1 - u. Space freed from quiet data stays free longer, so the gain is weighted by the age. The
//! unit with the largest age x (1 - u) / 2u is cleaned.
//!
//! # Paper
//! Rosenblum, Ousterhout: The Design and Implementation of a Log-Structured File System, TOCS
//! 10(1), 1992 (with 1 + u in the denominator, because their cleaner reads whole segments);
//! Kawaguchi, Nishioka, Motoda: A Flash-Memory Based File System, USENIX 1995 (with 2u, as here).
//!
//! # Parameters
//! None.
//!
//! # Cost
//! 8 bytes an erase unit. A choice looks at one unit for each number of valid pages: at equal u the
//! oldest wins, and the index of victims has it first, so the choice is exact.
//!
//! # Deviations
//! The age is the number of host pages written since the unit was closed or last lost a valid page
//! (1 for the latest), not a time of day: a drive that rests does not age.

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct CostBenefit;

impl Policy for CostBenefit {
    type Config = ();
    const ASKS_FOR_AGE: bool = true;

    fn new((): &(), _: DriveFacts) -> CostBenefit {
        CostBenefit
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        let (now, slots) = (units.clock(), u128::from(units.slots_per_unit()));
        let mut best: Option<(u128, u128, Unit)> = None;
        for at in units.oldest_of_each_count(pool) {
            let valid = u128::from(at.valid);
            if valid == slots {
                break;
            }
            // A fraction, compared by cross-multiplication: exact, and infinite where nothing is
            // valid.
            let (benefit, cost) = (u128::from(now - at.since() + 1) * (slots - valid), 2 * valid);
            if best.is_none_or(|(most, least, _)| benefit * least > most * cost) {
                best = Some((benefit, cost, Unit(at.unit.0)));
            }
            if valid == 0 {
                break;
            }
        }
        best.map(|(_, _, unit)| unit)
    }
}
