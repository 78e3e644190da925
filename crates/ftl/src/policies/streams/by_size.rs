//! Streams `by-size`: large requests carry cold data.
//!
//! # Idea
//! Hosts write files and logs in large requests and change metadata in small ones, so the length of
//! a request says how soon its pages are written again. It costs no memory.
//!
//! # Paper
//! Chang: Hybrid Solid-State Disks: Combining Heterogeneous NAND Flash in Large SSDs, ASP-DAC 2008.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::Policy;
use crate::address::Lpn;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

/// Parameters of `by-size`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BySizeConfig {
    /// Write requests of at least this size are cold; as Chang (Hybrid Solid-State Disks,
    /// ASP-DAC 2008) tells hot from cold.
    pub cold_bytes: u64,
}

impl Default for BySizeConfig {
    fn default() -> Self {
        BySizeConfig { cold_bytes: 65_536 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct BySize {
    cold_bytes: u64,
    /// Length of the present request.
    request_bytes: u64,
}

impl Policy for BySize {
    type Config = BySizeConfig;
    const SORTS_MOVES: bool = false;

    fn table_bytes(_: &BySizeConfig, _: &Layout) -> u64 {
        0
    }

    fn new(config: &BySizeConfig) -> BySize {
        BySize { cold_bytes: config.cold_bytes, request_bytes: 0 }
    }

    #[inline]
    fn announce(&mut self, bytes: u64, _: u8) {
        self.request_bytes = bytes;
    }

    #[inline]
    fn stream_of(&mut self, _: Lpn) -> Stream {
        Stream::of_hot(self.request_bytes < self.cold_bytes)
    }
}
