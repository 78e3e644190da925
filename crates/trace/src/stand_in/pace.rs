//! How busy a trace has been lately.

use std::collections::BTreeMap;

use super::bins::{mean_of_octave, octave};
use super::deck::Deck;
use super::moment::{Moment, OCTAVES};
use super::profile::{Arrival, LEVELS};
use super::sites::Touch;

/// Requests over which the activity is averaged: enough to see a burst, few enough to see it end.
const MEMORY: f64 = 64.0;
/// Steps of an octave in which activity is counted.
const STEPS: f64 = 16.0;

/// A moving average of the octaves of the pauses.
#[derive(Clone, Debug, Default)]
struct Activity {
    average: f64,
    last_ns: Option<u64>,
}

impl Activity {
    /// The octave of the pause before a request, and the activity before it; nothing for the first.
    fn arrives(&mut self, at_ns: u64) -> Option<(usize, f64)> {
        let last_ns = self.last_ns.replace(at_ns)?;
        let pause = octave(at_ns.saturating_sub(last_ns)).min(OCTAVES - 1);
        let before = self.average;
        self.average += (pause as f64 - before) / MEMORY;
        Some((pause, before))
    }
}

/// Finds the quartiles of the activity.
#[derive(Clone, Debug)]
pub(super) struct Quartiles {
    activity: Activity,
    histogram: Vec<u64>,
}

impl Quartiles {
    pub(super) fn new() -> Quartiles {
        Quartiles { activity: Activity::default(), histogram: vec![0; OCTAVES * STEPS as usize + 1] }
    }

    /// The next request.
    pub(super) fn arrives(&mut self, at_ns: u64) {
        if let Some((_, activity)) = self.activity.arrives(at_ns) {
            self.histogram[(activity * STEPS) as usize] += 1;
        }
    }

    /// The limits of the levels.
    pub(super) fn limits(&self) -> Vec<f64> {
        let total: u64 = self.histogram.iter().sum();
        let limit = |quarter: u64| {
            let mut sum = 0;
            let at = self.histogram.iter().position(|&count| {
                sum += count;
                sum * LEVELS as u64 >= total * quarter
            });
            (at.unwrap_or(0) + 1) as f64 / STEPS
        };
        (1..LEVELS as u64).map(limit).collect()
    }
}

/// Counts what moment follows on which.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    activity: Activity,
    limits: Vec<f64>,
    last: Moment,
    chain: BTreeMap<u16, BTreeMap<u16, u32>>,
    /// Time that passed, and the mean of the time that will be drawn for it.
    passed_ns: f64,
    drawn_ns: f64,
}

impl Moments {
    /// Counts with the limits of the levels.
    pub(super) fn new(limits: Vec<f64>) -> Moments {
        Moments {
            activity: Activity::default(),
            limits,
            last: Moment::START,
            chain: BTreeMap::new(),
            passed_ns: 0.0,
            drawn_ns: 0.0,
        }
    }

    /// The next request.
    pub(super) fn arrives(&mut self, at_ns: u64, touch: Touch) {
        let last_ns = self.activity.last_ns.unwrap_or(at_ns);
        let (pause, activity) = self.activity.arrives(at_ns).unwrap_or_default();
        self.passed_ns += at_ns.saturating_sub(last_ns) as f64;
        self.drawn_ns += mean_of_octave(pause);
        let level = self.limits.iter().filter(|&&limit| activity > limit).count();
        let next = Moment { level, pause, touch };
        *self.chain.entry(self.last.number()).or_default().entry(next.number()).or_default() += 1;
        self.last = next;
    }

    /// The profile of arrivals.
    pub(super) fn arrival(self) -> Arrival {
        let pauses = self.chain.values().flat_map(BTreeMap::keys);
        let is_timed = pauses.into_iter().any(|&next| Moment::of_number(next).pause > 0);
        let row = |(from, next): (u16, BTreeMap<u16, u32>)| {
            let counts: Vec<u32> = next.values().copied().collect();
            (from, next.into_keys().collect(), Deck::from(counts))
        };
        let stretch = if self.drawn_ns > 0.0 { self.passed_ns / self.drawn_ns } else { 1.0 };
        Arrival { is_timed, stretch, day_swing: 0.0, chain: self.chain.into_iter().map(row).collect() }
    }
}
