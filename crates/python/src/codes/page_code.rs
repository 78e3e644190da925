//! First and second writes on pages and their spare areas.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rewear_codes::polar_wom::{self, Effort, FIELD_BYTES, PagePair, PairWorkspace, Preset, Retry};

use super::arguments::{Bytes, TwoRows, Whole};
use super::polar_wom::Plan;
use super::pool::Pool;
use super::released;
use crate::errors::{code_error, guarded};

/// A second write of one page's data on two pages.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct PageCode {
    code: polar_wom::PageCode,
    workspaces: Pool<PairWorkspace>,
}

/// What became of a second write.
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

    #[getter]
    fn page_bytes(&self) -> usize {
        self.code.page_bytes()
    }

    #[getter]
    fn raw_bytes(&self) -> usize {
        self.code.raw_bytes()
    }

    #[getter]
    fn spare_bytes(&self) -> usize {
        self.code.spare_bytes()
    }

    #[getter]
    fn polar_bytes(&self) -> usize {
        self.code.polar_bytes()
    }

    #[getter]
    fn storage_percent(&self) -> f64 {
        let share = self.code.polar_bytes() as f64 / self.code.page_bytes() as f64;
        100.0 * (3.0 - share)
    }

    #[getter]
    fn retry(&self) -> &'static str {
        match self.code.retry() {
            Retry::Rotation => "rotation",
            Retry::Dither => "dither",
        }
    }

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
