//! First and second writes on pages and their spare areas.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rewear_codes::polar_wom::{self, Effort, FIELD_BYTES, PagePair, PairWorkspace, Preset, Retry};

use super::arguments::{Bytes, TwoRows, Whole};
use super::polar_wom::Plan;
use super::pool::Pool;
use super::released;
use crate::errors::{code_error, guarded};

/// Second writes of one page's data on two written pages and their spare areas (`second-write`,
/// figure 4): the polar code on the cells of both pages, `raw_bytes` raw data bytes in the clean
/// part of each spare area.
///
/// Pages are uint8 arrays in which a one is a programmed cell (erased pages are 0). A spare area
/// holds the field of the first write (2 bytes), the field of the second write (2 bytes, with the
/// attempt), then the raw bytes.
///
/// Args: page_bytes: Bytes of a physical page, a power of two from 64 to 65536. preset: "paper210"
/// (the paper's 210%: 205 raw bytes a page of 4 KB), "paper-p95" (95% success in one attempt: 238
/// bytes) or "sep-ecc" (98 bytes, which leaves room for an ECC; needs repair). raw_bytes: Raw bytes
/// of each page, instead of the preset's. retry: What another attempt changes: "rotation" (the
/// order of the cells; as good as new pages) or "dither".
///
/// Raises:
///     CodeError: There is no such code.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct PageCode {
    code: polar_wom::PageCode,
    workspaces: Pool<PairWorkspace>,
}

/// What became of a second write: `pages` and `spares` (uint8, two rows each; unchanged unless
/// `success`), the `attempt` that succeeded, the number of `tries`, a repair counting as one, and
/// whether it was `repaired`.
#[pyclass(frozen, get_all, module = "rewear.codes")]
pub(super) struct SecondWrite {
    pages: Py<PyArray2<u8>>,
    spares: Py<PyArray2<u8>>,
    success: bool,
    attempt: Option<u8>,
    tries: Option<u8>,
    repaired: bool,
}

#[pymethods]
impl SecondWrite {
    fn __repr__(&self) -> String {
        match (self.attempt, self.tries) {
            (Some(attempt), Some(tries)) => {
                let repaired = if self.repaired { "True" } else { "False" };
                format!("SecondWrite(success=True, attempt={attempt}, tries={tries}, repaired={repaired})")
            }
            _ => "SecondWrite(success=False)".to_owned(),
        }
    }
}

#[pymethods]
impl PageCode {
    #[new]
    #[pyo3(signature = (page_bytes=Whole(4096), preset="paper210", *, raw_bytes=None, retry="rotation"))]
    fn new(page_bytes: Whole, preset: &str, raw_bytes: Option<Whole>, retry: &str) -> PyResult<Self> {
        let preset = parse_preset(preset)?;
        let retry = parse_retry(retry)?;
        guarded(|| {
            let raw_bytes = match raw_bytes {
                Some(bytes) => bytes.0,
                // A page too large for any code must not overflow on its way to being refused.
                None => preset.raw_bytes(page_bytes.0.min(1 << 20)),
            };
            let code =
                polar_wom::PageCode::with_raw_bytes(page_bytes.0, raw_bytes, retry).map_err(code_error)?;
            Ok(Self { code, workspaces: Pool::new() })
        })
    }

    /// Bytes of a physical page, and of the data of a second write.
    #[getter]
    fn page_bytes(&self) -> usize {
        self.code.page_bytes()
    }

    /// Data bytes stored raw in each page's spare area.
    #[getter]
    fn raw_bytes(&self) -> usize {
        self.code.raw_bytes()
    }

    /// Bytes of a spare area that first and second writes need, fields included.
    #[getter]
    fn spare_bytes(&self) -> usize {
        self.code.spare_bytes()
    }

    /// Data bytes in the polar code.
    #[getter]
    fn polar_bytes(&self) -> usize {
        self.code.polar_bytes()
    }

