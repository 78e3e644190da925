//! How long the queues of the service units are when requests arrive.

use std::collections::VecDeque;

use crate::Nanos;

/// Longest queue told apart; longer ones count as this long, but in the mean and the maximum.
const LONGEST: usize = 4095;

/// Operations of each service unit that have not ended, and how many there were whenever somebody
/// looked.
#[derive(Debug, Clone)]
pub struct QueueLengths {
    /// Ends of the operations of each unit, in order.
    ends: Vec<VecDeque<Nanos>>,
    /// How often a queue had each length.
    counts: Vec<u64>,
    sum: u64,
    longest: u64,
}

impl QueueLengths {
    /// Empty queues.
    pub(crate) fn new(units: usize) -> QueueLengths {
        QueueLengths { ends: vec![VecDeque::new(); units], counts: vec![0; LONGEST + 1], sum: 0, longest: 0 }
    }

    /// An operation was booked behind all others of its unit.
    pub(crate) fn note(&mut self, unit: u32, end: Nanos) {
        self.ends[unit as usize].push_back(end);
    }

    /// Operations of a unit that wait or are under way at `now`, which does not go backwards.
    pub(crate) fn length(&mut self, unit: usize, now: Nanos) -> u64 {
        let ends = &mut self.ends[unit];
        while ends.front().is_some_and(|&end| end <= now) {
            ends.pop_front();
        }
        ends.len() as u64
    }

    /// Somebody saw a queue of this length.
    pub(crate) fn saw(&mut self, length: u64) {
        self.counts[(length as usize).min(LONGEST)] += 1;
        self.sum += length;
        self.longest = self.longest.max(length);
    }

    /// Forgets what was seen.
    pub(crate) fn reset(&mut self) {
        self.counts.fill(0);
        (self.sum, self.longest) = (0, 0);
    }

    /// Forgets the queues.
    pub(crate) fn restart_clock(&mut self) {
        self.ends.iter_mut().for_each(VecDeque::clear);
    }

    /// Queues seen.
    pub fn seen(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Mean length; 0 if none was seen.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.seen().max(1) as f64
    }

    /// Share of the queues that were empty: the unit was idle.
    pub fn idle_share(&self) -> f64 {
        self.counts[0] as f64 / self.seen().max(1) as f64
    }

    /// The least length that at least this share of the queues did not exceed.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = (share * self.seen() as f64).ceil() as u64;
        let mut so_far = 0;
        let reached = self.counts.iter().position(|&count| {
            so_far += count;
            so_far >= wanted
        });
        reached.map_or(self.longest, |length| (length as u64).min(self.longest))
    }

    /// The longest.
    pub fn longest(&self) -> u64 {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_leave_when_they_end() {
        let mut queues = QueueLengths::new(2);
        [10, 20, 30].into_iter().for_each(|end| queues.note(0, end));
        for (now, length) in [(5, 3), (10, 2), (29, 1), (30, 0)] {
            assert_eq!(queues.length(0, now), length);
            assert_eq!(queues.length(1, now), 0);
            queues.saw(length);
        }
        assert_eq!((queues.seen(), queues.longest()), (4, 3));
        assert_eq!((queues.mean(), queues.idle_share()), (1.5, 0.25));
        assert_eq!((queues.quantile(0.5), queues.quantile(0.75), queues.quantile(1.0)), (1, 2, 3));
    }
}
