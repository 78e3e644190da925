//! Measurements on real bits, as JSON text in the schema of `rewear_codes::measure` and
//! `rewear_codes::ecc_measure`.

use pyo3::prelude::*;
use rewear_codes::ecc_measure::{self, LdpcDecoder, Trials};
use rewear_codes::ldpc::{BitFlipping, MinSum};
use rewear_codes::measure::{self, Reading};
use rewear_codes::wom_v::Code;

use super::arguments::Whole;
use super::bch::Bch;
use super::ldpc::Ldpc;
use super::watched;
use crate::errors::{code_error, ecc_error, to_json};

/// One row of Table 2 of `second-write`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the Python function")]
pub(super) fn measure_table_2(
    py: Python<'_>,
    reading: &str,
    storage_percent: f64,
    cells: Whole,
    trials: Whole,
    repair: bool,
    seed: Whole,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let reading = match reading {
        "clean-spare" => Reading::CleanSpare,
        "all-programmed" => Reading::AllProgrammed,
        _ => {
            let problem = format!("There is no reading {reading:?}; choose clean-spare or all-programmed.");
            return Err(code_error(problem));
        }
    };
    watched(py, progress, |watch| {
        check_storage(storage_percent)?;
        let row = measure::measure_table_2_row_watched(
            reading,
            storage_percent,
            cells.0,
            trials.0,
            repair,
            seed.u64(),
            watch,
        );
        to_json(&row.map_err(code_error)?)
    })
}

/// Retries at one storage.
#[pyfunction]
pub(super) fn measure_retries(
    py: Python<'_>,
    storage_percent: f64,
    trials: Whole,
    seed: Whole,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    watched(py, progress, |watch| {
        check_storage(storage_percent)?;
        let row = measure::measure_retries_watched(storage_percent, trials.0, seed.u64(), watch);
        to_json(&row.map_err(code_error)?)
    })
}

/// Writes of one WOM-v code.
#[pyfunction]
pub(super) fn measure_wom_v(
    py: Python<'_>,
    k: Whole,
    n: Whole,
    pages: Whole,
    seed: Whole,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (k, n) = (k.narrow("k")?, n.narrow("n")?);
    watched(py, progress, |watch| {
        let code = Code::new(k, n).map_err(code_error)?;
        to_json(&measure::measure_wom_v_code_watched(code, pages.0, seed.u64(), watch).map_err(code_error)?)
    })
}

/// The frame error rate of a BCH code.
#[pyfunction]
pub(super) fn measure_bch(
    py: Python<'_>,
    code: &Bch,
    rber: f64,
    frames: Whole,
    seed: Whole,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let trials = Trials { frames: frames.narrow("frames")?, seed: seed.u64() };
    watched(py, progress, |watch| {
        to_json(&ecc_measure::measure_bch_watched(&code.code, rber, trials, watch).map_err(ecc_error)?)
    })
}

/// The frame error rate of an LDPC code.
#[pyfunction]
pub(super) fn measure_ldpc(
    py: Python<'_>,
    code: &Ldpc,
    decoder: &str,
    rber: f64,
    frames: Whole,
    seed: Whole,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let trials = Trials { frames: frames.narrow("frames")?, seed: seed.u64() };
    let decoder = parse_decoder(decoder)?;
    watched(py, progress, |watch| {
        let rate = ecc_measure::measure_ldpc_watched(&code.code, &decoder, rber, trials, watch);
        to_json(&rate.map_err(ecc_error)?)
    })
}

fn parse_decoder(name: &str) -> PyResult<LdpcDecoder> {
    let rules = MinSum::default();
    match name {
        "bit-flipping" => Ok(LdpcDecoder::Flipping(BitFlipping::default())),
        "min-sum" => Ok(LdpcDecoder::Hard(rules)),
        "bit-flipping-then-min-sum" => Ok(LdpcDecoder::FlippingThenMinSum(rules)),
        "soft-3" => Ok(LdpcDecoder::Soft { extra_pairs: 1, rules }),
        "soft-5" => Ok(LdpcDecoder::Soft { extra_pairs: 2, rules }),
        "soft-7" => Ok(LdpcDecoder::Soft { extra_pairs: 3, rules }),
        _ => Err(code_error(format!(
            "There is no decoder {name:?}; choose bit-flipping, min-sum, bit-flipping-then-min-sum, soft-3, soft-5 or soft-7."
        ))),
    }
}

fn check_storage(storage_percent: f64) -> PyResult<()> {
    if (100.0..300.0).contains(&storage_percent) {
        return Ok(());
    }
    Err(code_error(format!("storage_percent = {storage_percent} is impossible; choose 100 to below 300")))
}
