//! Requests in, pages to the translation layer, response times out: a replay from its options to
//! its report.

mod look_ahead;
mod outcome;
mod passes;
mod serve;

use rewear_flash::config::MediumKind;
use rewear_ftl::Ftl;
use rewear_trace::{Batch, Fit, GoOn, PageCutter, Request, Source};

use crate::arrival::Arrival;
use crate::contents::Contents;
use crate::error::SimError;
use crate::host::Served;
use crate::later_life::add_later_life;
use crate::load::Drive;
use crate::long_run::Marks;
use crate::memory;
use crate::observers::{Observers, WarmedUp};
use crate::options::{ArrivalKind, FitKind, ReplayOptions};
use crate::payload::Payload;
use crate::precondition::precondition;
use crate::report::{ReplayReport, Report, folded};
use crate::request_log::RequestLog;
use serve::Torn;

/// How far a replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Pages preconditioned, or bytes or requests replayed.
    pub done: u64,
    /// Of how many, if known.
    pub total: Option<u64>,
}

/// What a replay is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Numbering the pages that the workload touches.
    Fit,
    /// Writing every logical page of the drive once.
    Fill,
    /// Overwriting the drive until it is steady.
    Overwrite,
    /// Replaying.
    Replay,
    /// Reading a workload whose future is to be known.
    Read,
    /// Placing its writes.
    Place,
}

/// Replays a workload on a fresh drive. `progress` is called now and then; returning `false`
/// interrupts.
///
/// A drive that runs out of space or wears out ends the replay with a report that says so.
///
/// # Errors
/// Options out of range, an unreadable trace, a workload that reaches beyond the drive, data loss
/// on stored cells.
pub fn replay(
    drive: &Drive,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Report, SimError> {
    replay_logged(drive, source, options, progress, None)
}

/// As [`replay`], and hands every request with its response time to `log`.
///
/// # Errors
/// As [`replay`], and those of the log.
pub fn replay_logged(
    drive: &Drive,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    log: Option<RequestLog<'_>>,
) -> Result<Report, SimError> {
    options.check()?;
    memory::check(drive.configuration())?;
    replay_whole(drive, source, options, progress, log)
}

/// As [`replay_logged`], of the requested drive.
fn replay_whole(
    drive: &Drive,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    log: Option<RequestLog<'_>>,
) -> Result<Report, SimError> {
    let mut ftl = Ftl::new(drive.configuration())?;
    if options.no_time {
        stop_clock(&mut ftl, log.is_some())?;
    }
    let (granule, exported) = (u64::from(ftl.layout().logical_page_bytes), ftl.layout().exported_bytes());
    match options.fit {
        None => replay_fitted(drive, ftl, source, options, progress, log),
        Some(FitKind::Dense) => {
            let mut fitted = dense(source, granule, exported, progress)?;
            replay_fitted(drive, ftl, &mut fitted, options, progress, log)
        }
        Some(FitKind::Modulo) => {
            let mut fitted = Fit::modulo(source, granule, exported)?;
            let mut report = replay_fitted(drive, ftl, &mut fitted, options, progress, log)?;
            report.notes.extend(folded(fitted.reach_bytes(), exported));
            Ok(report)
        }
    }
}

/// As [`replay_logged`], of a workload that fits the drive.
pub(crate) fn replay_fitted(
    drive: &Drive,
    mut ftl: Ftl,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    log: Option<RequestLog<'_>>,
) -> Result<Report, SimError> {
    let granule = u64::from(ftl.layout().logical_page_bytes);
    let mut payload = match drive.configuration().flash.medium {
        MediumKind::Modelled => None,
        MediumKind::Stored => Some(Payload::new(ftl.layout().exported_pages, granule as usize, options.seed)),
    };
    let mut contents = ftl.wants_content().then(Contents::default);
    let prepared = {
        let content = (payload.as_mut(), contents.as_mut());
        let config = drive.configuration();
        precondition(&mut ftl, config, content, options.precondition, options.seed, progress)?
    };
    let arrival = arrival(options, source);
    if options.time_scale.is_some() && arrival == ArrivalKind::Closed {
        return Err(SimError::Options(
            "a time scale and a closed loop, in which the times of the trace do not count (and a workload without times has none); give \
             one of the two, or the arrival \"trace\""
                .into(),
        ));
    }
    if options.queues {
        ftl.watch_queues();
    }
    let observers = Observers::new(options, log, &ftl);
    let command_queue = drive.configuration().ftl.command_queue;
    let clock = match arrival {
        _ if options.no_time => Arrival::none(),
        ArrivalKind::Trace => Arrival::open(options.time_scale, command_queue),
        ArrivalKind::Closed => Arrival::closed(options.queue_depth, command_queue),
    };
    let mut run = Replay::new(ftl, (payload, contents), clock, observers);
    run.keeps_time = !options.no_time;
    run.page_barrier = options.page_barrier;
    run.earlier_bytes = prepared.pages_written * granule;
    let mut stopped_because = run.all_loops(drive, source, options, progress)?;
    if stopped_because.is_none() {
        stopped_because = run.drain()?;
    }
    let replayed = ReplayReport { options: options.clone(), arrival, passes: 0, preconditioned: prepared };
    let mut report = run.report(drive, source, replayed, stopped_because)?;
    add_later_life(&mut report, drive, source, options, progress)?;
    Ok(report)
}

/// When the requests of a workload arrive.
fn arrival(options: &ReplayOptions, source: &dyn Source) -> ArrivalKind {
    let timed = source.description().timed;
    options.arrival.unwrap_or(if timed { ArrivalKind::Trace } else { ArrivalKind::Closed })
}

/// Stops the drive's clock, where that changes no count.
pub(crate) fn stop_clock(ftl: &mut Ftl, has_log: bool) -> Result<(), SimError> {
    let problem = match (has_log, ftl.uses_idle_time()) {
        (false, false) => {
            ftl.stop_clock();
            return Ok(());
        }
        (true, _) => "the log of requests is one of response times; leave one of the two out",
        (false, true) => {
            "this drive works in idle time, and there is none then; choose ftl.background, \
             ftl.slc_cache and an effort scheme that do not, or keep time"
        }
    };
    Err(SimError::Options(format!("no time is kept, and {problem}")))
}

/// The source with its pages numbered densely, which takes a pass over it.
pub(crate) fn dense<'s>(
    source: &'s mut dyn Source,
    granule: u64,
    exported: u64,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Fit<&'s mut dyn Source>, SimError> {
    let mut go_on = |state: Option<(u64, u64)>| {
        let (done, total) = state.map_or((0, None), |(done, total)| (done, Some(total)));
        progress(Progress { stage: Stage::Fit, done, total })
    };
    Ok(Fit::dense_watched(source, granule, exported, &mut go_on)?)
}

