//! Write amplification: one definition for every scheme.

use schemars::JsonSchema;
use serde::Serialize;

use crate::long_run::Mark;

/// What the host's writes became, in bytes. Absent where the host wrote nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Amplification {
    /// Bytes programmed into cells over bytes that the host wrote: everything counts, whatever its
    /// cause, in whole flash pages. A second write programs two pages, a WOM-v code as many as it
    /// needs.
    pub write_amplification: Option<f64>,
    /// The same in data capacity: bytes of data in what was programmed over bytes that the host
    /// wrote. Moves, rewrites, metadata and the rest of pages that the host wrote in part are in
    /// it; what a code adds is not.
    pub write_amplification_of_data: Option<f64>,
    /// Bytes programmed into cells for each byte of data programmed: what codes add. 1 on a plain
    /// drive; the product of the two is `write_amplification`.
    pub code_expansion: Option<f64>,
}

impl Amplification {
    /// Of what was done between two marks.
    pub(super) fn between(from: Option<&Mark>, to: &Mark) -> Amplification {
        let since = |read: fn(&Mark) -> u64| (read(to) - from.map_or(0, read)) as f64;
        let (host, cells, data) = (
            since(|mark| mark.host_bytes),
            since(|mark| mark.programmed_bytes),
            since(|mark| mark.data_bytes),
        );
        let ratio = |of: f64, to: f64| (to > 0.0).then(|| of / to);
        Amplification {
            write_amplification: ratio(cells, host),
            write_amplification_of_data: ratio(data, host),
            code_expansion: ratio(cells, data),
        }
    }
}
