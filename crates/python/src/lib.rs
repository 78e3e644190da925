//! `rewear._core`: drives, traces, workloads, policies, recordings and the replay for Python, and one
//! door to all else, [`ask`](ask::ask).
//!
//! A thin layer without logic of its own. Structured data (configurations, statistics) crosses as
//! JSON text, in the one schema that the simulator serialises; long work runs with the GIL
//! released; every error is one of the exceptions of `rewear.core.errors`.

mod ask;
mod bound;
mod convert;
mod drive;
mod errors;
mod options;
mod policy;
mod progress;
#[cfg(all(target_os = "linux", feature = "recorder"))]
mod record;
mod replay;
mod source;
mod watched;
mod whole;

#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::ask::ask;
    #[pymodule_export]
    #[pymodule_export]
    use super::drive::Drive;
    #[pymodule_export]
    use super::policy::{Candidate, Candidates, Policy, Victim};
    #[cfg(all(target_os = "linux", feature = "recorder"))]
    #[pymodule_export]
    use super::record::{RecordedDevice, salvage_recording};
    #[pymodule_export]
    use super::replay::replay;
    #[pymodule_export]
    use super::source::{Rows, Trace, Workload};

    use pyo3::prelude::*;

    use super::errors;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        errors::keep_panics_quiet();
        Ok(())
    }

    /// Version of Rewear.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
