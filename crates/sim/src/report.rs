//! What a replay reports: one schema for every scheme.

use rewear_ftl::DriveConfig;
use rewear_trace::{Description, Omissions, Source};
use serde::Serialize;

use crate::derived::Derived;
use crate::effort::EffortReport;
use crate::energy::EnergyReport;
use crate::error::SimError;
use crate::load::Drive;
use crate::observers::WarmedUp;
use crate::options::{ArrivalKind, ReplayOptions};
use crate::precondition::Preconditioned;
use crate::queues::QueueReport;
use crate::recycle_report::RecycleReport;
use crate::replay::Replay;
use crate::second_writes::SecondWriteReport;
use crate::series::Interval;
use crate::statistics::{LatencySummary, Spread, mean_of};

/// Version of the report's schema.
pub const SCHEMA: u32 = 1;

/// The report of a replay. Physical quantities count flash pages, host quantities logical pages of the drive.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Version of this schema.
    pub schema: u32,
    /// Version of Rewear.
    pub rewear: &'static str,
    /// Seed of the replay.
    pub seed: u64,
    /// Whether every request was served.
    pub complete: bool,
    /// Why not.
    pub stopped_because: Option<String>,
    /// What a reader of the figures must know.
    pub notes: Vec<String>,
    /// The drive.
    pub drive: DriveReport,
    /// The workload.
    pub source: SourceReport,
    /// How it was replayed.
    pub replay: ReplayReport,
    /// Requests served, by kind.
    pub requests: RequestKinds,
    /// Logical pages read.
    pub host_pages_read: u64,
    /// Of these, pages never written, answered from the map.
    pub unmapped_pages_read: u64,
    /// Logical pages written.
    pub host_pages_written: u64,
    /// Logical pages trimmed.
    pub host_pages_trimmed: u64,
    /// Bytes that read requests asked for.
    pub host_bytes_read: u64,
    /// Bytes that write requests carried.
    pub host_bytes_written: u64,
    /// Flash pages programmed, by cause.
    pub pages_programmed: PagesProgrammed,
    /// Flash pages read, by cause.
    pub pages_read: PagesRead,
    /// Logical pages moved: by cleaning, by wear levelling, and off erase units that are to be retired.
    pub pages_moved: u64,
    /// Logical pages rewritten to be read more cheaply.
    pub pages_rewritten: u64,
    /// Of the pages moved, those moved by wear levelling.
    pub pages_levelled: u64,
    /// Of the pages moved, those moved in idle time.
    pub pages_moved_idle: u64,
    /// Host writes answered by an invalid page with the same content.
    pub writes_recycled: u64,
    /// Host writes answered by sharing a valid page with the same content.
    pub writes_deduplicated: u64,
    /// Host writes that were never programmed, because their page was written again or trimmed in the write buffer.
    pub writes_absorbed: u64,
    /// Host writes by the overwrite command that came to the flash, on a drive that makes use of it.
    pub overwrites: u64,
    /// Host reads answered from the write buffer.
    pub reads_from_buffer: u64,
    /// Erases that were suspended for a host's read, counted each time.
    pub erase_suspensions: u64,
    /// Programs of pages that already held data.
    pub reprograms: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Of these, blocks erased since the host had written half of its pages. Where blocks are written several times before they are
    /// erased, the first half shows fewer erases than it costs.
    pub erases_in_second_half: u64,
    /// Erases plus the part of its present cycle that each block has used up meanwhile. A run shorter than a few cycles of
    /// a code that writes a block several times shows fewer erases than it will cost; this figure does not.
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
    /// Logical pages that a slot did not take, because its code could not hold the data; another slot was written.
    pub writes_refused: u64,
    /// Second writes, on a drive that makes them.
    pub second_writes: Option<SecondWriteReport>,
    /// Programs of logical pages that failed; each counts under its cause, and the page was programmed once more.
    pub program_failures: u64,
    /// Erases of blocks that failed.
    pub erase_failures: u64,
    /// Blocks that were bad from the factory or on which an operation failed since.
    pub bad_blocks: u32,
    /// Erase units out of service because a block is bad or worn out.
    pub retired_units: u32,
    /// Flash pages programmed over flash pages that the host's writes occupy. Not the figure of merit here: a code that
    /// programs twice and erases nothing has a write amplification too. Look at erases and data per erase.
    pub write_amplification: Option<f64>,
    /// Bytes that the host wrote for every block erased.
    pub host_bytes_per_erase: Option<f64>,
    /// What the recycling scheme did; absent without one.
    pub recycling: Option<RecycleReport>,
    /// Wear: erases of each block in this replay.
    pub erases_per_block: Spread,
    /// Response times in nanoseconds.
    pub latency_ns: Latencies,
    /// Mean response time of reads and writes together.
    pub mean_response_ns: Option<f64>,
    /// What the effort scheme did; absent where it has no choice.
    pub effort: Option<EffortReport>,
    /// Queues of the service units when requests arrived; absent unless asked for.
    pub queues: Option<QueueReport>,
    /// Busy times.
    pub busy_ns: Busy,
    /// Energy by cause in joules, an estimate; absent without `flash.energy`.
    pub energy_j: Option<EnergyReport>,
    /// Mean share of the time that planes and channels were busy.
    pub utilisation: Utilisation,
    /// Simulated time from the end of the warm-up (or from 0) to the end of the last request, and of the programs of what a
    /// write buffer held then.
    pub simulated_ns: u64,
    /// When the warm-up ended, if one was asked for; all other figures are of the time since.
    pub warmed_up: Option<WarmedUp>,
    /// The time series, if one was asked for; warm-up included.
    pub series: Option<Vec<Interval>>,
}

