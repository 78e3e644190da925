//! Polar WOM codes on bitmaps of cells.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::{bits, polar_wom};

use super::arguments::{Bytes, Whole};
use super::pool::Pool;
use super::released;
use crate::errors::{code_error, guarded};

/// A polar WOM code: `message_bits` bits written on `cells` cells of which about half are
/// programmed already (`second-write`, sections 2.2 and 3).
///
/// Bitmaps are uint8 arrays of `cells / 8` bytes in physical order: cell i is bit i % 8 (0 the
/// lowest) of byte i // 8, as in `numpy.packbits(..., bitorder="little")`; a one is a programmed
/// cell. Messages are `message_bytes` bytes in the same order; bits beyond `message_bits` are
/// ignored and read as 0.
///
/// Args:
///     cells: Length of the code, a power of two from 64 to 2**20.
///     message_bits: Bits of a message, 1 to `cells`.
///
/// Raises:
///     CodeError: There is no such code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct PolarWom {
    code: polar_wom::PolarWom,
    workspaces: Pool<polar_wom::Workspace>,
}

/// The best attempt on given cells: `attempt` determines `determined` (D) message bits and so
/// succeeds with probability 2**-D for data the cells know nothing of; with certainty when D is 0.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct Plan {
    determined: usize,
    attempt: u8,
}

#[pymethods]
impl Plan {
    fn __repr__(&self) -> String {
        format!("Plan(determined={}, attempt={})", self.determined, self.attempt)
    }
}

impl From<polar_wom::Plan> for Plan {
    fn from(plan: polar_wom::Plan) -> Self {
        Self { determined: plan.determined, attempt: plan.attempt }
    }
}

/// What one attempt came to: `cells`, the codeword, which lowers no programmed cell if `success`;
/// `repaired`, whether it took a repair.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct PolarAttempt {
    cells: Py<PyArray1<u8>>,
    success: bool,
    repaired: bool,
}

#[pymethods]
impl PolarAttempt {
    fn __repr__(&self) -> String {
        let word = |flag| if flag { "True" } else { "False" };
        format!("PolarAttempt(success={}, repaired={})", word(self.success), word(self.repaired))
    }
}

#[pymethods]
impl PolarWom {
    #[new]
    fn new(cells: Whole, message_bits: Whole) -> PyResult<Self> {
        guarded(|| {
            let code = polar_wom::PolarWom::new(cells.0, message_bits.0).map_err(code_error)?;
            Ok(Self { code, workspaces: Pool::new() })
        })
    }

    /// Length of the code.
    #[getter]
    fn cells(&self) -> usize {
        self.code.cells()
    }

    /// Bits of a message.
    #[getter]
    fn message_bits(&self) -> usize {
        self.code.message_bits()
    }

    /// Bytes of a bitmap of cells.
    #[getter]
    fn cell_bytes(&self) -> usize {
        self.code.cells() / 8
    }

    /// Bytes of a message.
    #[getter]
    fn message_bytes(&self) -> usize {
        self.code.message_bits().div_ceil(8)
    }

