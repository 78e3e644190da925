//! A checked drive configuration.

use pyo3::prelude::*;

use crate::errors::{configuration_error, guarded, to_json};
use crate::policy::Policy;

/// A checked drive configuration. Immutable: every replay builds its drive anew.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Drive {
    pub(crate) drive: rewear_sim::Drive,
    /// Whom it asks, where it asks Python.
    pub(crate) policy: Option<Py<Policy>>,
}

#[pymethods]
impl Drive {
    /// Parses `text`, which errors call `origin`, and changes the parameters named in `overrides`.
    #[new]
    fn new(text: &str, origin: &str, overrides: Vec<(String, String)>) -> PyResult<Self> {
        guarded(|| {
            let drive =
                rewear_sim::Drive::from_toml(text, origin, &overrides).map_err(configuration_error)?;
            Ok(Self { drive, policy: None })
        })
    }

    /// The same drive, which asks `policy`.
    fn with_policy(&self, policy: Py<Policy>) -> PyResult<Self> {
        guarded(|| Ok(Self { drive: policy.get().put_into(&self.drive)?, policy: Some(policy) }))
    }

    /// Name of the drive.
    #[getter]
    fn name(&self) -> &str {
        self.drive.name()
    }

    /// JSON object of the full configuration, defaults included.
    fn configuration(&self) -> PyResult<String> {
        guarded(|| to_json(&self.drive.configuration()))
    }

    /// JSON object of how little the drive could write under `source` if the future were known; see
    /// [`rewear_sim::bound::bound`].
    fn bound(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        options: &str,
        open_units: Vec<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        crate::bound::bound(py, self, source, options, open_units, progress)
    }

    /// JSON list of the derived quantities.
    fn derived(&self) -> PyResult<String> {
        guarded(|| to_json(&self.drive.derived().map_err(configuration_error)?))
    }
}
