//! Soft reads.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::ldpc;

use super::arguments::{Bytes, Floats, Whole};
use super::released;
use crate::errors::{code_error, ecc_error};

/// A read with 1 + 2 `extra_pairs` references, spaced for the most mutual information, of states
/// that are Gaussians at -1 and +1 (Wang et al., IEEE JSAC 32(5), 2014).
///
/// Args:
///     rber: Raw bit error rate of the hard read, above 0 and below 0.5.
///     extra_pairs: Pairs of references around the hard one, 0 to 15.
///
/// Raises:
///     CodeError: A number out of its range.
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

    /// Raw bit error rate of the hard read.
    #[getter]
    fn rber(&self) -> f64 {
        self.sensing.rber()
    }

    /// Distance of neighbouring references, in units of half the distance between the states.
    #[getter]
    fn delta(&self) -> f64 {
        self.sensing.delta()
    }

    /// P(bin | bit 0), float64, from the bin that is most surely 0 to the one that is most surely
    /// 1.
    fn probabilities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.sensing.probabilities().to_vec().into_pyarray(py)
    }

    /// The quantised LLR of each bin, int8, positive for 0.
    fn llrs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.sensing.llrs().to_vec().into_pyarray(py)
    }

    /// Reads `stored` (uint8; bit i is bit i % 8 of byte i // 8): an LLR (int8) for each bit, drawn
    /// by `uniform`, as many float64 in 0 to 1.
    ///
    /// Raises:
    ///     CodeError: Another number of random numbers than of bits.
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
