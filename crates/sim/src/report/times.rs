//! Response times, and how long the parts of the drive were busy.

use rewear_flash::Nanos;
use serde::Serialize;

use crate::statistics::LatencySummary;

/// Response times by kind of request; absent where there was none.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Latencies {
    pub read: Option<LatencySummary>,
    pub write: Option<LatencySummary>,
}

/// Busy time of each plane and channel.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Busy {
    pub planes: Vec<u64>,
    pub channels: Vec<u64>,
}

/// Mean utilisation.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Utilisation {
    pub planes: f64,
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
