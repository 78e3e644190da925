//! How long a step takes to program and a number of references to read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::within;
use crate::Nanos;
use crate::error::ConfigError;

/// Times of which those of a mode are made. The defaults solve Table I of the differentiated-ECC
/// paper: programs of 650, 1300, 2600 us are 1 / step, LDPC reads of 75 and 145 us are one and
/// three sensings of 35 us and 40 us besides, BCH reads of 45 us one sensing and 10 us.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LatencyConfig {
    /// Programming a page with the normal step; the number of pulses, and so the time, goes as 1 /
    /// step.
    pub program_ns: Nanos,
    /// Sensing a page once, with one reference for each boundary it is read at.
    pub sense_ns: Nanos,
    /// Further time of a BCH read: decoding and all that is constant.
    pub bch_decode_ns: Nanos,
    /// Further time of an LDPC read.
    pub ldpc_decode_ns: Nanos,
}

impl Default for LatencyConfig {
    fn default() -> Self {
        LatencyConfig {
            program_ns: 1_300_000,
            sense_ns: 35_000,
            bch_decode_ns: 10_000,
            ldpc_decode_ns: 40_000,
        }
    }
}

impl LatencyConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        const MOST_NS: f64 = 1e12;
        let times = [
            ("latency.program_ns", self.program_ns),
            ("latency.sense_ns", self.sense_ns),
            ("latency.bch_decode_ns", self.bch_decode_ns),
            ("latency.ldpc_decode_ns", self.ldpc_decode_ns),
        ];
        times.iter().try_for_each(|&(key, ns)| within(key, ns as f64, 0.0, MOST_NS))
    }

    /// Programming a page with a step of `ratio` times the normal one.
    pub fn program_ns(&self, ratio: f64) -> Nanos {
        libm::round(self.program_ns as f64 / ratio) as Nanos
    }

    /// Reading a BCH page.
    pub fn bch_read_ns(&self) -> Nanos {
        self.sense_ns + self.bch_decode_ns
    }

    /// Reading an LDPC page with so many references at each boundary.
    pub fn ldpc_read_ns(&self, references: usize) -> Nanos {
        self.sense_ns * references as Nanos + self.ldpc_decode_ns
    }
}
