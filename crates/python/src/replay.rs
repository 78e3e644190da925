//! The replay, with the GIL released.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rewear_sim::options::FitKind;
use rewear_sim::replay::{Stage, replay_logged};
use rewear_sim::{Columns, ReplayOptions, RequestLog, SimError};
use rewear_trace::{Keep, Source, ahead};

use crate::drive::Drive;
use crate::errors::{ReplayError, configuration_error, guarded, to_json, trace_error};
use crate::options::replay_options;
use crate::progress::Reporter;
use crate::source::{any_source, is_read};

/// Replays `source` on a fresh copy of `drive`; JSON object of the statistics. `log` is called with
/// the columns of many requests at a time, each as the bytes of a little-endian array.
#[pyfunction]
pub(crate) fn replay(
    py: Python<'_>,
    drive: &Drive,
    source: &Bound<'_, PyAny>,
    options: &str,
    progress: Option<Py<PyAny>>,
    log: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = replay_options(options)?;
    let is_read = is_read(source);
    let mut source = any_source(source)?;
    let mut reporter = Reporter::new(progress);
    let policy = drive.policy.as_ref().map(Py::get);
    // Errors of the log, an interrupt among them, go to the caller as they are.
    let mut raised = None;
    let result = py.detach(|| {
        guarded(|| {
            let mut progress = |state: rewear_sim::Progress| {
                policy.is_none_or(|policy| !policy.has_failed())
                    && reporter.report(phase(state.stage), state.done, state.total)
            };
            let mut store = |columns: &Columns| {
                hand_over(log.as_ref(), columns).map_err(|error| raised.insert(error).to_string())
            };
            let log = log.as_ref().map(|_| RequestLog::new(&mut store));
            let run = |source: &mut dyn Source| {
                replay_logged(&drive.drive, source, &options, &mut progress, log).map_err(replay_error)
            };
            let report = match is_read {
                true if passes_over(&options) > 1 => read_beside(&mut Keep::new(source), run),
                true => read_beside(&mut *source, run),
                // To hand them over would take longer than to draw or to copy them.
                false => run(&mut *source),
            }?;
            to_json(&report)
        })
    });
    let result = reporter.finish(raised.map_or(result, Err));
    match policy {
        Some(policy) => policy.finish(result),
        None => result,
    }
}

/// Passes over the workload at least, that which numbers its pages among them.
fn passes_over(options: &ReplayOptions) -> u64 {
    let more = options.until.is_some() || options.fit == Some(FitKind::Dense);
    u64::from(options.loops) + u64::from(more)
}

/// Has the source read by a second thread, where one may run beside the first.
fn read_beside<R>(source: &mut (dyn Source + Send), run: impl FnOnce(&mut dyn Source) -> R) -> R {
    match std::thread::available_parallelism().is_ok_and(|count| count.get() > 1) {
        true => ahead(source, run),
        false => run(source),
    }
}

/// Gives the rows of a log to Python.
fn hand_over(log: Option<&Py<PyAny>>, columns: &Columns) -> PyResult<()> {
    let Some(log) = log else { return Ok(()) };
    Python::attach(|py| {
        let words = |column: &[u64]| {
            let bytes: Vec<u8> = column.iter().flat_map(|word| word.to_le_bytes()).collect();
            PyBytes::new(py, &bytes)
        };
        let columns = (
            words(&columns.at_ns),
            PyBytes::new(py, &columns.operation),
            words(&columns.offset_bytes),
            words(&columns.length_bytes),
            words(&columns.response_ns),
        );
        log.call1(py, columns).map(drop)
    })
}

/// Words of a progress bar.
pub(crate) fn phase(stage: Stage) -> &'static str {
    match stage {
        Stage::Fit => "numbering pages",
        Stage::Fill => "filling",
        Stage::Overwrite => "overwriting until steady",
        Stage::Replay => "replaying",
        Stage::Read => "reading",
        Stage::Place => "placing",
    }
}

pub(crate) fn replay_error(error: SimError) -> PyErr {
    match &error {
        SimError::Config(_) | SimError::Options(_) => configuration_error(error),
        SimError::Trace(cause) => trace_error(cause),
        _ => ReplayError::new_err(error.to_string()),
    }
}
