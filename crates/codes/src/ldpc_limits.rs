//! How many raw bit errors an LDPC code stands: a measured waterfall, extrapolated to rates below
//! any that can be measured.
//!
//! A bounded-distance decoder fails when more than t of the n bits that a hard read gives are
//! wrong. An iterative decoder has no such radius, but in its waterfall it behaves as if it had one
//! that differs from word to word. Here it is normal with mean t and standard deviation `spread`.
//! So the frame error rate is E[P(K > T)] with K binomial(n, RBER) and T the radius. (A
//! finite-length scaling law in the sense of A. Amraoui et al., IEEE Trans. Inf. Theory 55(2),
//! 2009, in which the channel's own variance is exact.) The two numbers are fitted to measured
//! frame error rates by maximum likelihood.
//!
//! Everything below the rates that were measured (some 1e-4) is extrapolation, and an error floor
//! would make it too optimistic. `cargo run --release -p rewear-codes --example ldpc_limits`
//! measures and fits [`MEASURED`] again.

use crate::ecc_error::EccError;
use crate::ecc_limits::ln_binomial_tail;
use serde::Serialize;

/// The equivalent radius of one LDPC code, read with one number of references.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LdpcRadius {
    /// User bytes of a codeword.
    pub data_bytes: usize,
    /// Parity bytes of a codeword.
    pub parity_bytes: usize,
    /// References a boundary between two levels is read with: 1 for a hard read, 3, 5, 7 for soft
    /// ones.
    pub references: usize,
    /// Mean number of wrong bits of the hard read up to which the decoder succeeds.
    pub t: f64,
    /// Standard deviation of that number between words.
    pub spread: f64,
}

/// Fitted to what `examples/ldpc_limits.rs` measured with 40,000 frames a point and seed 1, for 4
/// KB of data.
pub const MEASURED: [LdpcRadius; 12] = [
    radius(256, 1, 141.2, 6.04),
    radius(256, 3, 334.4, 8.03),
    radius(256, 5, 369.7, 1.57),
    radius(256, 7, 382.5, 0.0),
    radius(384, 1, 238.4, 7.77),
    radius(384, 3, 513.7, 6.37),
    radius(384, 5, 566.3, 0.0),
    radius(384, 7, 583.8, 0.0),
    radius(1024, 1, 846.6, 14.1),
    radius(1024, 3, 1485.1, 6.81),
    radius(1024, 5, 1600.1, 0.0),
    radius(1024, 7, 1641.4, 0.0),
];

const fn radius(parity_bytes: usize, references: usize, t: f64, spread: f64) -> LdpcRadius {
    LdpcRadius { data_bytes: 4096, parity_bytes, references, t, spread }
}

/// Measured radii of a code, by ascending number of references; empty for a code that was not measured.
pub fn measured_radii(data_bytes: usize, parity_bytes: usize) -> impl Iterator<Item = &'static LdpcRadius> {
    MEASURED.iter().filter(move |of| of.data_bytes == data_bytes && of.parity_bytes == parity_bytes)
}

/// Frames measured at one raw bit error rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Waterfall {
    /// Raw bit error rate of the hard read.
    pub rber: f64,
    /// Frames decoded.
    pub frames: u32,
    /// Frames that failed.
    pub failed: u32,
}

/// Nodes of the average over the radius, evenly spaced over +-`REACH` standard deviations.
const NODES: usize = 73;
const REACH: f64 = 9.0;

impl LdpcRadius {
    /// Bits of a codeword, data and parity.
    pub fn codeword_bits(&self) -> u64 {
        8 * (self.data_bytes + self.parity_bytes) as u64
    }

    /// The frame error rate at a raw bit error rate of 0 to 1.
    pub fn frame_error_rate(&self, rber: f64) -> f64 {
        let n = self.codeword_bits();
        if self.spread == 0.0 {
            return tail_at(n, rber, self.t);
        }
        let step = 2.0 * REACH / (NODES - 1) as f64;
        let (mut sum, mut weights) = (0.0, 0.0);
        for node in 0..NODES {
            let x = -REACH + step * node as f64;
            let weight = libm::exp(-0.5 * x * x);
            weights += weight;
            sum += weight * tail_at(n, rber, self.t + self.spread * x);
        }
        sum / weights
    }

    /// The largest raw bit error rate at which the uncorrectable bit error rate, failed words per
    /// user bit, is met.
    ///
    /// # Errors
    /// [`EccError::Number`] unless 0 < `uber` < 1 / user bits.
    pub fn rber_at_uber(&self, uber: f64) -> Result<f64, EccError> {
        let rate = uber * 8.0 * self.data_bytes as f64;
        if !(rate > 0.0 && rate < 1.0) {
            let expected = "above 0 and below 1 / data bits";
            return Err(EccError::Number { name: "uber", value: uber, expected });
        }
        let (mut low, mut high) = (libm::log(1e-9), libm::log(0.5));
        while high - low > 1e-9 {
            let middle = 0.5 * (low + high);
            if self.frame_error_rate(libm::exp(middle)) < rate { low = middle } else { high = middle }
        }
        Ok(libm::exp(low))
    }

    /// The radius and spread under which measured waterfalls are likeliest; `self` gives the sizes
    /// and where to begin.
    pub fn fitted(self, measured: &[Waterfall]) -> LdpcRadius {
        let mut best = self;
        let mut likelihood = best.ln_likelihood(measured);
        let (mut step_t, mut step_spread) = (0.1 * self.t, 0.3 * self.spread.max(1.0));
        // A pattern search: the likelihood has one hill, and two parameters need nothing better.
        while step_t > 1e-3 {
            let tries = [(step_t, 0.0), (-step_t, 0.0), (0.0, step_spread), (0.0, -step_spread)];
            let better = tries.iter().find_map(|(t, spread)| {
                let near = LdpcRadius { t: best.t + t, spread: (best.spread + spread).max(0.0), ..best };
                let value = near.ln_likelihood(measured);
                (value > likelihood).then_some((near, value))
            });
            match better {
                Some(found) => (best, likelihood) = found,
                None => (step_t, step_spread) = (0.5 * step_t, 0.5 * step_spread),
            }
        }
        best
    }

    fn ln_likelihood(&self, measured: &[Waterfall]) -> f64 {
        let of = |point: &Waterfall| {
            let rate = self.frame_error_rate(point.rber).clamp(1e-300, 1.0 - 1e-12);
            let (failed, frames) = (f64::from(point.failed), f64::from(point.frames));
            failed * libm::log(rate) + (frames - failed) * libm::log1p(-rate)
        };
        measured.iter().map(of).sum()
    }
}

/// P(more than `t` of `n` bits are wrong) for a `t` that need not be whole: its logarithm is
/// interpolated.
fn tail_at(n: u64, p: f64, t: f64) -> f64 {
    if t < 0.0 {
        return 1.0;
    }
    let (whole, part) = (libm::floor(t), t - libm::floor(t));
    let (low, high) = (ln_binomial_tail(n, p, whole as u64), ln_binomial_tail(n, p, whole as u64 + 1));
    if high == f64::NEG_INFINITY { 0.0 } else { libm::exp(low + part * (high - low)) }
}
