//! Errors of the floors below as Python exceptions; panics as one more of them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

pyo3::import_exception!(rewear.core.errors, CodeError);
pyo3::import_exception!(rewear.core.errors, ConfigurationError);
pyo3::import_exception!(rewear.core.errors, InternalError);
pyo3::import_exception!(rewear.core.errors, ReplayError);
pyo3::import_exception!(rewear.core.errors, TraceError);

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the message of a panic for [`guarded`] instead of printing it. The hook is this
/// extension's own: a shared object brings its own copy of the Rust runtime.
pub(crate) fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        LAST_PANIC.with_borrow_mut(|message| *message = panic.to_string().replace('\n', " "));
    }));
}

/// Runs `work`; a panic in it is a defect of Rewear and becomes an `InternalError` that says what
/// to report.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = LAST_PANIC.with_borrow(String::clone);
        Err(InternalError::new_err(format!(
            "This is a defect of Rewear, not of your input: {message}. Please report it with the command that led here."
        )))
    })
}

/// A wrong description of a drive, a workload or a replay.
pub(crate) fn configuration_error(error: impl std::fmt::Display) -> PyErr {
    ConfigurationError::new_err(error.to_string())
}

/// Refusals of a code.
pub(crate) fn code_error(error: impl std::fmt::Display) -> PyErr {
    CodeError::new_err(error.to_string())
}

/// A trace that cannot be read or written.
pub(crate) fn trace_error(error: &rewear_trace::TraceError) -> PyErr {
    match error.kind {
        rewear_trace::ErrorKind::Parameter => configuration_error(error),
        rewear_trace::ErrorKind::DoesNotFit => ReplayError::new_err(error.to_string()),
        // The remedy names the formats; here is where they are named: an argument of `Trace`, a
        // suffix on the command line.
        rewear_trace::ErrorKind::Unrecognised if !error.remedy.contains("format=") => {
            TraceError::new_err(format!("{error} (as format=NAME)"))
        }
        _ => TraceError::new_err(error.to_string()),
    }
}

/// A result as JSON text.
pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| {
        InternalError::new_err(format!("A result has no JSON form: {error}. Please report it."))
    })
}
