//! How many raw bit errors a BCH code stands: the binomial tail, in log space.
//!
//! Bit errors are independent with probability RBER. A codeword fails when more than t of its n
//! bits are wrong. The uncorrectable bit error rate counts failed codewords per user bit: UBER =
//! P(more than t errors) / k (N. Mielke et al., "Bit error rate in NAND flash memories", IRPS 2008;
//! JEDEC JESD218).

use crate::bch::Bch;
use crate::ecc_error::EccError;
use crate::gf2m::{MAX_DEGREE, MIN_DEGREE};
use serde::Serialize;

/// The UBER that drives promise.
pub const USUAL_UBER: f64 = 1e-15;

/// The raw bit error rate at which one BCH code reaches a UBER.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BchLimit {
    /// User bytes of a codeword.
    pub data_bytes: usize,
    /// Parity bytes of a codeword.
    pub parity_bytes: usize,
    /// Parity over data, in percent.
    pub parity_percent: f64,
    /// Errors corrected.
    pub t: usize,
    /// Bits of a codeword, data and parity.
    pub codeword_bits: usize,
    /// The uncorrectable bit error rate demanded.
    pub uber: f64,
    /// The largest raw bit error rate at which it is met.
    pub rber: f64,
}

impl BchLimit {
    /// The limit of `code` at `uber`.
    ///
    /// # Errors
    /// [`EccError::Number`] unless 0 < `uber` < 1 / k.
    pub fn of(code: &Bch, uber: f64) -> Result<BchLimit, EccError> {
        Ok(BchLimit {
            data_bytes: code.data_bytes(),
            parity_bytes: code.parity_bytes(),
            parity_percent: 100.0 * code.parity_bits() as f64 / code.data_bits() as f64,
            t: code.t(),
            codeword_bits: code.codeword_bits(),
            uber,
            rber: rber_at_uber(code.data_bits() as u64, code.codeword_bits() as u64, code.t() as u64, uber)?,
        })
    }
}

/// The largest t whose parity of m t bits fits into `parity_fraction` of the data, for one codeword
/// of `data_bytes`.
///
/// # Errors
/// [`EccError::Parameters`] when no code fits, [`EccError::Number`] for a fraction outside 0..=1.
pub fn largest_t(data_bytes: usize, parity_fraction: f64) -> Result<usize, EccError> {
    if !(0.0..=1.0).contains(&parity_fraction) {
        let value = parity_fraction;
        return Err(EccError::Number { name: "parity_fraction", value, expected: "0 to 1" });
    }
    let data_bits = data_bytes.saturating_mul(8);
    let budget_bits = (data_bits as f64 * parity_fraction) as usize;
    let fits = |m: &u32| data_bits.saturating_add(budget_bits / *m as usize * *m as usize) < 1 << m;
    match (MIN_DEGREE..=MAX_DEGREE).find(fits) {
        Some(m) if budget_bits >= m as usize => Ok(budget_bits / m as usize),
        _ => {
            let reason = format!(
                "{data_bytes} B of data with {budget_bits} bits of parity fit no field up to GF(2^{MAX_DEGREE})"
            );
            Err(EccError::Parameters { code: "BCH", reason })
        }
    }
}

/// ln P(X > `t`) for X binomial with `n` trials of probability `p`; -infinity when it is
/// impossible.
pub fn ln_binomial_tail(n: u64, p: f64, t: u64) -> f64 {
    if t >= n || p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return 0.0;
    }
    // Sum outwards from the largest term, so that no term relative to it exceeds 1.
    let mode = ((n as f64 + 1.0) * p) as u64;
    let largest = mode.clamp(t + 1, n);
    let odds = p / (1.0 - p);
    let mut sum = 1.0;
    let mut term = 1.0;
    for i in largest..n {
        term *= (n - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    term = 1.0;
    for i in (t + 2..=largest).rev() {
        term *= i as f64 / (n - i + 1) as f64 / odds;
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    (ln_binomial_term(n, p, largest) + libm::log(sum)).min(0.0)
}

/// ln P(X = `i`) for X binomial.
fn ln_binomial_term(n: u64, p: f64, i: u64) -> f64 {
    let ln_factorial = |x: u64| libm::lgamma(x as f64 + 1.0);
    ln_factorial(n) - ln_factorial(i) - ln_factorial(n - i)
        + i as f64 * libm::log(p)
        + (n - i) as f64 * libm::log1p(-p)
}

/// The raw bit error rate at which a codeword of `codeword_bits` bits, `data_bits` of them data,
/// that corrects `t` errors has the uncorrectable bit error rate `uber`.
///
/// # Errors
/// [`EccError::Number`] unless 0 < `uber` < 1 / `data_bits`, or when t or the data do not fit into
/// the codeword.
pub fn rber_at_uber(data_bits: u64, codeword_bits: u64, t: u64, uber: f64) -> Result<f64, EccError> {
    if !(uber > 0.0 && uber * (data_bits as f64) < 1.0) {
        return Err(EccError::Number {
            name: "uber",
            value: uber,
            expected: "above 0 and below 1 / data bits",
        });
    }
    if data_bits > codeword_bits || t >= codeword_bits {
        return Err(EccError::Number {
            name: "t",
            value: t as f64,
            expected: "below the codeword's bits, data included",
        });
    }
    let target = libm::log(uber) + libm::log(data_bits as f64);
    let (mut low, mut high) = (libm::log(1e-30), 0.0);
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        if ln_binomial_tail(codeword_bits, libm::exp(middle), t) < target {
            low = middle
        } else {
            high = middle
        }
    }
    Ok(libm::exp(0.5 * (low + high)))
}
