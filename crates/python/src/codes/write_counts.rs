//! How many writes a WOM-v page takes, by the mathematics of one cell.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::wom_v::{self, Code, DataModel, EccCheck, EccThreshold, InvalidChain};

use crate::errors::code_error;

/// The distribution of the writes a page takes between two erases.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct WriteCounts {
    counts: wom_v::WriteCounts,
}

#[pymethods]
impl WriteCounts {
    /// Mean number of writes.
    #[getter]
    fn mean(&self) -> f64 {
        self.counts.mean()
    }

    /// Probability of at least 0, 1, 2, ... writes, float64; tails below 1e-12 are dropped.
    fn at_least<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let chances = (0..).map(|writes| self.counts.at_least(writes));
        chances.take_while(|chance| *chance > 0.0).collect::<Vec<f64>>().into_pyarray(py)
    }

    fn __repr__(&self) -> String {
        format!("<WriteCounts: mean {:.3}>", self.mean())
    }
}

/// Cells a distribution is computed for; an erase unit of a large drive has fewer.
const MAX_CELLS: usize = 1 << 40;

pub(super) fn write_counts(
    code: Code,
    cells: usize,
    ecc_check: &str,
    max_invalid_share: f64,
    model: DataModel,
) -> PyResult<WriteCounts> {
    if !(1..=MAX_CELLS).contains(&cells) {
        return Err(code_error(format!("{cells} cells; choose 1 to {MAX_CELLS}")));
    }
    if !(0.0..1.0).contains(&max_invalid_share) {
        return Err(code_error(format!("max_invalid_share = {max_invalid_share}; choose 0 to below 1")));
    }
    let check = match ecc_check {
        "no-read" => return Ok(WriteCounts { counts: wom_v::WriteCounts::no_read(code) }),
        "pre" => EccCheck::Pre,
        "post" => EccCheck::Post,
        "last-generation" => EccCheck::LastGeneration,
        "unit" => EccCheck::Unit,
        _ => {
            let problem = format!(
                "There is no ecc_check {ecc_check:?}; choose no-read, pre, post, last-generation or unit."
            );
            return Err(code_error(problem));
        }
    };
    let threshold = EccThreshold { check, max_invalid_share };
    Ok(WriteCounts { counts: wom_v::WriteCounts::new(code, cells, model, threshold) })
}

/// Writes a chain is followed for.
const MAX_WRITES: usize = 1 << 16;

pub(super) fn invalid_shares(code: Code, writes: usize, model: DataModel) -> PyResult<Vec<f64>> {
    if writes > MAX_WRITES {
        return Err(code_error(format!("{writes} writes; choose at most {MAX_WRITES}")));
    }
    let mut chain = InvalidChain::new(code, model);
    let share = |_| {
        chain.write();
        chain.invalid_share()
    };
    Ok((0..writes).map(share).collect())
}

pub(super) fn data_model(flip_rate: Option<f64>) -> PyResult<DataModel> {
    match flip_rate {
        None => Ok(DataModel::Random),
        Some(rate) if (0.0..=1.0).contains(&rate) => Ok(DataModel::BitFlips(rate)),
        Some(rate) => Err(code_error(format!("flip_rate = {rate} is no probability; choose 0 to 1"))),
    }
}
