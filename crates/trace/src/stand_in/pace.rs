//! How busy a workload has been lately.

use super::profile::LEVELS;

/// Requests over which the activity is averaged: enough to see a burst, few enough to see it end.
const MEMORY: f64 = 64.0;

/// A moving average of the octaves of the pauses, and the last of them.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    limits: Vec<f64>,
    average: f64,
    last: usize,
}

impl Pace {
    /// Nothing seen yet; `limits` divide the activity into levels.
    pub(super) fn new(limits: &[f64]) -> Pace {
        Pace { limits: limits.iter().copied().take(LEVELS - 1).collect(), average: 0.0, last: 0 }
    }

    /// The average octave of a pause.
    pub(super) fn activity(&self) -> f64 {
        self.average
    }

    /// The level of activity and the octave of the last pause.
    pub(super) fn state(&self) -> (usize, usize) {
        (self.limits.iter().filter(|&&limit| self.average > limit).count(), self.last)
    }

    /// A pause of this octave.
    pub(super) fn paused(&mut self, octave: usize) {
        self.average += (octave as f64 - self.average) / MEMORY;
        self.last = octave;
    }
}
