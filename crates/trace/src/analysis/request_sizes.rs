//! How much of what is asked, and in which sizes.

use serde::Serialize;

use super::histogram::{Class, PowerHistogram};
use crate::operation::Operation;
use crate::request::Request;

/// The requests of one operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationSizes {
    /// `read`, `write`, `overwrite`, `trim` or `flush`.
    pub operation: Operation,
    /// Requests.
    pub requests: u64,
    /// Their lengths together.
    pub bytes: u64,
    /// Share of all requests.
    pub share_of_requests: f64,
    /// Share of the bytes read and written; absent for trims and flushes.
    pub share_of_bytes: Option<f64>,
    /// The shortest request with a length.
    pub min_bytes: u64,
    /// Mean length of the requests with a length.
    pub mean_bytes: f64,
    /// The longest request.
    pub max_bytes: u64,
    /// Requests by length in bytes; weight: bytes. Requests without a length are not in it.
    pub sizes: Vec<Class>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    requests: u64,
    with_length: u64,
    bytes: u64,
    min_bytes: Option<u64>,
    max_bytes: u64,
    sizes: PowerHistogram,
}

/// Counts requests. A few kilobytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestSizes {
    operations: [Counts; Operation::ALL.len()],
}

impl RequestSizes {
    pub(crate) fn add(&mut self, request: &Request) {
        let counts = &mut self.operations[request.operation as usize];
        let length = request.length_bytes;
        counts.requests += 1;
        if length == 0 {
            return;
        }
        counts.with_length += 1;
        counts.bytes = counts.bytes.saturating_add(length);
        counts.min_bytes = Some(counts.min_bytes.map_or(length, |least| least.min(length)));
        counts.max_bytes = counts.max_bytes.max(length);
        counts.sizes.add(length, length);
    }

    /// The operations that occur.
    pub(crate) fn finish(&self) -> Vec<OperationSizes> {
        let requests: u64 = self.operations.iter().map(|counts| counts.requests).sum();
        let moves_data = |operation: Operation| operation.is_write() || operation == Operation::Read;
        let bytes: u64 = Operation::ALL
            .iter()
            .filter(|&&operation| moves_data(operation))
            .fold(0, |sum, &operation| sum.saturating_add(self.operations[operation as usize].bytes));
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Operation::ALL
            .iter()
            .map(|&operation| (operation, &self.operations[operation as usize]))
            .filter(|(_, counts)| counts.requests > 0)
            .map(|(operation, counts)| OperationSizes {
                operation,
                requests: counts.requests,
                bytes: counts.bytes,
                share_of_requests: share(counts.requests, requests),
                share_of_bytes: moves_data(operation).then(|| share(counts.bytes, bytes)),
                min_bytes: counts.min_bytes.unwrap_or(0),
                mean_bytes: share(counts.bytes, counts.with_length),
                max_bytes: counts.max_bytes,
                sizes: counts.sizes.classes(),
            })
            .collect()
    }
}
