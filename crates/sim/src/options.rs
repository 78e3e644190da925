//! How a workload is replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;

/// Options of a replay; all have defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReplayOptions {
    /// When requests arrive; by default as the trace says, or in a closed loop for a workload
    /// without times.
    pub arrival: Option<ArrivalKind>,
    /// Requests kept in flight in a closed loop.
    pub queue_depth: u32,
    /// With arrivals at the times of the trace: their times are taken times this, so 10 is a clock
    /// ten times as slow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<f64>,
    /// What the drive holds when the replay begins.
    pub precondition: PreconditionKind,
    /// How often the workload is replayed, one pass after the other. A made-up workload draws on in
    /// further passes. A recording repeats its requests with new contents, equal where they were
    /// equal within the pass.
    pub loops: u32,
    /// Go on with further loops until the drive is steady: flash erased for a byte written changes
    /// by no more than 2% from the third quarter of the run to the last, and blocks went through
    /// two cycles in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Settled>,
    /// Stop after this many requests, over all loops.
    pub max_requests: Option<u64>,
    /// Each page of a request waits for the one before it, as in a host layer that writes page by
    /// page.
    #[serde(skip_serializing_if = "is_false")]
    pub page_barrier: bool,
    /// How addresses beyond the drive are mapped onto it; by default they are an error.
    pub fit: Option<FitKind>,
    /// Which part of the replay the report leaves out.
    pub warm_up: WarmUp,
    /// Whether the report tells how long the queues were when requests arrived.
    pub queues: bool,
    /// Length of the intervals of the report's time series; without it there is none.
    pub interval_ns: Option<u64>,
    /// Keeps no time: counts (wear, moves, erases, pages programmed) are the same as with time, and
    /// there are no response times, busy times or energy. An error on a drive that works in idle
    /// time, and with options that need times.
    #[serde(skip_serializing_if = "is_false")]
    pub no_time: bool,
    /// Seed of everything random in the replay (preconditioning, payload). The workload has a seed
    /// of its own.
    pub seed: u64,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        ReplayOptions {
            arrival: None,
            queue_depth: 32,
            time_scale: None,
            precondition: PreconditionKind::None,
            loops: 1,
            until: None,
            max_requests: None,
            page_barrier: false,
            fit: None,
            warm_up: WarmUp::default(),
            queues: false,
            interval_ns: None,
            no_time: false,
            seed: 1,
        }
    }
}

// By reference as serde asks for it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// When requests arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalKind {
    /// Open loop: at the times of the trace, whether or not earlier requests have ended.
    Trace,
    /// Closed loop: as soon as fewer than `queue_depth` requests are in flight.
    Closed,
}

/// What the drive holds when the replay begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionKind {
    /// Nothing: a drive fresh from the factory.
    None,
    /// Every logical page, written once in order.
    Fill,
    /// Filled, then overwritten at uniformly random addresses until the write amplification is
    /// steady.
    Steady,
}

/// Which part of the replay the report leaves out. In JSON a number of requests (0: nothing) or
/// `"steady"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WarmUp {
    /// This many requests.
    Requests(u64),
    /// All until the write amplification is steady: four windows, each a quarter of the exported
    /// capacity, within 5%.
    Until(Settled),
}

/// The end of a warm-up, or of a run, that is not a number of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// The steady state.
    Steady,
}

impl Default for WarmUp {
    fn default() -> Self {
        WarmUp::Requests(0)
    }
}

/// How addresses beyond the drive are mapped onto it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FitKind {
    /// The touched pages are renumbered densely, in address order.
    Dense,
    /// Addresses wrap round the exported capacity.
    Modulo,
}

impl ReplayOptions {
    /// Checks ranges.
    ///
    /// # Errors
    /// A queue depth or a number of loops of zero, a time scale out of range, options that need the
    /// times that another leaves out.
    pub fn check(&self) -> Result<(), SimError> {
        if self.queue_depth == 0 || self.queue_depth > 1 << 20 {
            return wrong(format!("queue depth {}: give 1 to 1048576", self.queue_depth));
        }
        if let Some(scale) = self.time_scale.filter(|scale| !(1e-6..=1e6).contains(scale)) {
            return wrong(format!("time scale {scale}: give a factor from 0.000001 to 1000000"));
        }
        if self.loops == 0 {
            return wrong("loops 0: give at least 1");
        }
        if self.max_requests == Some(0) {
            return wrong("max_requests 0: give at least 1, or leave it out");
        }
        if self.interval_ns == Some(0) {
            return wrong("interval 0: give a length above 0, or leave it out");
        }
        let needs_time = [
            ("an arrival", self.arrival.is_some()),
            ("a time scale", self.time_scale.is_some()),
            ("queues", self.queues),
            ("an interval", self.interval_ns.is_some()),
        ];
        match needs_time.into_iter().find(|(_, given)| *given && self.no_time) {
            None => Ok(()),
            Some((option, _)) => wrong(format!(
                "no time is kept, and {option} says something of times; leave one of the two out"
            )),
        }
    }
}

fn wrong(problem: impl Into<String>) -> Result<(), SimError> {
    Err(SimError::Options(problem.into()))
}
