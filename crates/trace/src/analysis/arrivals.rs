//! When requests arrive: per interval, how bursty over windows of several lengths, and how long
//! nothing arrives.
//!
//! Times are taken as a replay takes them: one that goes backwards becomes the largest so far.

use serde::Serialize;

use super::histogram::{Class, PowerHistogram};
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

/// How unevenly requests fall into windows of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Burstiness {
    /// Length of a window.
    pub window_ns: u64,
    /// Windows in the trace.
    pub windows: u64,
    /// Share of them in which no request arrives.
    pub empty: f64,
    /// Mean requests in a window.
    pub mean_requests: f64,
    /// Most requests in a window.
    pub most_requests: u64,
    /// Most bytes written in a window.
    pub most_bytes_written: u64,
    /// Variance over mean of the requests in a window (index of dispersion): 1 for Poisson arrivals
    /// at any length; it grows with the length where bursts last.
    pub dispersion: f64,
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
    /// Windows of 1 ms to 100 s, as far as the trace has at least two of them.
    pub burstiness: Vec<Burstiness>,
    /// Mean time between two arrivals.
    pub mean_gap_ns: Option<f64>,
    /// Standard deviation over mean of the time between two arrivals: 1 for Poisson arrivals.
    pub gap_variation: Option<f64>,
    /// Gaps by their length in nanoseconds; weight: nanoseconds, the time in which nothing arrives.
    pub gaps: Vec<Class>,
}

/// The windows' lengths.
const WINDOWS_NS: [u64; 6] =
    [1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000];

#[derive(Clone, Debug, Default)]
struct Window {
    current: u64,
    requests: u64,
    bytes_written: u64,
    occupied: u64,
    squares: f64,
    most_requests: u64,
    most_bytes_written: u64,
}

impl Window {
    fn add(&mut self, index: u64, bytes_written: u64) {
        if index != self.current {
            self.close();
            self.current = index;
        }
        self.requests += 1;
        self.bytes_written = self.bytes_written.saturating_add(bytes_written);
    }

    fn close(&mut self) {
        self.occupied += u64::from(self.requests > 0);
        self.squares += self.requests as f64 * self.requests as f64;
        self.most_requests = self.most_requests.max(self.requests);
        self.most_bytes_written = self.most_bytes_written.max(self.bytes_written);
        (self.requests, self.bytes_written) = (0, 0);
    }

    fn finish(mut self, window_ns: u64, windows: u64, requests: u64) -> Burstiness {
        self.close();
        let mean = requests as f64 / windows as f64;
        Burstiness {
            window_ns,
            windows,
            empty: 1.0 - self.occupied as f64 / windows as f64,
            mean_requests: mean,
            most_requests: self.most_requests,
            most_bytes_written: self.most_bytes_written,
            dispersion: (self.squares / windows as f64 - mean * mean).max(0.0) / mean,
        }
    }
}

/// Counts arrivals. 48 bytes an interval.
#[derive(Clone, Debug)]
pub(crate) struct ArrivalCounts {
    interval_ns: u64,
    intervals: Vec<Interval>,
    windows: [Window; WINDOWS_NS.len()],
    requests: u64,
    now_ns: u64,
    gap_squares: f64,
    gaps: PowerHistogram,
}

impl ArrivalCounts {
    /// Intervals of `interval_ns` (at least 1) up to `last_ns`, which no arrival exceeds.
    pub(crate) fn new(interval_ns: u64, last_ns: u64) -> Self {
        Self {
            interval_ns,
            intervals: vec![Interval::default(); (last_ns / interval_ns) as usize + 1],
            windows: Default::default(),
            requests: 0,
            now_ns: 0,
            gap_squares: 0.0,
            gaps: PowerHistogram::default(),
        }
    }

