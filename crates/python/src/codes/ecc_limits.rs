//! The raw bit error rates that BCH codes stand.

use pyo3::prelude::*;
use rewear_codes::ecc_limits;

use super::arguments::Whole;
use super::bch::Bch;
use super::released;
use crate::errors::{code_error, ecc_error, to_json};

/// JSON object of the raw bit error rate at which `code` reaches `uber`.
#[pyfunction]
pub(super) fn bch_limit(py: Python<'_>, code: &Bch, uber: f64) -> PyResult<String> {
    released(py, || to_json(&ecc_limits::BchLimit::of(&code.code, uber).map_err(ecc_error)?))
}

/// The largest t whose parity of m t bits fits into `parity_fraction` of the data, for one codeword
/// of `data_bytes`.
///
/// Raises:
///     CodeError: No code fits, or a fraction outside 0 to 1.
#[pyfunction]
pub(super) fn largest_t(data_bytes: Whole, parity_fraction: f64) -> PyResult<usize> {
    ecc_limits::largest_t(data_bytes.0, parity_fraction).map_err(ecc_error)
}

/// The raw bit error rate at which a codeword of `codeword_bits` bits, `data_bits` of them data,
/// that corrects `t` errors has the uncorrectable bit error rate `uber`: P(more than t errors) /
/// data_bits = uber (Mielke et al., IRPS 2008).
///
/// Raises:
///     CodeError: A number out of its range.
#[pyfunction]
pub(super) fn rber_at_uber(
    py: Python<'_>,
    data_bits: Whole,
    codeword_bits: Whole,
    t: Whole,
    uber: f64,
) -> PyResult<f64> {
    released(py, || {
        check_bits(codeword_bits)?;
        ecc_limits::rber_at_uber(data_bits.u64(), codeword_bits.u64(), t.u64(), uber).map_err(ecc_error)
    })
}

/// ln P(X > `t`) for X binomial with `n` trials of probability `p`; -inf when it is impossible.
///
/// Raises:
///     CodeError: `p` is no probability, or `n` above 2**32.
#[pyfunction]
pub(super) fn ln_binomial_tail(py: Python<'_>, n: Whole, p: f64, t: Whole) -> PyResult<f64> {
    released(py, || {
        check_bits(n)?;
        if !(0.0..=1.0).contains(&p) {
            return Err(code_error(format!("p = {p} is no probability; choose 0 to 1")));
        }
        Ok(ecc_limits::ln_binomial_tail(n.u64(), p, t.u64()))
    })
}

/// Beyond this the sums take too long and lose their digits.
const MAX_BITS: usize = 1 << 32;

fn check_bits(bits: Whole) -> PyResult<()> {
    if bits.0 <= MAX_BITS {
        return Ok(());
    }
    Err(code_error(format!("{} bits are too many; choose at most {MAX_BITS}", bits.0)))
}
