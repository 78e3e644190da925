//! WOM-v(k, N) codes on packed cell images.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::wom_v::{Code, Invalid};

use super::arguments::{Bytes, Whole};
use super::released;
use super::write_counts::{WriteCounts, data_model, invalid_shares, write_counts};
use crate::errors::{code_error, guarded};

/// WOM-v(k, N): k data bits in a cell of 2**N levels, written floor((2**N - 1) / (2**k - 1)) times
/// or more (`wom-v`, sections 2 and 3). A cell at level v holds v % 2**k and is raised to the next
/// level that holds its data.
///
/// Cell images are uint8 arrays: two cells a byte up to N = 4 (the lower-numbered in the low
/// nibble), one above.
///
/// Args:
///     k: Data bits in a cell, 1 to N - 1.
///     n: N, 2 to 6.
///
/// Raises:
///     CodeError: There is no such code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct WomV {
    code: Code,
}

/// The cells of one page that could not be raised to their data since its last erase: erasures for
/// the page's error-correcting code. Immutable; every write makes a new one.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct InvalidCells {
    cells: Invalid,
}

#[pymethods]
impl InvalidCells {
    /// Invalid cells.
    #[getter]
    fn count(&self) -> usize {
        self.cells.count()
    }

    /// Cells of the page.
    #[getter]
    fn cells(&self) -> usize {
        self.cells.cells()
    }

    /// Their numbers, ascending, uint32.
    fn indices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.cells.iter().map(|cell| cell as u32).collect::<Vec<_>>().into_pyarray(py)
    }

    fn __contains__(&self, cell: Whole) -> bool {
        self.cells.contains(cell.0)
    }

    fn __len__(&self) -> usize {
        self.cells.count()
    }

    fn __repr__(&self) -> String {
        format!("<InvalidCells: {} of {}>", self.count(), self.cells())
    }
}

/// What a write did: the new `image` (uint8), all `invalid` cells of the page, and how many are
/// `newly_invalid`.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct WomVWritten {
    image: Py<PyArray1<u8>>,
    invalid: Py<InvalidCells>,
    newly_invalid: usize,
}

#[pymethods]
impl WomVWritten {
    fn __repr__(&self) -> String {
        format!("WomVWritten(newly_invalid={}, invalid={})", self.newly_invalid, self.invalid.get().count())
    }
}

#[pymethods]
impl WomV {
    #[new]
    fn new(k: Whole, n: Whole) -> PyResult<Self> {
        let (k, n) = (k.narrow("k")?, n.narrow("n")?);
        guarded(|| Ok(Self { code: Code::new(k, n).map_err(code_error)? }))
    }

    /// All codes with `1 <= k < N <= 6`, by N then k.
    #[staticmethod]
    fn all() -> Vec<Self> {
        Code::all().map(|code| Self { code }).collect()
    }

    /// Data bits in a cell.
    #[getter]
    fn k(&self) -> u8 {
        self.code.data_bits()
    }

    /// A cell has 2**n levels.
    #[getter]
    fn n(&self) -> u8 {
        self.code.cell_bits()
    }

    /// Writes that any sequence of data is sure to get.
    #[getter]
    fn generations(&self) -> u32 {
        self.code.generations()
    }

    /// The highest level of a cell.
    #[getter]
    fn max_level(&self) -> u8 {
        self.code.max_level()
    }

    /// Bits of metadata a page that the no-read mode keeps.
    #[getter]
    fn generation_bits(&self) -> u32 {
        self.code.generation_bits()
    }

    /// Cells that hold `data_bytes` bytes.
    fn cells_for(&self, data_bytes: Whole) -> PyResult<usize> {
        check_page_bytes(data_bytes).map(|bytes| self.code.cells_for(bytes))
    }

    /// Bytes of the cell image of `data_bytes` bytes of data.
    fn image_bytes(&self, data_bytes: Whole) -> PyResult<usize> {
        check_page_bytes(data_bytes).map(|bytes| self.code.image_bytes(bytes))
    }

