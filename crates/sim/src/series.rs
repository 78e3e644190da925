//! What happened in each interval of simulated time.

use rewear_flash::Nanos;
use rewear_ftl::Counters;
use schemars::JsonSchema;
use serde::Serialize;

/// One interval, by the arrival of requests. Empty intervals are left out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// Begin of the interval.
    pub start_ns: Nanos,
    /// Read requests that arrived.
    pub reads: u64,
    /// Write requests that arrived.
    pub writes: u64,
    /// Their mean response time; absent if there was none.
    pub read_mean_ns: Option<f64>,
    /// Their mean response time; absent if there was none.
    pub write_mean_ns: Option<f64>,
    /// The longest response time of a read.
    pub read_max_ns: Nanos,
    /// The longest response time of a write.
    pub write_max_ns: Nanos,
    /// Logical pages that the host wrote.
    pub host_pages_written: u64,
    /// Flash pages programmed.
    pub pages_programmed: u64,
    /// Logical pages moved by cleaning.
    pub pages_moved: u64,
    /// Blocks erased.
    pub erases: u64,
}

/// Collects intervals of equal length.
#[derive(Debug)]
pub struct Series {
    interval_ns: Nanos,
    /// End of the interval under way.
    until_ns: Nanos,
    reads: Sum,
    writes: Sum,
    before: Counters,
    intervals: Vec<Interval>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u64,
    total_ns: u128,
    max_ns: Nanos,
}

impl Sum {
    fn add(&mut self, response_ns: Nanos) {
        self.count += 1;
        self.total_ns += u128::from(response_ns);
        self.max_ns = self.max_ns.max(response_ns);
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }
}

impl Series {
    /// Intervals of `interval_ns` (at least 1) from time 0 on.
    pub fn new(interval_ns: Nanos) -> Series {
        Series {
            interval_ns,
            until_ns: interval_ns,
            reads: Sum::default(),
            writes: Sum::default(),
            before: Counters::default(),
            intervals: Vec::new(),
        }
    }

    /// A read or write that arrived at `at_ns` took `response_ns`; `now` are the drive's counters
    /// after it.
    pub fn request(&mut self, at_ns: Nanos, write: bool, response_ns: Nanos, now: &Counters) {
        if at_ns >= self.until_ns {
            self.close(now);
            self.until_ns = (at_ns / self.interval_ns + 1) * self.interval_ns;
        }
        if write { self.writes.add(response_ns) } else { self.reads.add(response_ns) }
    }

    /// The counters were set to zero.
    pub fn counters_reset(&mut self) {
        self.before = Counters::default();
    }

    /// All intervals; ends the last.
    pub fn finish(mut self, now: &Counters) -> Vec<Interval> {
        self.close(now);
        self.intervals
    }

    fn close(&mut self, now: &Counters) {
        let (reads, writes) = (std::mem::take(&mut self.reads), std::mem::take(&mut self.writes));
        if reads.count + writes.count == 0 {
            return;
        }
        self.intervals.push(Interval {
            start_ns: self.until_ns - self.interval_ns,
            reads: reads.count,
            writes: writes.count,
            read_mean_ns: reads.mean(),
            write_mean_ns: writes.mean(),
            read_max_ns: reads.max_ns,
            write_max_ns: writes.max_ns,
            host_pages_written: now.host_pages_written - self.before.host_pages_written,
            pages_programmed: now.programmed.total() - self.before.programmed.total(),
            pages_moved: now.pages_moved - self.before.pages_moved,
            erases: now.erases - self.before.erases,
        });
        self.before = *now;
    }
}
