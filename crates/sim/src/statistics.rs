//! Response times.

use hdrhistogram::Histogram;
use rewear_flash::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// Longest response time told apart: one hour. Longer ones count as one hour in percentiles, not in
/// mean and maximum.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Buckets of times up to the next power of two, all equally wide.
const EVEN_BUCKETS: usize = 1 << EVEN_BITS;
const EVEN_BITS: u32 = 11;
/// Where every time of a request falls into one bucket; longer ones count as [`LONGEST_NS`].
const BEYOND_NS: u64 = 1 << 42;

/// Response times of one kind of request: exact count, mean, minimum and maximum, percentiles
/// within 0.1%.
///
/// Times are counted in the buckets of an HdrHistogram with three digits (Tene,
/// <https://hdrhistogram.org>), which the summary is made with. Its own record keeps and checks more
/// than is asked for here, and is a tenth of the instructions of a request.
#[derive(Debug)]
pub struct Latency {
    buckets: Vec<u32>,
    count: u64,
    sum_ns: u128,
    min_ns: Nanos,
    max_ns: Nanos,
}

/// The bucket of a time: up to 2048 each its own, from there on 1024 for each power of two.
#[inline(always)]
fn bucket_of(ns: Nanos) -> usize {
    let shift = Nanos::BITS - EVEN_BITS - (ns | (EVEN_BUCKETS as Nanos - 1)).leading_zeros();
    shift as usize * (EVEN_BUCKETS / 2) + (ns >> shift) as usize
}

/// The shortest time of a bucket.
fn begin_of(bucket: usize) -> Nanos {
    let shift = (bucket / (EVEN_BUCKETS / 2)).saturating_sub(1);
    ((bucket - shift * (EVEN_BUCKETS / 2)) as Nanos) << shift
}

impl Latency {
    /// No request yet.
    pub fn new() -> Latency {
        let buckets = vec![0; bucket_of(BEYOND_NS - 1) + 1];
        Latency { buckets, count: 0, sum_ns: 0, min_ns: Nanos::MAX, max_ns: 0 }
    }

    /// A request took this long.
    #[inline(always)] // Once a request.
    pub fn record(&mut self, latency_ns: Nanos) {
        let counted_ns = if latency_ns < BEYOND_NS { latency_ns } else { LONGEST_NS };
        let bucket = &mut self.buckets[bucket_of(counted_ns)];
        *bucket = bucket.saturating_add(1);
        self.count += 1;
        self.sum_ns += u128::from(latency_ns);
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// The summary; `None` if there was no request.
    pub fn summary(&self) -> Option<LatencySummary> {
        if self.count == 0 {
            return None;
        }
        let histogram = self.histogram();
        let quantile = |q| histogram.value_at_quantile(q).clamp(self.min_ns, self.max_ns);
        Some(LatencySummary {
            count: self.count,
            mean: self.sum_ns as f64 / self.count as f64,
            min: self.min_ns,
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: self.max_ns,
        })
    }

    fn histogram(&self) -> Histogram<u32> {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3);
        #[allow(clippy::expect_used)] // The bounds are constants that the constructor accepts.
        let mut histogram = histogram.expect("valid bounds");
        for (bucket, &count) in self.buckets.iter().enumerate().filter(|&(_, &count)| count > 0) {
            histogram.saturating_record_n(begin_of(bucket), count);
        }
        histogram
    }
}

/// Mean response time of several kinds of requests together; `None` if there was none.
pub(crate) fn mean_of<const KINDS: usize>(kinds: [&Latency; KINDS]) -> Option<f64> {
    let count: u64 = kinds.iter().map(|kind| kind.count).sum();
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_are_counted_as_the_histogram_counts_them(
            times in prop::collection::vec((0u64..u64::MAX, 0u32..64), 1..200),
        ) {
            let (mut latency, mut whole) = (Latency::new(), Histogram::<u32>::new_with_bounds(1, LONGEST_NS, 3).unwrap());
            for (time, shift) in times {
                latency.record(time >> shift);
                whole.saturating_record(time >> shift);
            }
            let counted = latency.histogram();
            prop_assert_eq!(counted.len(), latency.count);
            for (own, library) in counted.iter_recorded().zip(whole.iter_recorded()) {
                prop_assert_eq!(own.count_at_value(), library.count_at_value());
                prop_assert_eq!(own.value_iterated_to(), library.value_iterated_to());
            }
            for percent in 0..=100 {
                let quantile = f64::from(percent) / 100.0;
                prop_assert_eq!(counted.value_at_quantile(quantile), whole.value_at_quantile(quantile));
            }
        }
    }
}