    /// The image of an erased page for `data_bytes` bytes of data.
    fn erased<'py>(&self, py: Python<'py>, data_bytes: Whole) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(vec![0; self.image_bytes(data_bytes)?].into_pyarray(py))
    }

    /// The image of `data` (uint8) as generation `generation` (counted from 0), whatever the page
    /// held in the generation before (no-read mode, same-generation transitions off).
    ///
    /// Raises:
    ///     CodeError: The code has no such generation.
    fn encode_no_read<'py>(
        &self,
        py: Python<'py>,
        generation: Whole,
        data: Bytes,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let generation = generation.narrow("generation")?;
        let image = released(py, || {
            let mut image = vec![0; self.code.image_bytes(data.0.len())];
            self.code.encode_no_read(generation, &data.0, &mut image).map_err(code_error)?;
            Ok(image)
        })?;
        Ok(image.into_pyarray(py))
    }

    /// Writes `data` over `image`: every cell goes up to the next level that holds its data, within
    /// its generation where that is possible. A cell that cannot goes to the highest level and
    /// becomes invalid.
    ///
    /// Args:
    ///     data: uint8.
    ///     image: Cells as they are, uint8, `image_bytes(len(data))`.
    ///     invalid: The page's invalid cells so far; `None` for a page without any.
    ///
    /// Raises:
    ///     CodeError: Buffers of another size, or a level that the code has not.
    #[pyo3(signature = (data, image, invalid=None))]
    fn encode(
        &self,
        py: Python<'_>,
        data: Bytes,
        mut image: Bytes,
        invalid: Option<&InvalidCells>,
    ) -> PyResult<WomVWritten> {
        let (invalid, written) = released(py, || {
            let mut invalid = self.invalid_or_none(invalid, &data.0);
            let written = self.code.encode(&data.0, &mut image.0, &mut invalid).map_err(code_error)?;
            Ok((invalid, written))
        })?;
        Ok(WomVWritten {
            image: image.0.into_pyarray(py).unbind(),
            invalid: Py::new(py, InvalidCells { cells: invalid })?,
            newly_invalid: written.newly_invalid,
        })
    }

    /// How many cells `encode` would make invalid, without writing. Raises as `encode`.
    #[pyo3(signature = (data, image, invalid=None))]
    fn preview(
        &self,
        py: Python<'_>,
        data: Bytes,
        image: Bytes,
        invalid: Option<&InvalidCells>,
    ) -> PyResult<usize> {
        released(py, || {
            let invalid = self.invalid_or_none(invalid, &data.0);
            let written = self.code.preview(&data.0, &image.0, &invalid).map_err(code_error)?;
            Ok(written.newly_invalid)
        })
    }

    /// The data (uint8, `data_bytes`) of an image. Invalid cells give whatever their level stands
    /// for.
    ///
    /// Raises:
    ///     CodeError: An image of another size, or a level that the code has not.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        image: Bytes,
        data_bytes: Whole,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let data = released(py, || {
            let mut data = vec![0; check_page_bytes(data_bytes)?];
            self.code.decode(&image.0, &mut data).map_err(code_error)?;
            Ok(data)
        })?;
        Ok(data.into_pyarray(py))
    }

    /// The level of every cell of the image of `data_bytes` bytes of data, uint8.
    ///
    /// Raises:
    ///     CodeError: The image ends before its last cell.
    fn levels<'py>(
        &self,
        py: Python<'py>,
        image: Bytes,
        data_bytes: Whole,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let levels = released(py, || {
            let cells = self.code.cells_for(check_page_bytes(data_bytes)?);
            let level = |cell| self.code.level(&image.0, cell).map_err(code_error);
            (0..cells).map(level).collect::<PyResult<Vec<u8>>>()
        })?;
        Ok(levels.into_pyarray(py))
    }

    /// The code as the table of `wom-v`, figure 2: a line a level, highest first.
    fn table(&self) -> String {
        self.code.table()
    }

    /// The distribution of the writes a page takes between two erases, by the mathematics of one
    /// cell.
    ///
    /// Args: cells: Cells of the page (of the erase unit for "unit"). ecc_check: Where the limit on
    /// invalid cells is checked: "pre" refuses the write that would exceed it, "post" keeps that
    /// write and erases before the next (the paper's numbers), "unit" counts over an erase unit
    /// (the authors' released code), "no-read" is one write a generation. max_invalid_share: The
    /// limit, 0 to below 1; the paper's is 0.03. flip_rate: The first write is random and every
    /// later one flips each bit with this probability; `None` for fresh random data in every write.
    ///
    /// Raises:
    ///     CodeError: An argument is out of its range.
    #[pyo3(signature = (cells=Whole(8192), *, ecc_check="post", max_invalid_share=0.03, flip_rate=None))]
    fn write_counts(
        &self,
        py: Python<'_>,
        cells: Whole,
        ecc_check: &str,
        max_invalid_share: f64,
        flip_rate: Option<f64>,
    ) -> PyResult<WriteCounts> {
        let model = data_model(flip_rate)?;
        released(py, || write_counts(self.code, cells.0, ecc_check, max_invalid_share, model))
    }

    /// The probability that a cell is invalid after 1, 2, ..., `writes` writes, float64.
    /// `flip_rate` as in `write_counts`.
    #[pyo3(signature = (writes, *, flip_rate=None))]
    fn invalid_shares<'py>(
        &self,
        py: Python<'py>,
        writes: Whole,
        flip_rate: Option<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let model = data_model(flip_rate)?;
        let shares = released(py, || invalid_shares(self.code, writes.0, model))?;
        Ok(shares.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("WomV(k={}, n={})", self.k(), self.n())
    }

    fn __str__(&self) -> String {
        self.code.to_string()
    }
}

impl WomV {
    fn invalid_or_none(&self, invalid: Option<&InvalidCells>, data: &[u8]) -> Invalid {
        invalid.map_or_else(|| Invalid::new(self.code.cells_for(data.len())), |given| given.cells.clone())
    }
}

/// Larger than any page, small enough for every size that follows from it.
const MAX_PAGE_BYTES: usize = 1 << 30;

fn check_page_bytes(data_bytes: Whole) -> PyResult<usize> {
    if data_bytes.0 <= MAX_PAGE_BYTES {
        return Ok(data_bytes.0);
    }
    Err(code_error(format!(
        "data_bytes = {} is no size of a page; it is at most {MAX_PAGE_BYTES}",
        data_bytes.0
    )))
}
