//! `rewear._codes`: the codes for Python, with numpy arrays in and out.
//!
//! A thin layer without logic of its own. Arguments are copied out of their arrays before the GIL
//! is released, so that no other thread can change them under way; results are new arrays.

pub(crate) mod arguments;
mod bch;
mod ecc_limits;
mod flip_n_write;
mod ldpc;
mod measure;
mod mlc_cell;
mod page_code;
mod polar_wom;
mod pool;
mod rivest_shamir;
mod sensing;
mod wom_v;
mod write_counts;

use pyo3::prelude::*;
use pyo3::wrap_pymodule;
use rewear_codes::measure::Watch;

use crate::errors::guarded;
use crate::progress::Reporter;

/// Makes `rewear._codes` importable: it comes with `rewear._core`, which every import of the
/// package loads first.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let module = wrap_pymodule!(_codes)(py);
    py.import("sys")?.getattr("modules")?.set_item("rewear._codes", module)
}

/// Runs `work` with the GIL released.
fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| guarded(work))
}

/// Runs a measurement with the GIL released; `progress`, a Python callable, and Ctrl-C on the main
/// thread can end it.
fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let mut reporter = Reporter::new(progress);
    let result =
        py.detach(|| guarded(|| work(&mut |done, total| reporter.report("measuring", done, Some(total)))));
    reporter.finish(result)
}

#[pyo3::pymodule]
mod _codes {
    #[pymodule_export]
    use super::bch::{Bch, BchDecoded};
    #[pymodule_export]
    use super::ecc_limits::{bch_limit, largest_t, ln_binomial_tail, rber_at_uber};
    #[pymodule_export]
    use super::flip_n_write::{FlipNWrite, FlipNWritten};
    #[pymodule_export]
    use super::ldpc::{Ldpc, LdpcDecoded};
    #[pymodule_export]
    use super::measure::{measure_bch, measure_ldpc, measure_retries, measure_table_2, measure_wom_v};
    #[pymodule_export]
    use super::mlc_cell::{MlcWordLine, find_mlc_corruption, program_mlc_cell};
    #[pymodule_export]
    use super::page_code::{PageCode, SecondWrite};
    #[pymodule_export]
    use super::polar_wom::{Plan, PolarAttempt, PolarWom};
    #[pymodule_export]
    use super::rivest_shamir::{RivestShamir, max_generations};
    #[pymodule_export]
    use super::sensing::Sensing;
    #[pymodule_export]
    use super::wom_v::{InvalidCells, WomV, WomVWritten};
    #[pymodule_export]
    use super::write_counts::WriteCounts;
}
