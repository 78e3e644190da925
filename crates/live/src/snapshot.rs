//! Statistics of a live drive: the report of a replay, and what only a drive that goes on has.

use std::time::Duration;

use rewear_ftl::{Ftl, Space};
use rewear_sim::options::{ArrivalKind, PreconditionKind};
use rewear_sim::precondition::Preconditioned;
use rewear_sim::report::{Circumstances, Figures, ReplayReport, SourceReport};
use rewear_sim::{Drive, ReplayOptions, Report};
use rewear_trace::{Description, Kind, Omissions};
use serde::Serialize;

use crate::error::LiveError;
use crate::options::{LiveOptions, Transport};
use crate::serve::Desk;

/// The statistics of a live drive. In JSON the report's entries stand beside `live`.
#[derive(Debug, Clone, Serialize)]
pub struct Snapshot {
    /// The report, in the schema of replays.
    #[serde(flatten)]
    pub report: Report,
    /// What only a live drive has.
    pub live: Live,
}

/// What only a live drive has.
#[derive(Debug, Clone, Serialize)]
pub struct Live {
    /// Real time since the drive was opened.
    pub uptime_ns: u64,
    /// Whether answers wait for the simulated clock.
    pub paced: bool,
    /// Whether writes to the upper half of the device are overwrites of the lower.
    pub overwrite_bit: bool,
    /// Requests that failed.
    pub requests_failed: u64,
    /// Whether the drive is worn out and serves reads alone.
    pub read_only: bool,
    /// Misread bits that the error-correcting code corrected.
    pub bits_corrected: u64,
    /// Reads of flash pages that it could not correct, the drive's own included.
    pub pages_uncorrectable: u64,
    /// Erase units by state and slots by content.
    pub space: Space,
    /// Erases of every block since the drive was made.
    pub erases_of_blocks: Vec<u32>,
    /// Requests in the recording; absent without one.
    pub requests_recorded: Option<u64>,
    /// What mounting the drive from its image took; absent for a new drive.
    pub mounted: Option<Mounted>,
}

/// What mounting a drive found and read.
#[derive(Debug, Clone, Serialize)]
pub struct Mounted {
    /// Spare areas whose records were read.
    pub records_read: u64,
    /// Pages of the log read.
    pub log_pages_read: u64,
    /// Changes taken from the journal.
    pub journal_changes: u64,
    /// Pages on which a program had not come to its end.
    pub torn_pages: u64,
    /// Pages with an unreadable part although no program of it was under way.
    pub damaged_pages: u64,
    /// Real time that it took.
    pub took_ns: u64,
}

impl Snapshot {
    pub(crate) fn new(
        drive: &Drive,
        options: &LiveOptions,
        uptime: Duration,
        mounted: Option<&Mounted>,
        (ftl, desk, space): (&Ftl, &Desk, Space),
    ) -> Result<Snapshot, LiveError> {
        let figures = Figures {
            ftl,
            served: &desk.served,
            keeps_time: true,
            marks: None,
            earlier_bytes: 0,
            known_contents: (ftl.counters().host_pages_written, ftl.counters().host_pages_written),
            warmed_up: None,
            series: None,
        };
        let misreads = ftl.array().misreads().unwrap_or_default();
        let live = Live {
            uptime_ns: u64::try_from(uptime.as_nanos()).unwrap_or(u64::MAX),
            paced: options.pace,
            overwrite_bit: options.overwrite_bit,
            requests_failed: desk.failed,
            read_only: desk.read_only,
            bits_corrected: misreads.bits_corrected,
            pages_uncorrectable: misreads.pages_uncorrectable,
            space,
            erases_of_blocks: ftl.array().wear().erases().to_vec(),
            mounted: mounted.cloned(),
            requests_recorded: desk.recording.as_ref().map(|recording| recording.summary().requests),
        };
        Ok(Snapshot {
            report: Report::new(
                circumstances(drive, options.transport, desk.served.requests.total()),
                figures,
            )?,
            live,
        })
    }
}

fn circumstances(drive: &Drive, transport: Transport, requests: u64) -> Circumstances<'_> {
    let description = Description {
        name: "live".to_string(),
        format: transport.name().to_string(),
        kind: Kind::Live,
        timed: true,
        requests: Some(requests),
        time_unit: String::new(),
        note: String::new(),
    };
    let preconditioned = Preconditioned {
        mode: PreconditionKind::None,
        pages_written: 0,
        steady: None,
        write_amplification: None,
    };
    Circumstances {
        drive,
        source: SourceReport { description, omissions: Omissions::default() },
        volumes: 1,
        replay: ReplayReport {
            options: ReplayOptions::default(),
            arrival: ArrivalKind::Trace,
            passes: 1,
            preconditioned,
        },
        stopped_because: None,
    }
}
