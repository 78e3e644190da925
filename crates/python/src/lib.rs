//! `rewear._core`: drives, traces, workloads, the replay, the codes and the cell model for Python.
//!
//! A thin layer without logic of its own. Structured data (configurations, statistics) crosses as
//! JSON text, in the one schema that the simulator serialises; long work runs with the GIL
//! released; every error is one of the exceptions of `rewear.core.errors`.

mod bound;
mod codes;
mod convert;
mod drive;
mod errors;
mod options;
mod physics;
mod policy;
mod presets;
mod progress;
#[cfg(target_os = "linux")]
mod record;
mod recycling;
mod replay;
mod source;
mod student;
mod watched;
mod whole;

#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::bound::{bound, coded_bound};
    #[pymodule_export]
    #[pymodule_export]
    use super::drive::{Drive, configuration_schema, figures, report_schema};
    #[pymodule_export]
    use super::policy::{Candidate, Candidates, Policy, Victim};
    #[pymodule_export]
    use super::presets::presets;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::record::{RecordedDevice, salvage_recording};
    #[pymodule_export]
    use super::replay::replay;
    #[pymodule_export]
    use super::source::{Trace, Workload, trace_formats, workloads};
    #[pymodule_export]
    use super::student::student_t_quantile;

    use pyo3::prelude::*;

    use super::errors;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        errors::keep_panics_quiet();
        super::codes::register(module.py())?;
        super::physics::register(module.py())?;
        super::recycling::register(module)
    }

    /// Version of Rewear.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
