//! What a replay reports: one schema for every scheme, put together from parts.
//!
//! In JSON most parts are flat: their fields stand beside each other in the order of [`Report`].

mod amplification;
mod circumstances;
mod cleaning;
pub mod effort;
pub mod energy;
mod host;
pub(crate) mod life;
mod notes;
mod pages;
pub mod queues;
mod recycling;
mod second_writes;
mod slc_cache;
mod streams;
mod times;
mod wear;

use rewear_flash::Energy;
use rewear_ftl::Ftl;
use rewear_ftl::state::events::Events;
use schemars::JsonSchema;
use serde::Serialize;

pub use amplification::Amplification;
pub use circumstances::{Circumstances, DriveReport, ReplayReport, SourceReport};
pub use cleaning::{CleaningReport, FailureReport};
pub use effort::EffortReport;
pub use energy::EnergyReport;
use energy::ModeCosts;
pub use host::{HostReport, RequestCounts, RequestKinds};
use life::Ran;
pub use life::{LifeEnds, LifeReport};
pub(crate) use notes::{clock_jumped, folded, ran_behind, waited};
pub use pages::{MoveReport, PagesProgrammed, PagesRead};
pub use queues::QueueReport;
pub use recycling::RecycleReport;
pub use second_writes::SecondWriteReport;
pub use slc_cache::SlcCacheReport;
pub use streams::{StreamReport, StreamsReport};
pub use times::{Busy, Latencies, Utilisation};
pub use wear::{CycleClass, LongRunReport, PeCycles, TooShort, WearReport};

use crate::error::SimError;
use crate::host::Served;
use crate::long_run::{Mark, Marks};
use crate::observers::WarmedUp;
use crate::series::Interval;
use crate::statistics::{Spread, mean_of};

/// Version of the report's schema.
pub const SCHEMA: u32 = 1;

/// The report of a replay. Physical quantities count flash pages, host quantities logical pages of
/// the drive.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
    /// What the host asked for.
    #[serde(flatten)]
    pub host: HostReport,
    /// Flash pages programmed, by cause.
    pub pages_programmed: PagesProgrammed,
    /// Flash pages read, by cause.
    pub pages_read: PagesRead,
    /// Logical pages moved.
    #[serde(flatten)]
    pub moves: MoveReport,
    /// Events, as they are counted.
    #[serde(flatten)]
    pub events: Events,
    /// Erases, victims, reopened units.
    #[serde(flatten)]
    pub cleaning: CleaningReport,
    /// Second writes, on a drive that makes them.
    pub second_writes: Option<SecondWriteReport>,
    /// Pages written and moved by stream; absent unless `ftl.streams` counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamsReport>,
    /// What went to the cache of cells with one bit each; absent without `ftl.slc_cache`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc_cache: Option<SlcCacheReport>,
    /// What failed.
    #[serde(flatten)]
    pub failures: FailureReport,
    /// Flash erased, P/E cycles.
    #[serde(flatten)]
    pub wear: WearReport,
    /// What the host's writes became.
    #[serde(flatten)]
    pub amplification: Amplification,
    /// The second half of the run; absent where it was too short to be divided.
    pub long_run: Option<LongRunReport>,
    /// Why the run says little about wear, and how long it would have to be; absent where it says
    /// enough.
    pub too_short: Option<TooShort>,
    /// How long the drive lives under this workload; absent where nothing says what its blocks
    /// endure.
    pub life: Option<LifeReport>,
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
    /// Busy times; absent where no time was kept.
    pub busy_ns: Option<Busy>,
    /// Energy by cause in joules, an estimate; absent without `flash.energy`, and where no time was
    /// kept.
    pub energy_j: Option<EnergyReport>,
    /// Mean share of the time that planes and channels were busy; absent where no time was kept.
    pub utilisation: Option<Utilisation>,
    /// Simulated time from the end of the warm-up (or from 0) to the end of the last request, and
    /// of the programs of what a write buffer held then; absent where no time was kept.
    pub simulated_ns: Option<u64>,
    /// When the warm-up ended, if one was asked for; all other figures are of the time since.
    pub warmed_up: Option<WarmedUp>,
    /// The time series, if one was asked for; warm-up included.
    pub series: Option<Vec<Interval>>,
}

