//! Whether the debt of a trial falls, while moved pages lie apart to pay it back.

use super::looks::{LEAST_GAIN, LOOKS_PER_DRIVE};

/// Looks in which a debt must fall, or it is written off: those of as many clean pages as the drive
/// has.
const LOOKS_TO_FALL: u32 = LOOKS_PER_DRIVE as u32;
/// As [`LOOKS_TO_FALL`] with a rated life, where moved pages wear blocks unevenly meanwhile: so
/// many looks count at once.
const LOOKS_TO_FALL_RATED: u32 = 4;

/// What a debt has come down to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Falling {
    lowest: f64,
    /// Looks since the debt was at its lowest, or since such a time was over.
    looks: u32,
    /// Clean pages that the miniature had taken then, and the one with moved pages apart.
    taken: (u64, u64),
}

impl Default for Falling {
    fn default() -> Falling {
        Falling { lowest: f64::INFINITY, looks: 0, taken: (0, 0) }
    }
}

impl Falling {
    /// A look at a debt, and at what the two miniatures have taken. Whether the debt has fallen
    /// lately. Without a rated life it is also enough that a drive gains by keeping moved pages
    /// apart: nothing but clean pages counts then.
    pub(super) fn look(&mut self, debt: f64, taken: (u64, u64), is_rated: bool) -> bool {
        self.looks += 1;
        let most = if is_rated { LOOKS_TO_FALL_RATED } else { LOOKS_TO_FALL };
        let is_lower = debt < self.lowest;
        if !is_lower && self.looks < most {
            return true;
        }
        let since = (taken.0 - self.taken.0, taken.1 - self.taken.1);
        let gains = !is_rated && (since.1 as f64) < (1.0 - LEAST_GAIN) * since.0 as f64;
        *self = Falling { lowest: debt.min(self.lowest), looks: 0, taken };
        is_lower || gains
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until a debt is written off, of 1000 and so much less a look; by the miniatures a
    /// drive takes `apart` clean pages for a hundred if moved pages lie apart.
    fn looks(less: f64, apart: u64, is_rated: bool) -> Option<u32> {
        let mut falling = Falling::default();
        let fell = |look: u32| {
            let taken = (u64::from(look) * 100, u64::from(look) * apart);
            falling.look((1000.0 - f64::from(look) * less).max(500.0), taken, is_rated)
        };
        (1..1000).zip((1..1000).map(fell)).find(|&(_, fell)| !fell).map(|(look, _)| look)
    }

    #[test]
    fn a_debt_that_does_not_fall_is_written_off_after_as_many_clean_pages_as_the_drive_has() {
        assert_eq!(looks(0.0, 100, false), Some(1 + LOOKS_TO_FALL));
        assert_eq!(looks(0.0, 99, false), Some(1 + LOOKS_TO_FALL), "within the error of the sample");
        assert_eq!(looks(0.0, 90, false), None, "the drive gains");
        // It falls for a hundred looks.
        assert_eq!(looks(5.0, 100, false), Some(100 + LOOKS_TO_FALL));
    }

    #[test]
    fn with_a_rated_life_moved_pages_lie_apart_only_while_the_debt_falls() {
        assert_eq!(looks(0.0, 90, true), Some(1 + LOOKS_TO_FALL_RATED));
        assert_eq!(looks(5.0, 90, true), Some(100 + LOOKS_TO_FALL_RATED));
    }
}