/// A replay under way.
struct Replay<'a> {
    ftl: Ftl,
    payload: Option<Payload>,
    /// Contents of pages, if the drive asks for them.
    contents: Option<Contents>,
    arrival: Arrival,
    pages: PageCutter,
    /// Whether the drive wants to know when each request arrives: because it uses idle time, or
    /// because queues are watched.
    announces_arrivals: bool,
    served: Served,
    marks: Marks,
    /// Passes over the workload so far, the one under way included.
    passes: u64,
    /// Bytes that the host had written when the pass under way began.
    pass_begins: u64,
    /// Bytes that the host wrote before the counters were last reset.
    earlier_bytes: u64,
    observers: Observers<'a>,
    /// Whether requests take time.
    keeps_time: bool,
    /// Whether the pages of a request go one after the other.
    page_barrier: bool,
    /// Requests that the observers saw, warm-up included.
    observed: u64,
    /// Served part of a request whose rest comes next.
    torn: Option<Box<Torn>>,
    warmed_up: Option<WarmedUp>,
}

impl<'a> Replay<'a> {
    fn new(
        ftl: Ftl,
        (payload, contents): (Option<Payload>, Option<Contents>),
        arrival: Arrival,
        observers: Observers<'a>,
    ) -> Replay<'a> {
        let marks = Marks::new(ftl.array().geometry().bytes());
        Replay {
            pages: PageCutter::new(u64::from(ftl.layout().logical_page_bytes)),
            announces_arrivals: ftl.uses_idle_time() || ftl.array().queue_lengths().is_some(),
            ftl,
            payload,
            contents,
            arrival,
            served: Served::default(),
            marks,
            passes: 0,
            pass_begins: 0,
            earlier_bytes: 0,
            observers,
            keeps_time: true,
            page_barrier: false,
            observed: 0,
            torn: None,
            warmed_up: None,
        }
    }
}

/// Reads the rest of the workload to say what size it needs.
pub(crate) fn too_small(
    drive: &Drive,
    source: &mut dyn Source,
    seen: u64,
    exported: u64,
    go_on: &mut GoOn<'_>,
) -> Result<SimError, SimError> {
    let mut batch = Batch::default();
    let mut needed_bytes = seen;
    source.rewind()?;
    while source.fill_watched(&mut batch, go_on)? > 0 && go_on(source.progress()) {
        needed_bytes = batch.requests.iter().map(Request::end_bytes).fold(needed_bytes, u64::max);
    }
    Ok(SimError::TooSmall {
        source_name: source.description().name,
        needed_bytes,
        drive: drive.name().to_string(),
        exported_bytes: exported,
    })
}