/// The drive of a report.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// Name.
    pub name: String,
    /// Full configuration.
    pub configuration: DriveConfig,
    /// What follows from it.
    pub derived: Vec<Derived>,
}

/// The workload of a report.
#[derive(Debug, Clone, Serialize)]
pub struct SourceReport {
    /// What it is.
    #[serde(flatten)]
    pub description: Description,
    /// What was left out in reading.
    pub omissions: Omissions,
}

/// The options of a report.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayReport {
    /// The options.
    #[serde(flatten)]
    pub options: ReplayOptions,
    /// The arrival that was used.
    #[serde(rename = "arrival_used")]
    pub arrival: ArrivalKind,
    /// What preconditioning did.
    pub preconditioned: Preconditioned,
}

/// Running counts of requests and bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestCounts {
    /// Reads.
    pub read: u64,
    /// Writes and overwrites.
    pub write: u64,
    /// Trims.
    pub trim: u64,
    /// Flushes.
    pub flush: u64,
    /// Bytes of reads.
    pub bytes_read: u64,
    /// Bytes of writes.
    pub bytes_written: u64,
}

impl RequestCounts {
    /// All requests.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.trim + self.flush
    }
}

/// Requests by kind.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct RequestKinds {
    pub read: u64,
    pub write: u64,
    pub trim: u64,
    pub flush: u64,
}

/// Flash pages programmed, by cause.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PagesProgrammed {
    pub host: u64,
    pub moved: u64,
    pub rewritten: u64,
    pub metadata: u64,
    pub total: u64,
}

/// Flash pages read, by cause.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PagesRead {
    pub host: u64,
    pub moved: u64,
    pub read_modify_write: u64,
    pub before_write: u64,
    pub rewritten: u64,
    pub verification: u64,
    pub metadata: u64,
    pub total: u64,
}

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

