//! Flip-N-Write.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::flip_n_write;

use super::arguments::{Bytes, Whole};
use super::released;
use crate::errors::code_error;

/// Flip-N-Write (Cho and Lee, MICRO 2009): a word or its complement, whichever changes fewer cells.
///
/// Args:
///     word_bits: 8, 16, 32 or 64.
///
/// Raises:
///     CodeError: Words of another size.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct FlipNWrite {
    code: flip_n_write::FlipNWrite,
    word_bits: usize,
}

/// `cells` and `flags` (uint8) after a write; cells `set` from 0 to 1 and `reset` from 1 to 0,
/// flags included.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct FlipNWritten {
    cells: Py<PyArray1<u8>>,
    flags: Py<PyArray1<u8>>,
    set: usize,
    reset: usize,
}

#[pymethods]
impl FlipNWritten {
    fn __repr__(&self) -> String {
        format!("FlipNWritten(set={}, reset={})", self.set, self.reset)
    }
}

#[pymethods]
impl FlipNWrite {
    #[new]
    #[pyo3(signature = (word_bits=Whole(32)))]
    fn new(word_bits: Whole) -> PyResult<Self> {
        let code = flip_n_write::FlipNWrite::new(word_bits.0).map_err(code_error)?;
        Ok(Self { code, word_bits: word_bits.0 })
    }

    /// Bits of a word.
    #[getter]
    fn word_bits(&self) -> usize {
        self.word_bits
    }

    /// The most cells a write of a word changes, its flag included.
    #[getter]
    fn max_changes_per_word(&self) -> usize {
        self.code.max_changes_per_word()
    }

    /// Bytes of flags for `data_bytes` bytes: a bit a word.
    fn flag_bytes(&self, data_bytes: Whole) -> usize {
        self.code.flag_bytes(data_bytes.0)
    }

    /// Writes `data` over `cells` (uint8, the same size) and `flags` (uint8,
    /// `flag_bytes(len(data))`).
    ///
    /// Raises:
    ///     CodeError: Buffers of another size.
    fn encode(
        &self,
        py: Python<'_>,
        data: Bytes,
        mut cells: Bytes,
        mut flags: Bytes,
    ) -> PyResult<FlipNWritten> {
        let changes =
            released(py, || self.code.encode(&data.0, &mut cells.0, &mut flags.0).map_err(code_error))?;
        Ok(FlipNWritten {
            cells: cells.0.into_pyarray(py).unbind(),
            flags: flags.0.into_pyarray(py).unbind(),
            set: changes.set,
            reset: changes.reset,
        })
    }

    /// The data.
    ///
    /// Raises:
    ///     CodeError: Buffers of another size.
    fn decode<'py>(&self, py: Python<'py>, cells: Bytes, flags: Bytes) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let data = released(py, || {
            let mut data = vec![0; cells.0.len()];
            self.code.decode(&cells.0, &flags.0, &mut data).map_err(code_error)?;
            Ok(data)
        })?;
        Ok(data.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("FlipNWrite(word_bits={})", self.word_bits)
    }
}
