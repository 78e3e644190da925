//! The report of the queues: how many operations each service unit had before it when requests
//! arrived.

use rewear_flash::QueueLengths;
use schemars::JsonSchema;
use serde::Serialize;

/// Operations of a service unit (plane or die) that waited or were under way when a request
/// arrived, over all requests and units. An operation is a read, a program, a copyback or an erase,
/// whatever its cause.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueueReport {
    /// Queues seen: requests times units.
    pub seen: u64,
    /// Mean length.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Longest.
    pub max: u64,
    /// Share of the queues that were empty.
    pub idle_share: f64,
}

impl QueueReport {
    pub(crate) fn new(queues: &QueueLengths) -> QueueReport {
        QueueReport {
            seen: queues.seen(),
            mean: queues.mean(),
            p50: queues.quantile(0.5),
            p95: queues.quantile(0.95),
            p99: queues.quantile(0.99),
            max: queues.longest(),
            idle_share: queues.idle_share(),
        }
    }
}
