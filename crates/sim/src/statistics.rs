//! Response times.

use hdrhistogram::Histogram;
use rewear_flash::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// Longest response time told apart: one hour. Longer ones count as one hour in percentiles, not in
/// mean and maximum.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Response times of one kind of request: exact count, mean, minimum and maximum, percentiles
/// within 0.1%.
#[derive(Debug)]
pub struct Latency {
    histogram: Histogram<u32>,
    sum_ns: u128,
    min_ns: Nanos,
    max_ns: Nanos,
}

impl Latency {
    /// No request yet.
    pub fn new() -> Latency {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3);
        #[allow(clippy::expect_used)] // The bounds are constants that the constructor accepts.
        let histogram = histogram.expect("valid bounds");
        Latency { histogram, sum_ns: 0, min_ns: Nanos::MAX, max_ns: 0 }
    }

    /// A request took this long.
    #[inline(always)] // Once a request.
    pub fn record(&mut self, latency_ns: Nanos) {
        self.histogram.saturating_record(latency_ns);
        self.sum_ns += u128::from(latency_ns);
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// The summary; `None` if there was no request.
    pub fn summary(&self) -> Option<LatencySummary> {
        let count = self.histogram.len();
        if count == 0 {
            return None;
        }
        let quantile = |q| self.histogram.value_at_quantile(q).clamp(self.min_ns, self.max_ns);
        Some(LatencySummary {
            count,
            mean: self.sum_ns as f64 / count as f64,
            min: self.min_ns,
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: self.max_ns,
        })
    }
}

/// Mean response time of several kinds of requests together; `None` if there was none.
pub(crate) fn mean_of<const KINDS: usize>(kinds: [&Latency; KINDS]) -> Option<f64> {
    let count: u64 = kinds.iter().map(|kind| kind.histogram.len()).sum();
    let sum_ns: u128 = kinds.iter().map(|kind| kind.sum_ns).sum();
    (count > 0).then(|| sum_ns as f64 / count as f64)
}

impl Default for Latency {
    fn default() -> Self {
        Latency::new()
    }
}

/// Response times in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LatencySummary {
    /// Requests.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Shortest.
    pub min: Nanos,
    /// Median.
    pub p50: Nanos,
    /// 95th percentile.
    pub p95: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// 99.9th percentile.
    pub p999: Nanos,
    /// Longest.
    pub max: Nanos,
}

/// Least, mean, most and standard deviation of the erases per block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    /// Least.
    pub min: u32,
    /// Mean.
    pub mean: f64,
    /// Most.
    pub max: u32,
    /// Standard deviation over the blocks.
    pub stddev: f64,
}

impl Spread {
    /// Of a set of counts.
    pub fn of(counts: impl Iterator<Item = u32> + Clone) -> Spread {
        let (mut blocks, mut sum, mut squares, mut min, mut max) = (0u64, 0u64, 0u128, u32::MAX, 0);
        for count in counts {
            blocks += 1;
            sum += u64::from(count);
            squares += u128::from(count) * u128::from(count);
            min = min.min(count);
            max = max.max(count);
        }
        let mean = sum as f64 / blocks.max(1) as f64;
        let variance = (squares as f64 / blocks.max(1) as f64 - mean * mean).max(0.0);
        Spread { min: if blocks == 0 { 0 } else { min }, mean, max, stddev: variance.sqrt() }
    }
}
