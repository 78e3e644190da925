//! The parameters of `agcr`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the `agcr` scheme. The chip's normal mode is not used: one strong code protects
/// all pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgcrConfig {
    /// Programming of read-only pages, at high cost, per page kind: one value for all, or
    /// `flash.bits_per_cell` values.
    pub high_cost_program_ns: Vec<u64>,
    /// Reading a page that was programmed at high cost.
    pub high_cost_read_ns: Vec<u64>,
    /// Programming of pages that are read and written, at medium cost.
    pub medium_cost_program_ns: Vec<u64>,
    /// Reading a page that was programmed at medium cost.
    pub medium_cost_read_ns: Vec<u64>,
    /// Programming of write-only pages, at low cost.
    pub low_cost_program_ns: Vec<u64>,
    /// Reading a page that was programmed at low cost.
    pub low_cost_read_ns: Vec<u64>,
    /// Accesses of a page that decide.
    pub history: HistoryKind,
    /// Mode of a moved page without known accesses.
    pub unclassified: Unclassified,
}

impl Default for AgcrConfig {
    fn default() -> Self {
        AgcrConfig {
            high_cost_program_ns: vec![2_600_000],
            high_cost_read_ns: vec![75_000],
            medium_cost_program_ns: vec![1_300_000],
            medium_cost_read_ns: vec![110_000],
            low_cost_program_ns: vec![650_000],
            low_cost_read_ns: vec![145_000],
            history: HistoryKind::SinceStart,
            unclassified: Unclassified::Medium,
        }
    }
}

/// Which accesses of a page decide about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryKind {
    /// All since the start of the workload: two bits a page.
    SinceStart,
    /// The latest two.
    Latest,
}

/// The mode of a page without access history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unclassified {
    /// High cost, as for a page that is only read.
    High,
    /// Medium cost.
    Medium,
    /// Low cost, as for a page that is only written.
    Low,
    /// The mode of its last program.
    Keep,
}
