//! What was done in which programming mode.

use rewear_flash::ProgramMode;
use schemars::JsonSchema;
use serde::Serialize;

/// Operations on logical pages in one mode, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModeCounts {
    /// Programs for host writes.
    pub host_writes: u64,
    /// Host reads of pages that were programmed in this mode.
    pub host_reads: u64,
    /// Programs of pages that cleaning moved.
    pub moved: u64,
    /// Programs of pages to make them cheaper to read.
    pub rewrites: u64,
    /// Pages in this mode that were moved, to whatever mode.
    #[serde(skip)]
    pub moved_from: u64,
    /// Pages in this mode that were rewritten to make them cheaper to read.
    #[serde(skip)]
    pub rewritten_from: u64,
}

impl ModeCounts {
    /// Programs, whatever their cause.
    pub fn programs(&self) -> u64 {
        self.host_writes + self.moved + self.rewrites
    }
}

/// The counts of all modes.
pub(crate) type Counts = [ModeCounts; 4];

#[inline]
pub(crate) fn of(counts: &mut Counts, mode: ProgramMode) -> &mut ModeCounts {
    &mut counts[usize::from(mode.0) & 3]
}

/// What an effort scheme says about itself after a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The modes, by name, and what was done in each.
    pub modes: Vec<(&'static str, ModeCounts)>,
    /// Bytes that the scheme's record of accesses takes in the drive.
    pub history_bytes: u64,
    /// Bytes that the tags of pages with their modes take in the drive.
    pub tag_bytes: u64,
    /// Times that the record was aged.
    pub decays: u64,
    /// Probability that a page which was never read looks as if it had been, estimated from the
    /// filters' load whenever they age and averaged; absent where the record is exact.
    pub false_read_hits: Option<f64>,
    /// The same for pages never written.
    pub false_write_hits: Option<f64>,
}
