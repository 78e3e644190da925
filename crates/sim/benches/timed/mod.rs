//! The part of a replay that is measured: what follows preconditioning.

use std::time::Instant;

use rewear_sim::replay::Stage;
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::Source;

/// A replay, and how long the measured part of it took.
pub(crate) struct Timed {
    #[allow(dead_code)] // Some benchmarks only time.
    pub(crate) report: Report,
    pub(crate) seconds: f64,
    /// The part of the requests that was measured; the first ones pass before progress is told.
    pub(crate) share: f64,
}

/// Replays a trace or workload of known length; the clock starts when progress of the replay itself
/// is told first.
pub(crate) fn timed(drive: &Drive, source: &mut dyn Source, options: &ReplayOptions) -> Timed {
    let mut began = None;
    let report = replay(drive, source, options, &mut |progress| {
        if let (Stage::Replay, None, Some(total)) = (progress.stage, began, progress.total) {
            began = Some((Instant::now(), progress.done as f64 / total as f64));
        }
        true
    })
    .expect("a complete replay");
    let (began, done) = began.expect("progress was reported");
    assert!(report.cleaning.garbage_collections > 0);
    Timed { report, seconds: began.elapsed().as_secs_f64(), share: 1.0 - done }
}

/// The middle value; of an even number the upper of two.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
