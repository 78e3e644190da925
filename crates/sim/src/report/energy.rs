//! What a replay took in energy: an estimate from the counts of the report and the energy of one
//! operation each.

use rewear_flash::Energy;
use rewear_ftl::Counters;
use schemars::JsonSchema;
use serde::Serialize;

/// Energy by cause, in joules. An estimate: the configuration's `flash.energy` times counts, with
/// the mean over the kinds of pages for every page. Controller, memory and host interface are not
/// in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EnergyReport {
    /// Reading pages for the host.
    pub host_reads: f64,
    /// Programming pages for the host.
    pub host_programs: f64,
    /// Reading and programming the pages that cleaning moved.
    pub moved: f64,
    /// Programming pages to make them cheaper to read, and reading them for it in idle time.
    pub rewritten: f64,
    /// Reading pages because a write covered a part of them only.
    pub read_modify_write: f64,
    /// Reading pages because a code must know what the cells hold before it writes them.
    pub before_write: f64,
    /// Reading pages to compare them with a write of the same fingerprint.
    pub verification: f64,
    /// Reading and programming the translation layer's own records.
    pub metadata: f64,
    /// Erasing blocks.
    pub erases: f64,
    /// Transfers over the channels, whatever their cause.
    pub transfers: f64,
    /// The sum of all.
    pub total: f64,
}

impl EnergyReport {
    /// Of the counts of a replay and the time that its channels transferred.
    pub(super) fn new(each: &Energy, counters: &Counters, channels_busy_ns: &[u64]) -> EnergyReport {
        let (programmed, read) = (&counters.programmed, &counters.read);
        let (reads_j, programs_j) =
            (|pages: u64| pages as f64 * each.read_j, |pages: u64| pages as f64 * each.program_j);
        let busy_ns: u64 = channels_busy_ns.iter().sum();
        let mut energy = EnergyReport {
            host_reads: reads_j(read.host),
            host_programs: programs_j(programmed.host),
            moved: reads_j(read.moved) + programs_j(programmed.moved),
            rewritten: reads_j(read.rewritten) + programs_j(programmed.rewritten),
            read_modify_write: reads_j(read.read_modify_write),
            before_write: reads_j(read.before_write),
            verification: reads_j(read.verification),
            metadata: reads_j(read.metadata) + programs_j(programmed.metadata),
            erases: counters.erases as f64 * each.erase_j,
            transfers: busy_ns as f64 * each.transfer_j_per_ns,
            total: 0.0,
        };
        energy.total = energy.host_reads
            + energy.host_programs
            + energy.moved
            + energy.rewritten
            + energy.read_modify_write
            + energy.before_write
            + energy.verification
            + energy.metadata
            + energy.erases
            + energy.transfers;
        energy
    }
}
