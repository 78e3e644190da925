//! BCH codes.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::bch;

use super::arguments::{Bytes, Indices, Whole};
use super::released;
use crate::errors::{ecc_error, guarded};

/// A shortened binary BCH code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct Bch {
    pub(super) code: bch::Bch,
}

/// A corrected word.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct BchDecoded {
    data: Py<PyArray1<u8>>,
    parity: Py<PyArray1<u8>>,
    bit_errors: u32,
    erased_bits: u32,
}

#[pymethods]
impl BchDecoded {
    fn __repr__(&self) -> String {
        format!("BchDecoded(bit_errors={}, erased_bits={})", self.bit_errors, self.erased_bits)
    }
}

#[pymethods]
impl Bch {
    #[new]
    fn new(py: Python<'_>, data_bytes: Whole, t: Whole) -> PyResult<Self> {
        let code = released(py, || bch::Bch::new(data_bytes.0, t.0).map_err(ecc_error))?;
        Ok(Self { code })
    }

    #[staticmethod]
    fn with_data_bits(py: Python<'_>, data_bits: Whole, t: Whole) -> PyResult<Self> {
        let code = released(py, || bch::Bch::with_data_bits(data_bits.0, t.0).map_err(ecc_error))?;
        Ok(Self { code })
    }

    #[getter]
    fn t(&self) -> usize {
        self.code.t()
    }

    #[getter]
    fn field_degree(&self) -> u32 {
        self.code.field_degree()
    }

    #[getter]
    fn data_bits(&self) -> usize {
        self.code.data_bits()
    }

    #[getter]
    fn data_bytes(&self) -> usize {
        self.code.data_bytes()
    }

    #[getter]
    fn parity_bits(&self) -> usize {
        self.code.parity_bits()
    }

    #[getter]
    fn parity_bytes(&self) -> usize {
        self.code.parity_bytes()
    }

    #[getter]
    fn codeword_bits(&self) -> usize {
        self.code.codeword_bits()
    }

    fn generator_powers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let powers = guarded(|| Ok(self.code.generator_powers()))?;
        Ok(powers.into_iter().map(|power| power as u32).collect::<Vec<_>>().into_pyarray(py))
    }

    fn encode<'py>(&self, py: Python<'py>, data: Bytes) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let parity = released(py, || {
            let mut parity = vec![0; self.code.parity_bytes()];
            self.code.encode(&data.0, &mut parity).map_err(ecc_error)?;
            Ok(parity)
        })?;
        Ok(parity.into_pyarray(py))
    }

    #[pyo3(signature = (data, parity, erasures=None))]
    fn decode(
        &self,
        py: Python<'_>,
        mut data: Bytes,
        mut parity: Bytes,
        erasures: Option<Indices>,
    ) -> PyResult<BchDecoded> {
        let corrected = released(py, || {
            let erasures = erasures.map_or_else(Vec::new, |indices| indices.0);
            self.code.decode(&mut data.0, &mut parity.0, &erasures).map_err(ecc_error)
        })?;
        Ok(BchDecoded {
            data: data.0.into_pyarray(py).unbind(),
            parity: parity.0.into_pyarray(py).unbind(),
            bit_errors: corrected.bit_errors,
            erased_bits: corrected.erased_bits,
        })
    }

    fn __repr__(&self) -> String {
        format!("Bch(data_bits={}, t={})", self.data_bits(), self.t())
    }
}
