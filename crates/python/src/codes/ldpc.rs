//! Quasi-cyclic LDPC codes.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rewear_codes::ldpc::{self, BitFlipping, LdpcCorrected, MinSum};

use super::arguments::{Bytes, Llrs, Whole};
use super::pool::Pool;
use super::released;
use crate::errors::{code_error, ecc_error};

/// A quasi-cyclic LDPC code of column weight 4 and girth 6 or more, encoded in linear time.
///
/// Bit i of a buffer is bit i % 8 (0 the lowest) of byte i // 8.
///
/// Args: data_bytes: Bytes of data in a codeword. parity_bytes: Bytes of parity; both multiples of
/// the circulant size (32, 16 or 8 bytes). For 4 KB pages 256, 384, 448 and 1024 are usual.
///
/// Raises:
///     CodeError: Sizes that fit no code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct Ldpc {
    pub(super) code: ldpc::Ldpc,
    workspaces: Pool<ldpc::Workspace>,
}

/// A corrected word: `data` and `parity` (uint8), `bit_errors` that were changed against the hard
/// decisions, and the `iterations` it took; 0 when the word read was a codeword.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct LdpcDecoded {
    data: Py<PyArray1<u8>>,
    parity: Py<PyArray1<u8>>,
    bit_errors: u32,
    iterations: u32,
}

#[pymethods]
impl LdpcDecoded {
    fn __repr__(&self) -> String {
        format!("LdpcDecoded(bit_errors={}, iterations={})", self.bit_errors, self.iterations)
    }
}

#[pymethods]
impl Ldpc {
    #[new]
    fn new(py: Python<'_>, data_bytes: Whole, parity_bytes: Whole) -> PyResult<Self> {
        let code = released(py, || ldpc::Ldpc::new(data_bytes.0, parity_bytes.0).map_err(ecc_error))?;
        Ok(Self { code, workspaces: Pool::new() })
    }

    /// Bytes of data.
    #[getter]
    fn data_bytes(&self) -> usize {
        self.code.data_bytes()
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

    /// Data bits over codeword bits.
    #[getter]
    fn rate(&self) -> f64 {
        self.code.rate()
    }

    /// Size of a circulant block in bits.
    #[getter]
    fn circulant_bits(&self) -> usize {
        self.code.circulant_bits()
    }

    /// The nonzero blocks of the parity-check matrix: uint32, a line (row, column, shift) each.
    /// Check i of the row contains bit (i + shift) % circulant_bits of the column.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let blocks: Vec<u32> = self
            .code
            .blocks()
            .flat_map(|(row, column, shift)| [row as u32, column as u32, shift as u32])
            .collect();
        let count = blocks.len() / 3;
        blocks.into_pyarray(py).reshape([count, 3])
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

    /// Whether all checks are satisfied.
    ///
    /// Raises:
    ///     CodeError: Buffers of another size.
    fn is_codeword(&self, py: Python<'_>, data: Bytes, parity: Bytes) -> PyResult<bool> {
        released(py, || self.code.is_codeword(&data.0, &parity.0).map_err(ecc_error))
    }

    /// Corrects hard decisions.
    ///
    /// Args: data: uint8, `data_bytes`. parity: uint8, `parity_bytes`. decoder: "min-sum" (layered,
    /// 8-bit messages), "bit-flipping" (probabilistic gradient descent), or
    /// "bit-flipping-then-min-sum". max_iterations: Rounds before giving up; the decoder's own
    /// limit unless given.
    ///
    /// Raises:
    ///     UncorrectableError: The checks were not satisfied in time.
    ///     CodeError: Buffers of another size, or no such decoder.
    #[pyo3(signature = (data, parity, *, decoder="min-sum", max_iterations=None))]
    fn decode(
        &self,
        py: Python<'_>,
        mut data: Bytes,
        mut parity: Bytes,
        decoder: &str,
        max_iterations: Option<Whole>,
    ) -> PyResult<LdpcDecoded> {
        let min_sum = min_sum(max_iterations)?;
        let flipping = BitFlipping { max_iterations: min_sum.max_iterations, ..BitFlipping::default() };
        let flipping = if max_iterations.is_some() { flipping } else { BitFlipping::default() };
        let found = released(py, || {
            let (data, parity) = (&mut data.0, &mut parity.0);
            self.with_workspace(|work| match decoder {
                "min-sum" => self.code.decode_hard(work, data, parity, &min_sum).map_err(ecc_error),
                "bit-flipping" => self.code.decode_flipping(work, data, parity, &flipping).map_err(ecc_error),
                "bit-flipping-then-min-sum" => {
                    self.code.decode(work, data, parity, &min_sum).map_err(ecc_error)
                }
                _ => Err(code_error(format!(
                    "There is no decoder {decoder:?}; choose min-sum, bit-flipping or bit-flipping-then-min-sum."
                ))),
            })
        })?;
        Ok(decoded(py, data, parity, found))
    }

    /// The codeword for `llrs` (int8, one a bit, data then parity, positive for 0), by layered
    /// min-sum.
    ///
    /// Raises:
    ///     UncorrectableError: The checks were not satisfied in time.
    ///     CodeError: Another number of LLRs.
    #[pyo3(signature = (llrs, *, max_iterations=None))]
    fn decode_soft(
        &self,
        py: Python<'_>,
        llrs: Llrs,
        max_iterations: Option<Whole>,
    ) -> PyResult<LdpcDecoded> {
        let rules = min_sum(max_iterations)?;
        let mut data = Bytes(vec![0; self.code.data_bytes()]);
        let mut parity = Bytes(vec![0; self.code.parity_bytes()]);
        let found = released(py, || {
            self.with_workspace(|work| {
                self.code.decode_soft(work, &llrs.0, &mut data.0, &mut parity.0, &rules).map_err(ecc_error)
            })
        })?;
        Ok(decoded(py, data, parity, found))
    }

    fn __repr__(&self) -> String {
        format!("Ldpc(data_bytes={}, parity_bytes={})", self.data_bytes(), self.parity_bytes())
    }
}

impl Ldpc {
    fn with_workspace<R>(&self, work: impl FnOnce(&mut ldpc::Workspace) -> R) -> R {
        self.workspaces.with(|| self.code.workspace(), work)
    }
}

fn min_sum(max_iterations: Option<Whole>) -> PyResult<MinSum> {
    let usual = MinSum::default();
    let max_iterations =
        max_iterations.map_or(Ok(usual.max_iterations), |count| count.narrow("max_iterations"))?;
    Ok(MinSum { max_iterations, ..usual })
}

fn decoded(py: Python<'_>, data: Bytes, parity: Bytes, found: LdpcCorrected) -> LdpcDecoded {
    LdpcDecoded {
        data: data.0.into_pyarray(py).unbind(),
        parity: parity.0.into_pyarray(py).unbind(),
        bit_errors: found.bit_errors,
        iterations: found.iterations,
    }
}
