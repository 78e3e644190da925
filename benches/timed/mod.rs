//! The part of a replay that is measured: what follows preconditioning.

use std::time::Instant;

use rewear_sim::options::PreconditionKind;
use rewear_sim::replay::Stage;
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::Source;

/// A replay, and how long the measured part of it took.
pub(crate) struct Timed {
    pub(crate) report: Report,
    pub(crate) seconds: f64,
    /// The part of the requests that was measured; the first ones pass before progress is told.
    pub(crate) share: f64,
}

/// Replays `requests` requests on a preconditioned drive; the clock starts when progress of the replay itself is told first.
pub(crate) fn timed(
    drive: &Drive,
    source: &mut impl Source,
    requests: u64,
    precondition: PreconditionKind,
) -> Timed {
    let options = ReplayOptions { precondition, ..ReplayOptions::default() };
    let mut began = None;
    let report = replay(drive, source, &options, &mut |progress| {
        if progress.stage == Stage::Replay && began.is_none() {
            began = Some((Instant::now(), progress.done));
        }
        true
    })
    .expect("a complete replay");
    let (began, already_done) = began.expect("progress was reported");
    let seconds = began.elapsed().as_secs_f64();
    Timed { report, seconds, share: (requests - already_done) as f64 / requests as f64 }
}

/// The middle value; of an even number the upper of two.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
