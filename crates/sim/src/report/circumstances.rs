//! What was replayed: the drive, the workload, the options.

use rewear_ftl::DriveConfig;
use rewear_trace::{Description, Omissions};
use schemars::JsonSchema;
use serde::Serialize;

use crate::derived::Derived;
use crate::load::Drive;
use crate::options::{ArrivalKind, ReplayOptions};
use crate::precondition::Preconditioned;

/// What was served, and how.
#[derive(Debug)]
pub struct Circumstances<'a> {
    /// The drive.
    pub drive: &'a Drive,
    /// The workload.
    pub source: SourceReport,
    /// Volumes of the workload that were laid over each other.
    pub volumes: usize,
    /// How it was replayed.
    pub replay: ReplayReport,
    /// Why it ended early, if it did.
    pub stopped_because: Option<String>,
}

/// The drive of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DriveReport {
    /// Name.
    pub name: String,
    /// Full configuration.
    pub configuration: DriveConfig,
    /// What follows from it.
    pub derived: Vec<Derived>,
}

impl DriveReport {
    pub(super) fn new(drive: &Drive) -> DriveReport {
        DriveReport {
            name: drive.name().to_string(),
            configuration: drive.configuration().clone(),
            derived: drive.derived().unwrap_or_default(),
        }
    }
}

/// The workload of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceReport {
    /// What it is.
    #[serde(flatten)]
    pub description: Description,
    /// What was left out in reading.
    pub omissions: Omissions,
}

/// The options of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayReport {
    /// The options.
    #[serde(flatten)]
    pub options: ReplayOptions,
    /// The arrival that was used.
    #[serde(rename = "arrival_used")]
    pub arrival: ArrivalKind,
    /// Passes over the workload.
    pub passes: u64,
    /// What preconditioning did.
    pub preconditioned: Preconditioned,
}
