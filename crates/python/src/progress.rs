//! Progress reports to Python, a few times a second, and the way back: Ctrl-C and exceptions.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Often enough for a smooth bar and a prompt Ctrl-C, rare enough to cost nothing.
const INTERVAL: Duration = Duration::from_millis(100);

/// Passes progress on to a Python callable and remembers the exception it may raise.
pub(crate) struct Reporter {
    callable: Option<Py<PyAny>>,
    last: Option<Instant>,
    raised: Option<PyErr>,
}

impl Reporter {
    /// A reporter to `callable`; without one it still looks for Ctrl-C.
    pub(crate) fn new(callable: Option<Py<PyAny>>) -> Self {
        Self { callable, last: None, raised: None }
    }

    /// Called from the replay as often as it likes; returns whether to go on.
    pub(crate) fn report(&mut self, phase: &str, done: u64, total: Option<u64>) -> bool {
        let now = Instant::now();
        if self.last.is_some_and(|last| now - last < INTERVAL) {
            return true;
        }
        self.last = Some(now);
        match Python::attach(|py| self.call(py, phase, done, total)) {
            Ok(()) => true,
            Err(error) => {
                self.raised = Some(error);
                false
            }
        }
    }

    fn call(&self, py: Python<'_>, phase: &str, done: u64, total: Option<u64>) -> PyResult<()> {
        py.check_signals()?;
        let Some(callable) = &self.callable else { return Ok(()) };
        let state = py.import("rewear.core.progress")?.getattr("Progress")?.call1((phase, done, total))?;
        callable.bind(py).call1((state,))?;
        Ok(())
    }

    /// The result of the work, unless the callable or a signal raised an exception.
    pub(crate) fn finish<T>(self, result: PyResult<T>) -> PyResult<T> {
        match self.raised {
            Some(error) => Err(error),
            None => result,
        }
    }
}
