//! Student's t distribution, for intervals over runs that differ in their seed.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Quantile of Student's t distribution.
///
/// Args:
///     probability: Above 0 and below 1.
///     freedom: Degrees of freedom, above 0.
///
/// Raises:
///     ValueError: An argument is out of range.
#[pyfunction]
pub(crate) fn student_t_quantile(probability: f64, freedom: f64) -> PyResult<f64> {
    let distribution =
        StudentsT::new(0.0, 1.0, freedom).map_err(|error| PyValueError::new_err(error.to_string()))?;
    if !(probability > 0.0 && probability < 1.0) {
        return Err(PyValueError::new_err(format!(
            "probability {probability}: give a number above 0 and below 1."
        )));
    }
    Ok(distribution.inverse_cdf(probability))
}