    /// Storage of a second write in percent of its data: 100 (3 - 2 R), R = `polar_bytes` / (2
    /// `page_bytes`) being the rate of the polar code.
    #[getter]
    fn storage_percent(&self) -> f64 {
        let share = self.code.polar_bytes() as f64 / self.code.page_bytes() as f64;
        100.0 * (3.0 - share)
    }

    /// What another attempt changes: "rotation" or "dither".
    #[getter]
    fn retry(&self) -> &'static str {
        match self.code.retry() {
            Retry::Rotation => "rotation",
            Retry::Dither => "dither",
        }
    }

    /// A first write of `data` (uint8, `page_bytes`): page, spare area, and whether the data was
    /// complemented so that at most half of the cells are programmed (section 3).
    ///
    /// Raises:
    ///     CodeError: Data of another size.
    #[expect(clippy::type_complexity, reason = "a Python tuple of two arrays and a flag")]
    fn first_write<'py>(
        &self,
        py: Python<'py>,
        data: Bytes,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u8>>, bool)> {
        let (page, spare, complemented) = released(py, || {
            self.check_page("data", &data.0)?;
            let mut page = vec![0; data.0.len()];
            let mut spare = vec![0; self.spare_bytes()];
            let mut field = [0; FIELD_BYTES];
            let complemented = polar_wom::first_write(&data.0, &mut page, &mut field).map_err(code_error)?;
            spare[..FIELD_BYTES].copy_from_slice(&field);
            Ok((page, spare, complemented))
        })?;
        Ok((page.into_pyarray(py), spare.into_pyarray(py), complemented))
    }

    /// The data of a first write. Up to three wrong bits in the spare area's field are corrected.
    ///
    /// Raises:
    ///     CodeError: Buffers of another size, or a field that no first write leaves.
    fn read_first_write<'py>(
        &self,
        py: Python<'py>,
        page: Bytes,
        spare: Bytes,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let data = released(py, || {
            self.check_page("page", &page.0)?;
            let Some(field) = spare.0.first_chunk::<FIELD_BYTES>() else {
                return Err(code_error(format!("the spare area needs {} bytes", self.spare_bytes())));
            };
            let mut data = vec![0; page.0.len()];
            polar_wom::read_first_write(&page.0, *field, &mut data).map_err(code_error)?;
            Ok(data)
        })?;
        Ok(data.into_pyarray(py))
    }

    /// D and the best of the first `attempts` (1 to 8) attempts for `pages` (uint8, two rows) as
    /// they are, before there is any data: a D of 0 is certain success.
    ///
    /// Raises:
    ///     CodeError: Pages of another size, or no such number of attempts.
    #[pyo3(signature = (pages, attempts=Whole(8)))]
    fn plan(&self, py: Python<'_>, pages: TwoRows, attempts: Whole) -> PyResult<Plan> {
        let attempts = attempts.narrow("attempts")?;
        released(py, || {
            let [first, second] = &pages.0;
            self.with_workspace(|work| self.code.plan(work, [first, second], attempts))
                .map(Plan::from)
                .map_err(code_error)
        })
    }

    /// Writes `data` over two pages.
    ///
    /// Args: pages: The two pages as they are, uint8, shape (2, page_bytes). spares: Their spare
    /// areas, uint8, shape (2, at least spare_bytes), clean but for the first field. data: uint8,
    /// `page_bytes`. address: Physical address, which a reader must know. attempts: 1 to 8; the
    /// paper makes 2. planned: Start with the attempt of the smallest D. repair: After all attempts
    /// have failed, repair the best (not in the paper).
    ///
    /// Returns:
    ///     New pages and spare areas; that all attempts failed is no exception.
    ///
    /// Raises: CodeError: Buffers of another size, no such number of attempts, or spare areas that
    /// have had a second write.
    #[pyo3(signature = (pages, spares, data, *, address=0, attempts=Whole(2), planned=false, repair=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python method")]
    fn second_write(
        &self,
        py: Python<'_>,
        mut pages: TwoRows,
        mut spares: TwoRows,
        data: Bytes,
        address: u64,
        attempts: Whole,
        planned: bool,
        repair: bool,
    ) -> PyResult<SecondWrite> {
        let effort = Effort { attempts: attempts.narrow("attempts")?, planned, repair };
        let outcome = released(py, || {
            let ([first, second], [first_spare, second_spare]) = (&mut pages.0, &mut spares.0);
            let mut pair = PagePair {
                pages: [first, second],
                spares: [first_spare, second_spare],
                data: &data.0,
                address,
                outcome: polar_wom::SecondWrite::Pending,
            };
            self.with_workspace(|work| self.code.second_write(work, effort, std::slice::from_mut(&mut pair)))
                .map_err(code_error)?;
            Ok(pair.outcome)
        })?;
        let (attempt, tries, repaired) = match outcome {
            polar_wom::SecondWrite::Written { attempt, tries, repaired } => {
                (Some(attempt), Some(tries), repaired)
            }
            polar_wom::SecondWrite::Pending | polar_wom::SecondWrite::Failed => (None, None, false),
        };
        let (pages, spares) = (two_rows(py, pages)?, two_rows(py, spares)?);
        Ok(SecondWrite { pages, spares, success: attempt.is_some(), attempt, tries, repaired })
    }

    /// The data of a second write; nothing needs to be known of the pages' earlier content.
    ///
    /// Raises: CodeError: Buffers of another size, or fields that no second write on these pages
    /// leaves. Wrong bits elsewhere give wrong data.
    #[pyo3(signature = (pages, spares, *, address=0))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        pages: TwoRows,
        spares: TwoRows,
        address: u64,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let data = released(py, || {
            let mut data = vec![0; self.page_bytes()];
            let ([first, second], [first_spare, second_spare]) = (&pages.0, &spares.0);
            self.with_workspace(|work| {
                self.code.read(work, [first, second], [first_spare, second_spare], address, &mut data)
            })
            .map_err(code_error)?;
            Ok(data)
        })?;
        Ok(data.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!(
            "PageCode(page_bytes={}, raw_bytes={}, retry='{}')",
            self.page_bytes(),
            self.raw_bytes(),
            self.retry()
        )
    }
}

