//! Soft reads.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::ldpc;

use super::arguments::{Bytes, Floats, Whole};
use super::released;
use crate::errors::{code_error, ecc_error};

/// A read with 1 + 2 `extra_pairs` references.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct Sensing {
    sensing: ldpc::Sensing,
}

#[pymethods]
impl Sensing {
    #[new]
    fn new(py: Python<'_>, rber: f64, extra_pairs: Whole) -> PyResult<Self> {
        let sensing = released(py, || ldpc::Sensing::new(rber, extra_pairs.0).map_err(ecc_error))?;
        Ok(Self { sensing })
    }

    #[getter]
    fn rber(&self) -> f64 {
        self.sensing.rber()
    }

    #[getter]
    fn delta(&self) -> f64 {
        self.sensing.delta()
    }

    fn probabilities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.sensing.probabilities().to_vec().into_pyarray(py)
    }

    fn llrs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.sensing.llrs().to_vec().into_pyarray(py)
    }

    fn read<'py>(
        &self,
        py: Python<'py>,
        stored: Bytes,
        uniform: Floats,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let (bits, numbers) = (8 * stored.0.len(), uniform.0.len());
        if bits != numbers {
            return Err(code_error(format!(
                "uniform holds {numbers} numbers, but there are {bits} bits to read"
            )));
        }
        let llrs = released(py, || {
            let bit = |i: usize| stored.0[i / 8] >> (i % 8) & 1 == 1;
            Ok(uniform.0.iter().enumerate().map(|(i, u)| self.sensing.read(bit(i), *u)).collect::<Vec<i8>>())
        })?;
        Ok(llrs.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("<Sensing: {} references, RBER {}>", self.sensing.llrs().len() - 1, self.rber())
    }
}
