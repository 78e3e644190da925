//! The replay, with the GIL released.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rewear_sim::{SimError, replay::Stage};
use rewear_trace::AnySource;

use crate::drive::Drive;
use crate::errors::{ReplayError, configuration_error, guarded, to_json, trace_error};
use crate::options::replay_options;
use crate::progress::Reporter;
use crate::source::{Trace, Workload};

/// Replays `source` on a fresh copy of `drive`; JSON object of the statistics.
#[pyfunction]
pub(crate) fn replay(
    py: Python<'_>,
    drive: &Drive,
    source: &Bound<'_, PyAny>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = replay_options(options)?;
    let mut source: AnySource = if let Ok(trace) = source.cast::<Trace>() {
        trace.get().open()?
    } else if let Ok(workload) = source.cast::<Workload>() {
        workload.get().open()?
    } else {
        return Err(PyTypeError::new_err("source is neither a Trace nor a Workload"));
    };
    let mut reporter = Reporter::new(progress);
    let result = py.detach(|| {
        guarded(|| {
            let mut progress =
                |state: rewear_sim::Progress| reporter.report(phase(state.stage), state.done, state.total);
            let report = rewear_sim::replay(&drive.drive, &mut *source, &options, &mut progress)
                .map_err(replay_error)?;
            to_json(&report)
        })
    });
    reporter.finish(result)
}

/// What a progress bar says.
fn phase(stage: Stage) -> &'static str {
    match stage {
        Stage::Precondition => "preconditioning",
        Stage::Replay => "replaying",
    }
}

fn replay_error(error: SimError) -> PyErr {
    match &error {
        SimError::Config(_) | SimError::Options(_) => configuration_error(error),
        SimError::Trace(cause) => trace_error(cause),
        _ => ReplayError::new_err(error.to_string()),
    }
}
