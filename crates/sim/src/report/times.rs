//! Response times, and how long the parts of the drive were busy.

use rewear_flash::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

use crate::statistics::LatencySummary;

/// Response times by kind of request; absent where there was none.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Latencies {
    /// Reads, from arrival to the last page.
    pub read: Option<LatencySummary>,
    /// Writes and overwrites.
    pub write: Option<LatencySummary>,
    /// Flushes: until all earlier writes have ended, and those in a write buffer that a power failure
    /// empties are programmed. No part of `mean_response_ns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<LatencySummary>,
}

/// Busy time of each plane and channel.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Busy {
    /// Nanoseconds of each plane, die by die.
    pub planes: Vec<u64>,
    /// Nanoseconds of each channel.
    pub channels: Vec<u64>,
}

/// Mean utilisation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Utilisation {
    /// Of the planes, 0 to 1.
    pub planes: f64,
    /// Of the channels, 0 to 1.
    pub channels: f64,
}

impl Utilisation {
    /// Of a run of `measured_ns`; 0 where nothing was measured.
    pub(super) fn new(busy: &Busy, measured_ns: Nanos) -> Utilisation {
        let share = |busy: &[u64]| match (busy.len() as f64) * measured_ns as f64 {
            0.0 => 0.0,
            all => busy.iter().sum::<u64>() as f64 / all,
        };
        Utilisation { planes: share(&busy.planes), channels: share(&busy.channels) }
    }
}
