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
    pub(super) const COUNT: usize = LEVELS * 64 * 3;

    /// As a number below [`COUNT`](Self::COUNT).
    pub(super) fn number(self) -> u16 {
        ((self.level * 64 + self.pause) * 3 + self.touch as usize) as u16
    }

    /// The moment of a number.
    pub(super) fn of_number(number: u16) -> Moment {
        let number = usize::from(number);
        let touch = Touch::ALL[number % 3];
        Moment { level: number / 192 % LEVELS, pause: (number / 3 % 64).min(OCTAVES - 1), touch }
    }
}
