//! BCH codes.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::bch;

use super::arguments::{Bytes, Indices, Whole};
use super::released;
use crate::errors::{ecc_error, guarded};

/// A binary BCH code: any t, shortened to the data, systematic; corrects e errors and f erasures if
/// 2 e + f <= 2 t.
///
/// Narrow sense and primitive, over the smallest GF(2**m) that holds it, on the Conway polynomial.
/// Data bit 0 is the highest bit of byte 0 and the coefficient of the highest power, as in
/// `numpy.packbits`; the parity follows likewise, the low bits of its last byte being no part of
/// the code.
///
/// Args:
///     data_bytes: Bytes of data in a codeword.
///     t: Errors that are always corrected, 1 to 512.
///
/// Raises:
///     CodeError: No field up to GF(2**16) holds the code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct Bch {
    pub(super) code: bch::Bch,
}

/// A corrected word: `data` and `parity` (uint8), `bit_errors` that were wrong and not reported as
/// erased, and `erased_bits` that are part of the codeword.
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

    /// The code for `data_bits` bits of data; unused high bits of byte 0 must be 0.
    #[staticmethod]
    fn with_data_bits(py: Python<'_>, data_bits: Whole, t: Whole) -> PyResult<Self> {
        let code = released(py, || bch::Bch::with_data_bits(data_bits.0, t.0).map_err(ecc_error))?;
        Ok(Self { code })
    }

    /// Errors that are always corrected.
    #[getter]
    fn t(&self) -> usize {
        self.code.t()
    }

    /// m of GF(2**m).
    #[getter]
    fn field_degree(&self) -> u32 {
        self.code.field_degree()
    }

    /// Data bits of a codeword.
    #[getter]
    fn data_bits(&self) -> usize {
        self.code.data_bits()
    }

    /// Bytes of data.
    #[getter]
    fn data_bytes(&self) -> usize {
        self.code.data_bytes()
    }

    /// Parity bits of a codeword, the degree of the generator polynomial.
    #[getter]
    fn parity_bits(&self) -> usize {
        self.code.parity_bits()
    }

    /// Bytes of parity.
    #[getter]
    fn parity_bytes(&self) -> usize {
        self.code.parity_bytes()
    }

    /// Bits of a codeword.
    #[getter]
    fn codeword_bits(&self) -> usize {
        self.code.codeword_bits()
    }

    /// The powers of x whose coefficient in the generator polynomial is 1, descending, uint32.
    fn generator_powers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let powers = guarded(|| Ok(self.code.generator_powers()))?;
        Ok(powers.into_iter().map(|power| power as u32).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The parity (uint8, `parity_bytes`) of `data` (uint8, `data_bytes`).
    ///
    /// Raises:
    ///     CodeError: Data of another size.
    fn encode<'py>(&self, py: Python<'py>, data: Bytes) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let parity = released(py, || {
            let mut parity = vec![0; self.code.parity_bytes()];
            self.code.encode(&data.0, &mut parity).map_err(ecc_error)?;
            Ok(parity)
        })?;
        Ok(parity.into_pyarray(py))
    }

    /// Corrects a word.
    ///
    /// Args: data: uint8, `data_bytes`. parity: uint8, `parity_bytes`. erasures: Indices of bits
    /// whose value is unknown, strictly ascending, counted through data and then parity from the
    /// highest bit of byte 0.
    ///
    /// Raises:
    ///     UncorrectableError: No codeword is near enough.
    ///     CodeError: Buffers of another size, or indices that are not ascending or too large.
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
