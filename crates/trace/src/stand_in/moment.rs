//! The state of the chain that says when requests come and what they do.

use super::profile::LEVELS;
use super::sites::Touch;

/// Octaves of a pause in nanoseconds.
pub(super) const OCTAVES: usize = 63;

/// A request as the chain sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// How busy the workload was before it.
    pub(super) level: usize,
    /// The octave of the pause before it.
    pub(super) pause: usize,
    pub(super) touch: Touch,
}

impl Moment {
    /// Behind nothing.
    pub(super) const START: Moment = Moment { level: 0, pause: 0, touch: Touch::Write };
    /// Moments there are.
    pub(super) const COUNT: usize = LEVELS * 64 * 2;

    /// As a number below [`COUNT`](Self::COUNT).
    pub(super) fn number(self) -> u16 {
        ((self.level * 64 + self.pause) * 2 + self.touch as usize) as u16
    }

    /// The moment of a number.
    pub(super) fn of_number(number: u16) -> Moment {
        let number = usize::from(number);
        let touch = if number % 2 == 0 { Touch::Read } else { Touch::Write };
        Moment { level: number / 128 % LEVELS, pause: (number / 2 % 64).min(OCTAVES - 1), touch }
    }
}