    pub(crate) fn add(&mut self, request: &Request) {
        let at_ns = request.at_ns.max(self.now_ns);
        if self.requests > 0 {
            let gap_ns = at_ns - self.now_ns;
            self.gaps.add(gap_ns, gap_ns);
            self.gap_squares += gap_ns as f64 * gap_ns as f64;
        }
        (self.now_ns, self.requests) = (at_ns, self.requests + 1);
        let interval = &mut self.intervals[(at_ns / self.interval_ns) as usize];
        let mut bytes_written = 0;
        match request.operation {
            Operation::Read => {
                interval.reads += 1;
                interval.bytes_read = interval.bytes_read.saturating_add(request.length_bytes);
            }
            Operation::Write | Operation::Overwrite => {
                interval.writes += 1;
                bytes_written = request.length_bytes;
                interval.bytes_written = interval.bytes_written.saturating_add(bytes_written);
            }
            Operation::Trim => interval.trims += 1,
            Operation::Flush => interval.flushes += 1,
            Operation::UpdateHandle => {}
        }
        for (window, window_ns) in self.windows.iter_mut().zip(WINDOWS_NS) {
            window.add(at_ns / window_ns, bytes_written);
        }
    }

    pub(crate) fn finish(self) -> Arrivals {
        let (duration_ns, requests) = (self.now_ns, self.requests);
        let gaps = self.gaps.classes();
        let count: u64 = gaps.iter().map(|class| class.count).sum();
        let total_ns: u64 = gaps.iter().map(|class| class.weight).sum();
        let mean_gap_ns = (count > 0).then(|| total_ns as f64 / count as f64);
        let variation =
            |mean: f64| libm::sqrt((self.gap_squares / count as f64 - mean * mean).max(0.0)) / mean;
        let burstiness = self
            .windows
            .into_iter()
            .zip(WINDOWS_NS)
            .map(|(window, window_ns)| (window, window_ns, duration_ns / window_ns + 1))
            .filter(|&(_, _, windows)| windows >= 2)
            .map(|(window, window_ns, windows)| window.finish(window_ns, windows, requests))
            .collect();
        Arrivals {
            duration_ns,
            requests_per_s: (duration_ns > 0).then(|| requests as f64 / (duration_ns as f64 / 1e9)),
            interval_ns: self.interval_ns,
            intervals: self.intervals,
            burstiness,
            mean_gap_ns,
            gap_variation: mean_gap_ns.filter(|&mean| mean > 0.0).map(variation),
            gaps,
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
        assert_eq!((found.mean_gap_ns, found.gap_variation), (Some(1e7), Some(0.0)));
        let second = found.burstiness.iter().find(|window| window.window_ns == 1_000_000_000).unwrap();
        assert_eq!(
            (second.windows, second.most_requests, second.empty, second.dispersion),
            (10, 100, 0.0, 0.0)
        );
        assert_eq!(second.most_bytes_written, 409_600);
    }

    #[test]
    fn a_burst_disperses_and_leaves_the_rest_idle() {
        // A hundred at once at the beginning, one at the end of ten seconds.
        let mut times = vec![0; 100];
        times.push(9_999_999_999);
        let found = arrivals(&times, 1_000_000_000);
        let second = found.burstiness.iter().find(|window| window.window_ns == 1_000_000_000).unwrap();
        assert_eq!((second.windows, second.most_requests), (10, 100));
        assert!((second.empty - 0.8).abs() < 1e-12);
        let (mean, square) = (10.1, 1000.1);
        assert!((second.dispersion - (square - mean * mean) / mean).abs() < 1e-9);
        let idle = found.gaps.last().unwrap();
        assert_eq!((idle.count, idle.weight), (1, 9_999_999_999));
    }

    #[test]
    fn times_that_go_backwards_stand_still() {
        let found = arrivals(&[0, 50, 20, 60], 10);
        assert_eq!(found.intervals[5].writes, 2);
        assert_eq!(found.gaps.iter().map(|class| class.weight).sum::<u64>(), 60);
        assert_eq!(arrivals(&[7, 7], 1).gap_variation, None);
    }
}
