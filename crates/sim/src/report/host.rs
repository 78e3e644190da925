//! What the host asked for.

use rewear_ftl::Counters;
use schemars::JsonSchema;
use serde::Serialize;

/// Running counts of requests and bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestCounts {
    /// Reads.
    pub read: u64,
    /// Writes and overwrites.
    pub write: u64,
    /// Trims.
    pub trim: u64,
    /// Flushes.
    pub flush: u64,
    /// Bytes of reads.
    pub bytes_read: u64,
    /// Bytes of writes.
    pub bytes_written: u64,
}

impl RequestCounts {
    /// All requests.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.trim + self.flush
    }
}

/// Requests of the host by kind. One that is torn apart to fit the drive counts once.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RequestKinds {
    /// Reads.
    pub read: u64,
    /// Writes and overwrites.
    pub write: u64,
    /// Trims.
    pub trim: u64,
    /// Flushes.
    pub flush: u64,
}

/// Requests served, and the logical pages and bytes in them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HostReport {
    /// Requests served, by kind.
    pub requests: RequestKinds,
    /// Logical pages read.
    pub host_pages_read: u64,
    /// Of these, pages never written, answered from the map.
    pub unmapped_pages_read: u64,
    /// Logical pages written.
    pub host_pages_written: u64,
    /// Logical pages trimmed.
    pub host_pages_trimmed: u64,
    /// Bytes that read requests asked for.
    pub host_bytes_read: u64,
    /// Bytes that write requests carried.
    pub host_bytes_written: u64,
    /// Logical pages that hold data at the end, of those that are exported; absent for a live
    /// drive.
    pub host_pages_held: Option<u64>,
}

impl HostReport {
    pub(super) fn new(counters: &Counters, requests: &RequestCounts) -> HostReport {
        let &RequestCounts { read, write, trim, flush, bytes_read, bytes_written } = requests;
        HostReport {
            requests: RequestKinds { read, write, trim, flush },
            host_pages_read: counters.host_pages_read,
            unmapped_pages_read: counters.unmapped_pages_read,
            host_pages_written: counters.host_pages_written,
            host_pages_trimmed: counters.host_pages_trimmed,
            host_bytes_read: bytes_read,
            host_bytes_written: bytes_written,
            host_pages_held: None,
        }
    }
}