impl PageCode {
    fn with_workspace<R>(&self, work: impl FnOnce(&mut PairWorkspace) -> R) -> R {
        self.workspaces.with(|| PairWorkspace::new(&self.code), work)
    }

    fn check_page(&self, name: &str, page: &[u8]) -> PyResult<()> {
        let (got, expected) = (page.len(), self.page_bytes());
        if got == expected {
            return Ok(());
        }
        Err(code_error(format!("{name} holds {got} bytes, but this code needs {expected}")))
    }
}

fn two_rows(py: Python<'_>, rows: TwoRows) -> PyResult<Py<PyArray2<u8>>> {
    let [first, second] = rows.0;
    // Equal lengths: they were the rows of one array.
    let width = first.len();
    Ok([first, second].concat().into_pyarray(py).reshape([2, width])?.unbind())
}

fn parse_preset(name: &str) -> PyResult<Preset> {
    match name {
        "paper210" => Ok(Preset::Paper210),
        "paper-p95" => Ok(Preset::PaperP95),
        "sep-ecc" => Ok(Preset::SepEcc),
        _ => Err(code_error(format!("There is no preset {name:?}; choose paper210, paper-p95 or sep-ecc."))),
    }
}

fn parse_retry(name: &str) -> PyResult<Retry> {
    match name {
        "rotation" => Ok(Retry::Rotation),
        "dither" => Ok(Retry::Dither),
        _ => Err(code_error(format!("There is no retry {name:?}; choose rotation or dither."))),
    }
}
