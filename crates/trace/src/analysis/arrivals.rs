//! When requests arrive: requests and bytes per interval.
//!
//! Times are taken as a replay takes them: one that goes backwards becomes the largest so far.

use serde::Serialize;

use crate::operation::Operation;
use crate::request::Request;

/// Requests and bytes of one interval, which begins where the one before ended; the first begins at
/// time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Interval {
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub flushes: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// Arrivals over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// From time 0 to the last arrival.
    pub duration_ns: u64,
    /// Requests a second, over the duration; absent where it is 0.
    pub requests_per_s: Option<f64>,
    /// Length of an interval.
    pub interval_ns: u64,
    /// The intervals.
    pub intervals: Vec<Interval>,
}

/// Counts arrivals. 48 bytes an interval.
#[derive(Clone, Debug)]
pub(crate) struct ArrivalCounts {
    interval_ns: u64,
    intervals: Vec<Interval>,
    requests: u64,
    now_ns: u64,
}

impl ArrivalCounts {
    /// Intervals of `interval_ns` (at least 1) up to `last_ns`, which no arrival exceeds.
    pub(crate) fn new(interval_ns: u64, last_ns: u64) -> Self {
        Self {
            interval_ns,
            intervals: vec![Interval::default(); (last_ns / interval_ns) as usize + 1],
            requests: 0,
            now_ns: 0,
        }
    }

    pub(crate) fn add(&mut self, request: &Request) {
        let at_ns = request.at_ns.max(self.now_ns);
        (self.now_ns, self.requests) = (at_ns, self.requests + 1);
        let interval = &mut self.intervals[(at_ns / self.interval_ns) as usize];
        match request.operation {
            Operation::Read => {
                interval.reads += 1;
                interval.bytes_read = interval.bytes_read.saturating_add(request.length_bytes);
            }
            Operation::Write | Operation::Overwrite => {
                interval.writes += 1;
                interval.bytes_written = interval.bytes_written.saturating_add(request.length_bytes);
            }
            Operation::Trim => interval.trims += 1,
            Operation::Flush => interval.flushes += 1,
            Operation::UpdateHandle => {}
        }
    }

    pub(crate) fn finish(self) -> Arrivals {
        let (duration_ns, requests) = (self.now_ns, self.requests);
        Arrivals {
            duration_ns,
            requests_per_s: (duration_ns > 0).then(|| requests as f64 / (duration_ns as f64 / 1e9)),
            interval_ns: self.interval_ns,
            intervals: self.intervals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(times_ns: &[u64], interval_ns: u64) -> Arrivals {
        let last = times_ns.iter().copied().max().unwrap_or(0);
        let mut counts = ArrivalCounts::new(interval_ns, last);
        for &at_ns in times_ns {
            counts.add(&Request::new(at_ns, Operation::Write, 0, 4096));
        }
        counts.finish()
    }

    #[test]
    fn regular_arrivals_do_not_vary() {
        let times: Vec<u64> = (0..1000).map(|number| number * 10_000_000).collect();
        let found = arrivals(&times, 1_000_000_000);
        assert_eq!(found.intervals.len(), 10);
        assert!(found.intervals.iter().all(|interval| interval.writes == 100));
        assert!(found.intervals.iter().all(|interval| interval.bytes_written == 409_600));
        assert_eq!((found.duration_ns, found.requests_per_s), (9_990_000_000, Some(1000.0 / 9.99)));
    }

    #[test]
    fn times_that_go_backwards_stand_still() {
        let found = arrivals(&[0, 50, 20, 60], 10);
        assert_eq!(found.intervals[5].writes, 2);
        assert_eq!(arrivals(&[7, 7], 1).requests_per_s.map(f64::is_finite), Some(true));
    }
}