/// What was counted while a workload was served, by a replay or by a live drive.
#[derive(Debug)]
pub struct Figures<'a> {
    /// The drive.
    pub ftl: &'a Ftl,
    /// Requests, bytes, response times.
    pub served: &'a Served,
    /// Whether requests took time.
    pub keeps_time: bool,
    /// Totals in the course of the writes, where they are kept.
    pub marks: Option<&'a Marks>,
    /// Bytes that the host wrote before the counters were last reset.
    pub earlier_bytes: u64,
    /// Logical pages written with known content, and all that were written, where a scheme asks for
    /// contents.
    pub known_contents: (u64, u64),
    /// When the warm-up ended, if one was asked for.
    pub warmed_up: Option<WarmedUp>,
    /// The time series, if one was asked for.
    pub series: Option<Vec<Interval>>,
}

impl Report {
    /// The report of what was counted.
    ///
    /// # Errors
    /// None for a drive that was checked.
    pub fn new(of: Circumstances<'_>, figures: Figures<'_>) -> Result<Report, SimError> {
        let Figures { ftl, served, keeps_time, marks, earlier_bytes, known_contents, warmed_up, series } =
            figures;
        let Served { requests, reads, writes, flushes, .. } = served;
        let measured_ns =
            keeps_time.then(|| served.end_ns.saturating_sub(warmed_up.map_or(0, |warm| warm.at_ns)));
        let counters = ftl.counters();
        let busy = measured_ns.map(|_| {
            let (planes, channels) = ftl.array().busy_ns();
            Busy { planes, channels }
        });
        let energy = Energy::new(&*of.drive.configuration().coded_flash()?)?;
        let now = Mark::of(ftl, requests.bytes_written);
        let half = marks.and_then(|marks| marks.second_half(&now));
        let geometry = ftl.array().geometry();
        let first = marks.zip(half.as_ref()).and_then(|(marks, half)| marks.first_half(half));
        let long_run = half.as_ref().map(|half| LongRunReport::new(half, first.as_ref(), geometry));
        let parts = (&now, first.as_ref(), half.as_ref());
        let life =
            LifeReport::new(&of, ftl, parts, Ran { earlier_bytes, measured_ns: measured_ns.unwrap_or(0) })?;
        // A drive that ended says how long it lived, a live one goes on.
        let too_short = marks.filter(|_| of.stopped_because.is_none()).and_then(|_| {
            let cleanings = (counters.garbage_collections, of.replay.passes);
            TooShort::new(&now, long_run.as_ref(), cleanings, geometry)
        });
        let mut report = Report {
            schema: SCHEMA,
            rewear: env!("CARGO_PKG_VERSION"),
            seed: of.replay.options.seed,
            complete: of.stopped_because.is_none(),
            stopped_because: of.stopped_because,
            notes: Vec::new(),
            drive: DriveReport::new(of.drive),
            source: of.source,
            replay: of.replay,
            host: HostReport::new(counters, requests),
            pages_programmed: PagesProgrammed::new(&counters.programmed),
            pages_read: PagesRead::new(&counters.read),
            moves: MoveReport::new(counters),
            events: counters.events,
            cleaning: CleaningReport::new(ftl, &served.halves),
            second_writes: SecondWriteReport::new(ftl),
            streams: StreamsReport::new(ftl),
            slc_cache: SlcCacheReport::new(ftl),
            failures: FailureReport::new(ftl),
            wear: WearReport::new(&now, geometry),
            amplification: Amplification::between(None, &now),
            long_run,
            too_short,
            life,
            recycling: ftl.recycle_counters().map(|counters| RecycleReport::new(counters, known_contents)),
            erases_per_block: Spread::of(ftl.erases_per_block().collect::<Vec<_>>().into_iter()),
            latency_ns: Latencies {
                read: reads.summary(),
                write: writes.summary(),
                flush: flushes.summary(),
            },
            mean_response_ns: mean_of([reads, writes]),
            effort: ftl.effort_figures().map(|figures| EffortReport::new(figures, ftl.coarse_programs())),
            queues: ftl.array().queue_lengths().map(QueueReport::new),
            energy_j: energy.zip(busy.as_ref()).map(|(each, _)| {
                let modes = ModeCosts::new(each.modes, ftl.array().timing(), &ftl.mode_counts());
                EnergyReport::new(&each, counters, &modes)
            }),
            utilisation: busy.as_ref().zip(measured_ns).map(|(busy, ns)| Utilisation::new(busy, ns)),
            busy_ns: busy,
            simulated_ns: measured_ns,
            warmed_up,
            series,
        };
        report.notes = notes::notes(&report, of.volumes);
        Ok(report)
    }
}
