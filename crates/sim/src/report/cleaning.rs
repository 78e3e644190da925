//! What became of erase units: erases, reopening, victims, failures.

use rewear_ftl::Ftl;
use schemars::JsonSchema;
use serde::Serialize;

use crate::halves::Halves;

/// Erases, and what was done instead of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CleaningReport {
    /// Erases that were suspended for a host's read, counted each time.
    pub erase_suspensions: u64,
    /// Programs of pages that already held data.
    pub reprograms: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Of these, blocks erased since the host had written half of its pages. Where blocks are
    /// written several times before they are erased, the first half shows fewer erases than it
    /// costs.
    pub erases_in_second_half: u64,
    /// Erases plus the part of its present cycle that each block has used up meanwhile. A run
    /// shorter than a few cycles of a code that writes a block several times shows fewer erases
    /// than it will cost; this figure does not.
    pub erase_equivalents: f64,
    /// Erase units given back for writing without an erase.
    pub reopens: u64,
    /// Erase units whose high pages were opened for writing while their low pages kept their data.
    pub seals: u64,
    /// Victims that cleaning took.
    pub garbage_collections: u64,
    /// Of these, victims that were finished in idle time.
    pub idle_collections: u64,
    /// Mean share of valid pages in the victims; absent if there was none.
    pub victim_valid_share: Option<f64>,
    /// Erase units of cold data that wear levelling emptied.
    pub levellings: u64,
    /// Logical pages that a slot did not take, because its code could not hold the data; another
    /// slot was written.
    pub writes_refused: u64,
}

impl CleaningReport {
    pub(super) fn new(ftl: &Ftl, halves: &Halves) -> CleaningReport {
        let counters = ftl.counters();
        let victims = counters.garbage_collections;
        let victim_slots = victims * u64::from(ftl.layout().slots_per_unit);
        CleaningReport {
            erase_suspensions: ftl.array().priority().map_or(0, |priority| priority.suspensions()),
            reprograms: ftl.reprograms(),
            erases: counters.erases,
            erases_in_second_half: halves.second_half(counters.host_pages_written, counters.erases),
            erase_equivalents: ftl.erase_equivalents(),
            reopens: counters.reopens,
            seals: counters.seals,
            garbage_collections: victims,
            idle_collections: counters.idle_collections,
            victim_valid_share: (victims > 0)
                .then(|| counters.victim_valid_pages as f64 / victim_slots as f64),
            levellings: counters.levellings,
            writes_refused: counters.writes_refused,
        }
    }
}

/// Operations that failed, and blocks out of service.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FailureReport {
    /// Programs of logical pages that failed; each counts under its cause, and the page was
    /// programmed once more.
    pub program_failures: u64,
    /// Erases of blocks that failed.
    pub erase_failures: u64,
    /// Blocks that were bad from the factory or on which an operation failed since.
    pub bad_blocks: u32,
    /// Erase units out of service because a block is bad or worn out.
    pub retired_units: u32,
}

impl FailureReport {
    pub(super) fn new(ftl: &Ftl) -> FailureReport {
        FailureReport {
            program_failures: ftl.counters().program_failures,
            erase_failures: ftl.counters().erase_failures,
            bad_blocks: ftl.bad_blocks(),
            retired_units: ftl.retired_units(),
        }
    }
}