impl Report {
    pub(crate) fn new(
        drive: &Drive,
        source: &dyn Source,
        options: &ReplayOptions,
        arrival: ArrivalKind,
        preconditioned: Preconditioned,
        mut run: Replay<'_>,
        stopped_because: Option<String>,
    ) -> Result<Report, SimError> {
        let never_steady = run.observers.finish()?;
        let series = run.observers.series.take().map(|series| series.finish(run.ftl.counters()));
        let began_ns = run.warmed_up.map_or(0, |warm| warm.at_ns);
        let measured_ns = run.end_ns - began_ns;
        let (ftl, requests) = (&run.ftl, run.requests);
        let (counters, programmed, read) = (ftl.counters(), ftl.counters().programmed, ftl.counters().read);
        let host_slots = counters.host_pages_written * u64::from(ftl.layout().slot_pages);
        let (planes, channels) = ftl.array().busy_ns();
        let energy = rewear_flash::Energy::new(&drive.configuration().flash)?;
        let share = |busy: &[u64]| match (busy.len() as f64) * measured_ns as f64 {
            0.0 => 0.0,
            all => busy.iter().sum::<u64>() as f64 / all,
        };
        let mut report = Report {
            schema: SCHEMA,
            rewear: env!("CARGO_PKG_VERSION"),
            seed: options.seed,
            complete: stopped_because.is_none(),
            stopped_because,
            notes: Vec::new(),
            drive: DriveReport {
                name: drive.name().to_string(),
                configuration: drive.configuration().clone(),
                derived: drive.derived().unwrap_or_default(),
            },
            source: SourceReport { description: source.description(), omissions: source.omissions() },
            replay: ReplayReport { options: options.clone(), arrival, preconditioned },
            requests: RequestKinds {
                read: requests.read,
                write: requests.write,
                trim: requests.trim,
                flush: requests.flush,
            },
            host_pages_read: counters.host_pages_read,
            unmapped_pages_read: counters.unmapped_pages_read,
            host_pages_written: counters.host_pages_written,
            host_pages_trimmed: counters.host_pages_trimmed,
            host_bytes_read: requests.bytes_read,
            host_bytes_written: requests.bytes_written,
            pages_programmed: PagesProgrammed {
                host: programmed.host,
                moved: programmed.moved,
                rewritten: programmed.rewritten,
                metadata: programmed.metadata,
                total: programmed.total(),
            },
            pages_read: PagesRead {
                host: read.host,
                moved: read.moved,
                read_modify_write: read.read_modify_write,
                before_write: read.before_write,
                rewritten: read.rewritten,
                verification: read.verification,
                metadata: read.metadata,
                total: read.total(),
            },
            pages_moved: counters.pages_moved,
            pages_rewritten: counters.pages_rewritten,
            pages_levelled: counters.pages_levelled,
            pages_moved_idle: counters.pages_moved_idle,
            writes_recycled: counters.writes_recycled,
            writes_deduplicated: counters.writes_deduplicated,
            writes_absorbed: counters.writes_absorbed,
            overwrites: counters.overwrites,
            reads_from_buffer: counters.reads_from_buffer,
            erase_suspensions: ftl.array().priority().map_or(0, |priority| priority.suspensions()),
            reprograms: ftl.reprograms(),
            erases: counters.erases,
            erases_in_second_half: run.halves.second_half(counters.host_pages_written, counters.erases),
            erase_equivalents: ftl.erase_equivalents(),
            reopens: counters.reopens,
            seals: counters.seals,
            garbage_collections: counters.garbage_collections,
            idle_collections: counters.idle_collections,
            victim_valid_share: (counters.garbage_collections > 0).then(|| {
                let pages = counters.garbage_collections * u64::from(ftl.layout().slots_per_unit);
                counters.victim_valid_pages as f64 / pages as f64
            }),
            levellings: counters.levellings,
            writes_refused: counters.writes_refused,
            second_writes: SecondWriteReport::new(ftl),
            program_failures: counters.program_failures,
            erase_failures: counters.erase_failures,
            bad_blocks: ftl.bad_blocks(),
            retired_units: ftl.retired_units(),
            write_amplification: (host_slots > 0).then(|| programmed.total() as f64 / host_slots as f64),
            host_bytes_per_erase: (counters.erases > 0)
                .then(|| requests.bytes_written as f64 / counters.erases as f64),
            recycling: ftl.recycle_counters().map(|counters| {
                RecycleReport::new(&counters, run.contents.as_ref().map_or((0, 0), |all| all.known_of_all()))
            }),
            erases_per_block: Spread::of(ftl.erases_per_block().collect::<Vec<_>>().into_iter()),
            latency_ns: Latencies { read: run.reads.summary(), write: run.writes.summary() },
            mean_response_ns: mean_of([&run.reads, &run.writes]),
            effort: ftl.effort_figures().map(EffortReport::new),
            queues: ftl.array().queue_lengths().map(QueueReport::new),
            energy_j: energy
                .map(|each| EnergyReport::new(&each, &programmed, &read, counters.erases, &channels)),
            utilisation: Utilisation { planes: share(&planes), channels: share(&channels) },
            busy_ns: Busy { planes, channels },
            simulated_ns: measured_ns,
            warmed_up: run.warmed_up,
            series,
        };
        report.notes = notes(&report, source.volumes().len());
        if never_steady {
            report.notes.push(
                "The warm-up never ended: the workload was over before the drive was steady (or had served the requests to leave \
                 out), so the figures are of the whole run."
                    .to_string(),
            );
        }
        Ok(report)
    }
}

/// What a reader of the figures must know.
fn notes(report: &Report, volumes: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if report.garbage_collections == 0 && report.host_pages_written > 0 && report.complete {
        notes.push(
            "Garbage collection never ran: the drive had free space to the end, so erases, write amplification and pages moved say \
             nothing about the scheme. Use a smaller drive, --precondition fill or steady, or --loops."
                .to_string(),
        );
    }
    // A few reads of blank pages, as of a file system that is being made, say nothing; many do.
    if report.unmapped_pages_read * 100 > report.host_pages_read {
        notes.push(format!(
            "{} of {} page reads were of pages never written; they were answered from the map in no time, which lowers the read \
             response time. --precondition fill writes every page first.",
            report.unmapped_pages_read, report.host_pages_read
        ));
    }
    if report.utilisation.planes > 0.95 && report.replay.arrival == ArrivalKind::Trace {
        notes.push(format!(
            "The planes were busy {:.0}% of the time: the drive cannot keep up with the arrivals, queues grow to the end, and \
             response times say how long the run was.",
            report.utilisation.planes * 100.0
        ));
    }
    notes.extend(report.recycling.as_ref().and_then(RecycleReport::note));
    let unit = &report.source.description.time_unit;
    if unit.contains("guess") && report.replay.arrival == ArrivalKind::Trace {
        notes.push(format!(
            "The file does not say its unit of time: {unit}. Response times depend on it; FILE:time_unit=ms (or ns, us, s) sets it."
        ));
    }
    if volumes > 1 && report.replay.options.fit != Some(crate::options::FitKind::Dense) {
        notes.push(format!(
            "The trace has {volumes} volumes whose addresses were laid over each other. Choose one volume, or --fit dense to lay them \
             side by side."
        ));
    }
    if let Some(energy) = &report.drive.configuration.flash.energy {
        notes.push(format!(
            "Energy is an estimate: counts times the energy of an operation, of the flash and its channels alone. Source: {}",
            energy.source
        ));
    }
    if let Some(reason) = &report.stopped_because {
        notes.push(format!("Incomplete: {reason}. All figures are of the requests served before."));
    }
    notes
}