    /// The positions of u that carry the message, as a bitmap of `cell_bytes` bytes.
    fn message_positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        stored(self.code.message_positions(), self.cell_bytes()).into_pyarray(py)
    }

    /// D: how many message bits the `programmed` cells (uint8, `cell_bytes`) determine under
    /// `attempt` (0 to 7). Depends on the cells alone, not on the data.
    ///
    /// Raises:
    ///     CodeError: A buffer of another size, or no such attempt.
    #[pyo3(signature = (programmed, attempt=Whole(0)))]
    fn determined(&self, py: Python<'_>, programmed: Bytes, attempt: Whole) -> PyResult<usize> {
        let attempt = attempt.narrow("attempt")?;
        released(py, || {
            let cells = self.loaded_cells("programmed", &programmed.0)?;
            self.code.determined(&cells, attempt).map_err(code_error)
        })
    }

    /// The attempt with the smallest D among the first `attempts` (1 to 8); the first such one.
    ///
    /// Raises:
    ///     CodeError: A buffer of another size, or no such number of attempts.
    #[pyo3(signature = (programmed, attempts=Whole(8)))]
    fn plan(&self, py: Python<'_>, programmed: Bytes, attempts: Whole) -> PyResult<Plan> {
        let attempts = attempts.narrow("attempts")?;
        released(py, || {
            let cells = self.loaded_cells("programmed", &programmed.0)?;
            self.code.plan(&cells, attempts).map(Plan::from).map_err(code_error)
        })
    }

    /// One attempt to write `message` on the `programmed` cells.
    ///
    /// Args: programmed: Bitmap of the cells as they are, uint8, `cell_bytes`. message: uint8,
    /// `message_bytes`. address: Seeds the keystream that whitens the message; a reader must know
    /// it. attempt: 0 to 7; changes keystream and rotation. A reader must know it. rotation: The
    /// rotation of another attempt instead of this one's; 0 makes a retry a mere change of dither.
    /// repair: If the attempt fails, remove its conflicts by linear algebra (not in the paper).
    ///
    /// Returns: The codeword and whether it agrees with the programmed cells; a conflict is no
    /// exception.
    ///
    /// Raises:
    ///     CodeError: A buffer of another size, or no such attempt.
    #[pyo3(signature = (programmed, message, *, address=0, attempt=Whole(0), rotation=None, repair=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python method")]
    fn encode(
        &self,
        py: Python<'_>,
        programmed: Bytes,
        message: Bytes,
        address: u64,
        attempt: Whole,
        rotation: Option<Whole>,
        repair: bool,
    ) -> PyResult<PolarAttempt> {
        let rotation = rotation.unwrap_or(attempt).narrow("rotation")?;
        let attempt = attempt.narrow("attempt")?;
        let (cells, success, repaired) = released(py, || {
            let programmed = self.loaded_cells("programmed", &programmed.0)?;
            let message = loaded("message", &message.0, self.message_bytes(), self.code.message_words())?;
            let mut cells = vec![0; self.code.cell_words()];
            let mut one = polar_wom::Attempt {
                programmed: &programmed,
                message: &message,
                address,
                attempt,
                rotation,
                cells: &mut cells,
                success: false,
            };
            let repaired = self.workspaces.with(
                || polar_wom::Workspace::new(&self.code),
                |work| self.attempt(work, &mut one, repair),
            )?;
            let success = one.success;
            Ok((stored(&cells, self.cell_bytes()), success, repaired))
        })?;
        Ok(PolarAttempt { cells: cells.into_pyarray(py).unbind(), success, repaired })
    }

    /// The message of the codeword `cells` (uint8, `cell_bytes`) written at `address` in `attempt`.
    /// Any bitmap is a codeword, so garbage gives some message.
    ///
    /// Raises:
    ///     CodeError: A buffer of another size, or no such attempt.
    #[pyo3(signature = (cells, *, address=0, attempt=Whole(0), rotation=None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        cells: Bytes,
        address: u64,
        attempt: Whole,
        rotation: Option<Whole>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let rotation = rotation.unwrap_or(attempt).narrow("rotation")?;
        let attempt = attempt.narrow("attempt")?;
        let message = released(py, || {
            let cells = self.loaded_cells("cells", &cells.0)?;
            let mut message = vec![0; self.code.message_words()];
            self.workspaces
                .with(
                    || polar_wom::Workspace::new(&self.code),
                    |work| work.decode_rotated(&self.code, &cells, address, attempt, rotation, &mut message),
                )
                .map_err(code_error)?;
            Ok(stored(&message, self.message_bytes()))
        })?;
        Ok(message.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("PolarWom(cells={}, message_bits={})", self.cells(), self.message_bits())
    }
}

impl PolarWom {
    fn loaded_cells(&self, name: &'static str, bytes: &[u8]) -> PyResult<Vec<u64>> {
        loaded(name, bytes, self.cell_bytes(), self.code.cell_words())
    }

    /// Makes the attempt and, if it fails and `repair` says so, repairs it; returns whether it did.
    fn attempt(
        &self,
        work: &mut polar_wom::Workspace,
        one: &mut polar_wom::Attempt<'_>,
        repair: bool,
    ) -> PyResult<bool> {
        work.encode(&self.code, std::slice::from_mut(one)).map_err(code_error)?;
        if one.success || !repair {
            return Ok(false);
        }
        work.repair(&self.code, one).map_err(code_error)?;
        Ok(one.success)
    }
}

fn loaded(name: &str, bytes: &[u8], expected: usize, words: usize) -> PyResult<Vec<u64>> {
    if bytes.len() != expected {
        let got = bytes.len();
        return Err(code_error(format!("{name} holds {got} bytes, but this code needs {expected}")));
    }
    let mut loaded = vec![0; words];
    bits::load(&mut loaded, bytes);
    Ok(loaded)
}

fn stored(words: &[u64], bytes: usize) -> Vec<u8> {
    let mut stored = vec![0; bytes];
    bits::store(&mut stored, words);
    stored
}
