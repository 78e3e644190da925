//! What a user may want beside the report: a time series, a log of requests, figures of the steady
//! part only.
//!
//! All of it is off unless asked for, and then costs the replay one predictable branch a request.

use rewear_flash::Nanos;
use rewear_ftl::Ftl;
use rewear_trace::Request;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::SimError;
use crate::options::{ReplayOptions, WarmUp};
use crate::request_log::RequestLog;
use crate::series::Series;
use crate::steady_state::SteadyState;

/// Spread of the write amplification within which a workload counts as steady: more than for
/// uniform overwrites, because real workloads change.
const STEADY_SPREAD: f64 = 0.05;

/// When the warm-up ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct WarmedUp {
    /// Requests served before.
    pub requests: u64,
    /// Simulated time.
    pub at_ns: Nanos,
}

/// Everything that watches a replay.
pub(crate) struct Observers<'a> {
    pub(crate) series: Option<Series>,
    log: Option<RequestLog<'a>>,
    warm_up: Option<Pending>,
    /// Whether any of the above is there.
    active: bool,
}

/// A warm-up under way.
struct Pending {
    mode: WarmUp,
    state: SteadyState,
    /// Host pages of a window, and counters at its begin.
    window_pages: u64,
    host_pages: u64,
    programmed: u64,
}

impl<'a> Observers<'a> {
    pub(crate) fn new(options: &ReplayOptions, log: Option<RequestLog<'a>>, ftl: &Ftl) -> Observers<'a> {
        let series = options.interval_ns.map(Series::new);
        let warm_up = (options.warm_up != WarmUp::default()).then(|| Pending {
            mode: options.warm_up,
            state: SteadyState::new(STEADY_SPREAD),
            window_pages: u64::from(ftl.layout().exported_pages.div_ceil(4)),
            host_pages: 0,
            programmed: 0,
        });
        let active = series.is_some() || log.is_some() || warm_up.is_some();
        Observers { series, log, warm_up, active }
    }

    #[inline]
    pub(crate) fn active(&self) -> bool {
        self.active
    }

    /// A request was served. Returns true when the warm-up ended with it.
    pub(crate) fn request(
        &mut self,
        request: &Request,
        served: u64,
        at: Nanos,
        end: Nanos,
        ftl: &Ftl,
    ) -> Result<bool, SimError> {
        if let Some(series) = &mut self.series
            && (request.operation.is_write() || request.operation == rewear_trace::Operation::Read)
        {
            series.request(at, request.operation.is_write(), end - at, ftl.counters());
        }
        if let Some(log) = &mut self.log {
            log.request(request, at, end).map_err(SimError::Log)?;
        }
        let ended = self.warm_up.as_mut().is_some_and(|pending| pending.ended(served, ftl));
        if ended {
            self.warm_up = None;
            if let Some(series) = &mut self.series {
                series.counters_reset();
            }
        }
        Ok(ended)
    }

    /// The last request was served. Returns whether a warm-up never ended.
    pub(crate) fn finish(&mut self) -> Result<bool, SimError> {
        if let Some(log) = &mut self.log {
            log.flush().map_err(SimError::Log)?;
        }
        Ok(self.warm_up.is_some())
    }
}

impl Pending {
    fn window_is_over(&self, ftl: &Ftl) -> bool {
        ftl.counters().host_pages_written - self.host_pages >= self.window_pages
    }

    fn ended(&mut self, served: u64, ftl: &Ftl) -> bool {
        if let WarmUp::Requests(requests) = self.mode {
            return served >= requests;
        }
        if !self.window_is_over(ftl) {
            return false;
        }
        let counters = ftl.counters();
        let host_pages = counters.host_pages_written - self.host_pages;
        let programmed = counters.programmed.total() - self.programmed;
        (self.host_pages, self.programmed) = (counters.host_pages_written, counters.programmed.total());
        self.state.window(programmed as f64 / (host_pages * u64::from(ftl.layout().slot_pages)) as f64)
    }
}
