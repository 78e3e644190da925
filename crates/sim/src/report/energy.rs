//! What a replay took in energy: an estimate from the counts of the report and the energy of one
//! operation each.

use rewear_flash::energy::ModeEnergy;
use rewear_flash::timing::Timing;
use rewear_flash::{Energy, ProgramMode};
use rewear_ftl::Counters;
use rewear_ftl::effort::counts::ModeCounts;
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
    /// Reading and programming the translation layer's own records.
    pub metadata: f64,
    /// Erasing blocks.
    pub erases: f64,
    /// The sum of all.
    pub total: f64,
}

impl EnergyReport {
    /// Of the counts of a replay, and what modes cost.
    pub(super) fn new(each: &Energy, counters: &Counters, modes: &ModeCosts) -> EnergyReport {
        let (programmed, read) = (&counters.programmed, &counters.read);
        let reads_j = |pages: u64, cost: f64| pages as f64 * each.read_j * cost;
        let programs_j = |pages: u64, cost: f64| pages as f64 * each.program_j * cost;
        let mut energy = EnergyReport {
            host_reads: reads_j(read.host, modes.host_reads),
            host_programs: programs_j(programmed.host, modes.host_programs),
            moved: reads_j(read.moved, modes.moved_reads)
                + programs_j(programmed.moved, modes.moved_programs),
            rewritten: reads_j(read.rewritten, modes.rewritten_reads)
                + programs_j(programmed.rewritten, modes.rewritten_programs),
            read_modify_write: reads_j(read.read_modify_write, modes.other_reads),
            before_write: reads_j(read.before_write, modes.other_reads),
            metadata: reads_j(read.metadata, 1.0) + programs_j(programmed.metadata, 1.0),
            erases: counters.erases as f64 * each.erase_j,
            total: 0.0,
        };
        energy.total = energy.host_reads
            + energy.host_programs
            + energy.moved
            + energy.rewritten
            + energy.read_modify_write
            + energy.before_write
            + energy.metadata
            + energy.erases;
        energy
    }
}

/// What operations of a cause cost on average in the modes in which they were done, as multiples of
/// the chip's normal mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModeCosts {
    host_reads: f64,
    host_programs: f64,
    moved_reads: f64,
    moved_programs: f64,
    rewritten_reads: f64,
    rewritten_programs: f64,
    /// Reads whose modes are not counted: they find the modes that were programmed.
    other_reads: f64,
}

impl ModeCosts {
    pub(super) fn new(energy: ModeEnergy, timing: &Timing, counts: &[ModeCounts; 4]) -> ModeCosts {
        let used = &counts[..timing.modes().min(counts.len())];
        let costs: Vec<Cost> =
            (0..).map(ProgramMode).take(used.len()).map(|mode| Cost::new(energy, timing, mode)).collect();
        let mean = |count: fn(&ModeCounts) -> u64, cost: fn(&Cost) -> f64| {
            let all: u64 = used.iter().map(count).sum();
            let sum: f64 = used.iter().zip(&costs).map(|(of, each)| count(of) as f64 * cost(each)).sum();
            if all == 0 { 1.0 } else { sum / all as f64 }
        };
        let reads = |count: fn(&ModeCounts) -> u64| mean(count, |cost| cost.read);
        let programs = |count: fn(&ModeCounts) -> u64| mean(count, |cost| cost.program);
        ModeCosts {
            host_reads: reads(|of| of.host_reads),
            host_programs: programs(|of| of.host_writes),
            moved_reads: reads(|of| of.moved_from),
            moved_programs: programs(|of| of.moved),
            rewritten_reads: reads(|of| of.rewritten_from),
            rewritten_programs: programs(|of| of.rewrites),
            other_reads: reads(ModeCounts::programs),
        }
    }
}

/// Sensing and programming a page in a mode, as multiples of the normal mode.
struct Cost {
    read: f64,
    program: f64,
}

impl Cost {
    fn new(energy: ModeEnergy, timing: &Timing, mode: ProgramMode) -> Cost {
        let ratio = |ns: f64, normal_ns: f64| if normal_ns > 0.0 { ns / normal_ns } else { 1.0 };
        let (normal, own) = (timing.mean_ns(ProgramMode::NORMAL), timing.mean_ns(mode));
        match energy {
            ModeEnergy::AsNormal => Cost { read: 1.0, program: 1.0 },
            ModeEnergy::ByTime => Cost { read: ratio(own.0, normal.0), program: ratio(own.1, normal.1) },
        }
    }
}
