//! The equations of recycling, for reproductions that work them out beside the drive.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rewear_ftl::recycle::lx::probability;

/// Adds the functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(recycle_popularity, module)?)?;
    module.add_function(wrap_pyfunction!(recycle_version, module)?)?;
    module.add_function(wrap_pyfunction!(recycle_probability, module)?)
}

/// Equation 1 of LX-SSD: the popularity of a page that was accessed so often.
#[pyfunction]
fn recycle_popularity(growth: f64, accesses: u8) -> f64 {
    probability::popularity(growth, accesses)
}

/// Equation 3: the version at a position of the list of invalid pages of a logical page.
#[pyfunction]
fn recycle_version(position: u32) -> u8 {
    probability::version(position)
}

/// Equation 4, and with version 15 equation 2: the probability that an invalid page is recycled.
#[pyfunction]
fn recycle_probability(growth: f64, decay: f64, accesses: u8, version: u8) -> PyResult<f64> {
    if version > probability::MOST {
        return Err(PyValueError::new_err(format!("version {version}: give 0 to {}.", probability::MOST)));
    }
    Ok(probability::probability(growth, decay, accesses, version))
}
