//! What would be lost if an erase unit were erased: the sum of the probabilities that its invalid
//! pages are needed again.
//!
//! A recycling scheme keeps the score for a victim policy that reads it, and neither knows the
//! other.

use strength_reduce::StrengthReducedU32;

use crate::address::{Ppn, Unit};

/// Fractions of a page are counted in units of 2^-32, so that sums are exact in any order.
pub const ONE_PAGE: u64 = 1 << 32;

/// The expected loss of every erase unit. Memory: 8 bytes a unit, nothing where no victim policy
/// asks.
#[derive(Debug, Clone)]
pub struct ContentScore {
    /// Whether the victim policy may ask.
    is_asked: bool,
    of_unit: Vec<u64>,
    slots_divisor: StrengthReducedU32,
}

impl ContentScore {
    /// No score: nothing is ever expected to be lost. `is_asked` where a victim policy
    /// [asks](crate::policies::victim::policy::Policy::WEIGHS_CONTENTS) all the same.
    pub fn none(is_asked: bool) -> ContentScore {
        ContentScore { is_asked, of_unit: Vec::new(), slots_divisor: StrengthReducedU32::new(1) }
    }

    /// The score of `units` units.
    pub fn new(units: u32, slots_per_unit: u32) -> ContentScore {
        ContentScore {
            is_asked: true,
            of_unit: vec![0; units as usize],
            slots_divisor: StrengthReducedU32::new(slots_per_unit.max(1)),
        }
    }

    /// Whether anybody keeps the score.
    #[inline]
    pub fn is_kept(&self) -> bool {
        !self.of_unit.is_empty()
    }

    /// The probability of a page changed, in units of 1 / [`ONE_PAGE`].
    #[inline]
    pub fn change(&mut self, ppn: Ppn, before: u64, after: u64) {
        if self.is_kept() && before != after {
            let unit = &mut self.of_unit[(ppn.0 / self.slots_divisor) as usize];
            *unit = unit.wrapping_add(after).wrapping_sub(before);
        }
    }

    /// The expected loss of a unit, in units of 1 / [`ONE_PAGE`]; 0 where nobody keeps the score.
    #[inline]
    pub fn of(&self, unit: Unit) -> u64 {
        debug_assert!(self.is_asked, "a victim policy that looks at the score has WEIGHS_CONTENTS");
        self.of_unit.get(unit.index()).copied().unwrap_or(0)
    }
}
