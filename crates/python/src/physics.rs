//! `rewear._physics`: the cell model for Python, with numpy arrays in and out.
//!
//! A thin layer without logic of its own. Arrays of ages have one length, which `rewear.physics`
//! sees to; configurations and structured results cross as JSON text.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::wrap_pymodule;
use rewear_flash::ConfigError;
use rewear_flash::cell_physics::{
    Age, CellConfig, Cells, EccLimits, Rber, derived_modes, extended_cycles, second_write_ends_at_cycles,
};

use crate::codes::arguments::Floats;
use crate::errors::{configuration_error, guarded, to_json};

/// Makes `rewear._physics` importable: it comes with `rewear._core`, which every import of the
/// package loads first.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let module = wrap_pymodule!(_physics)(py);
    py.import("sys")?.getattr("modules")?.set_item("rewear._physics", module)
}

fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, ConfigError> + Send) -> PyResult<T> {
    py.detach(|| guarded(|| work().map_err(configuration_error)))
}

/// A checked configuration of the cell model.
#[pyclass(frozen, module = "rewear._physics")]
struct Model {
    config: CellConfig,
}

impl Model {
    /// Calls `of` for each place of the arrays; cells of one step are made once as long as it stays
    /// the same.
    fn each<T>(
        &self,
        steps_v: &[f64],
        mut of: impl FnMut(&Cells<'_>, usize) -> Result<T, ConfigError>,
    ) -> Result<Vec<T>, ConfigError> {
        let mut results = Vec::with_capacity(steps_v.len());
        let mut made: Option<(f64, Cells<'_>)> = None;
        for (place, &step_v) in steps_v.iter().enumerate() {
            let cells = match made.take() {
                Some((step, cells)) if step == step_v => cells,
                _ => Cells::new(&self.config, step_v)?,
            };
            results.push(of(&cells, place)?);
            made = Some((step_v, cells));
        }
        Ok(results)
    }

    fn rates(&self, steps_v: &Floats, cycles: &Floats, hours: &Floats) -> Result<Vec<Rber>, ConfigError> {
        same_lengths(&[steps_v, cycles, hours])?;
        self.each(&steps_v.0, |cells, i| cells.rber(Age { cycles: cycles.0[i], retention_hours: hours.0[i] }))
    }
}

fn same_lengths(arrays: &[&Floats]) -> Result<(), ConfigError> {
    if arrays.iter().all(|array| array.0.len() == arrays[0].0.len()) {
        return Ok(());
    }
    let lengths = arrays.iter().map(|array| array.0.len().to_string()).collect::<Vec<_>>().join(", ");
    Err(ConfigError::new("arrays", format!("lengths {lengths} differ"), "give arrays of one length"))
}

#[pymethods]
impl Model {
    /// The model of a configuration given as a JSON object; what it leaves out has its default.
    #[new]
    fn new(config: &str) -> PyResult<Self> {
        let config: CellConfig = serde_json::from_str(config).map_err(configuration_error)?;
        config.check().map_err(configuration_error)?;
        Ok(Self { config })
    }

    /// The whole configuration as a JSON object.
    fn config(&self) -> PyResult<String> {
        to_json(&self.config)
    }

    /// Raw bit error rates, float64: a row for each age, a column for each kind of page.
    fn rber<'py>(
        &self,
        py: Python<'py>,
        step_v: Floats,
        cycles: Floats,
        retention_hours: Floats,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rates = released(py, || self.rates(&step_v, &cycles, &retention_hours))?;
        Ok(PyArray2::from_vec2(py, &rates.into_iter().map(|rber| rber.pages).collect::<Vec<_>>())?)
    }

    /// Read references in volts, float64: a row for each age, a column for each boundary between
    /// levels.
    fn references<'py>(
        &self,
        py: Python<'py>,
        step_v: Floats,
        cycles: Floats,
        retention_hours: Floats,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rates = released(py, || self.rates(&step_v, &cycles, &retention_hours))?;
        Ok(PyArray2::from_vec2(py, &rates.into_iter().map(|rber| rber.references_v).collect::<Vec<_>>())?)
    }

    /// Shares of each level's cells between neighbouring edges, float64: a row for each level.
    fn histogram<'py>(
        &self,
        py: Python<'py>,
        step_v: f64,
        cycles: f64,
        retention_hours: f64,
        edges_v: Floats,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shares = released(py, || {
            Cells::new(&self.config, step_v)?.histogram(Age { cycles, retention_hours }, &edges_v.0)
        })?;
        Ok(PyArray2::from_vec2(py, &shares)?)
    }

    /// Cycles until the worst kind of page passes a raw bit error rate, float64, for each step,
    /// limit and retention.
    fn cycles_until<'py>(
        &self,
        py: Python<'py>,
        step_v: Floats,
        limit_rber: Floats,
        retention_hours: Floats,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let lives = released(py, || {
            same_lengths(&[&step_v, &limit_rber, &retention_hours])?;
            self.each(&step_v.0, |cells, i| cells.cycles_until(limit_rber.0[i], retention_hours.0[i]))
        })?;
        Ok(lives.into_pyarray(py))
    }

    /// JSON object of what the codes stand.
    fn limits(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&released(py, || EccLimits::new(&self.config.ecc))?)
    }

    /// JSON array of the modes at an age.
    fn derived_modes(&self, py: Python<'_>, cycles: f64, retention_hours: f64) -> PyResult<String> {
        to_json(&released(py, || derived_modes(&self.config, cycles, retention_hours))?)
    }

    /// JSON object of when second writes end.
    fn second_writes(&self, py: Python<'_>, step_v: f64, retention_hours: f64) -> PyResult<String> {
        to_json(&released(py, || second_write_ends_at_cycles(&self.config, step_v, retention_hours))?)
    }

    /// JSON array, an object for each number of cycles: low pages after plain and extended cycles.
    fn extended_cycles(
        &self,
        py: Python<'_>,
        step_v: f64,
        programs: u32,
        cycles: Floats,
        retention_hours: f64,
    ) -> PyResult<String> {
        let of = |&cycles| extended_cycles(&self.config, step_v, programs, Age { cycles, retention_hours });
        to_json(&released(py, || cycles.0.iter().map(of).collect::<Result<Vec<_>, _>>())?)
    }
}

#[pyo3::pymodule]
mod _physics {
    #[pymodule_export]
    use super::Model;
}
