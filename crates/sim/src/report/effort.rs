//! The report of an effort scheme: what was done in which mode, and what its record of accesses
//! takes.

use rewear_ftl::effort::counts::{Figures, ModeCounts};
use schemars::JsonSchema;
use serde::Serialize;

/// What an effort scheme did. Counts are logical pages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EffortReport {
    /// Operations by programming mode.
    pub modes: Vec<ModeReport>,
    /// Flash pages programmed in modes faster than the chip's normal one.
    pub coarse_programs: u64,
    /// Bytes that the record of accesses takes in the drive.
    pub history_bytes: u64,
    /// Bytes that the tags of pages with their modes take in the drive.
    pub tag_bytes: u64,
    /// Times that the record was aged.
    pub decays: u64,
    /// Estimated probability that a page which was never read looks as if it had been; absent where
    /// the record is exact.
    pub false_read_hits: Option<f64>,
    /// The same for pages never written.
    pub false_write_hits: Option<f64>,
}

/// One programming mode.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModeReport {
    /// Its name.
    pub mode: &'static str,
    /// What was done in it.
    #[serde(flatten)]
    pub counts: ModeCounts,
    /// Share of all host reads, host writes and rewrites that were in this mode (Figure 9 of the
    /// paper); absent without any.
    pub share: Option<f64>,
}

impl EffortReport {
    pub(crate) fn new(figures: Figures, coarse_programs: u64) -> EffortReport {
        let operations = |counts: &ModeCounts| counts.host_reads + counts.host_writes + counts.rewrites;
        let all: u64 = figures.modes.iter().map(|(_, counts)| operations(counts)).sum();
        let modes = figures.modes.iter().map(|&(mode, counts)| ModeReport {
            mode,
            counts,
            share: (all > 0).then(|| operations(&counts) as f64 / all as f64),
        });
        EffortReport {
            modes: modes.collect(),
            coarse_programs,
            history_bytes: figures.history_bytes,
            tag_bytes: figures.tag_bytes,
            decays: figures.decays,
            false_read_hits: figures.false_read_hits,
            false_write_hits: figures.false_write_hits,
        }
    }
}
