//! Reading a page with more references than one, and what each reading says about a bit.
//!
//! Model: the two neighbouring threshold-voltage states are Gaussians at -1 and +1 with the same
//! standard deviation sigma, so that the hard read at 0 has RBER = Q(1/sigma). With n extra pairs
//! of references at +-delta, +-2 delta, ..., a bit falls into one of 2n + 2 bins. The choice of
//! delta maximises the mutual information between bit and bin (J. Wang et al., "Enhanced precision
//! through multiple reads for LDPC decoding in flash memories", IEEE JSAC 32(5), 2014).

use crate::ecc_error::EccError;

/// The largest magnitude of a quantised LLR.
const LLR_LIMIT: f64 = 28.0;
/// Quantised LLR of a natural LLR of 1.
const LLR_SCALE: f64 = 3.0;

/// A soft read: the bins, their probabilities and LLRs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensing {
    rber: f64,
    delta: f64,
    /// P(bin | bit 0), bins ordered from most surely 0 to most surely 1; bit 1 has the mirror
    /// image.
    probabilities: Vec<f64>,
    llrs: Vec<i8>,
}

impl Sensing {
    /// `extra_pairs` pairs of references around the hard one (0: a hard read) for a page of raw bit
    /// error rate `rber`.
    ///
    /// # Errors
    /// [`EccError::Number`] unless 0 < `rber` < 0.5 and `extra_pairs` <= 15.
    pub fn new(rber: f64, extra_pairs: usize) -> Result<Sensing, EccError> {
        if !(rber > 0.0 && rber < 0.5) {
            return Err(EccError::Number { name: "rber", value: rber, expected: "above 0 and below 0.5" });
        }
        if extra_pairs > 15 {
            let value = extra_pairs as f64;
            return Err(EccError::Number { name: "extra_pairs", value, expected: "0 to 15" });
        }
        let sigma = sigma_of_rber(rber);
        let delta = best_delta(sigma, extra_pairs);
        let probabilities = bin_probabilities(sigma, delta, extra_pairs);
        let bins = probabilities.len();
        let mut natural: Vec<f64> =
            (0..bins).map(|bin| libm::log(probabilities[bin] / probabilities[bins - 1 - bin])).collect();
        // A bin farther out says no less than its neighbour; on extremely good pages its
        // probability underflows.
        for bin in (0..bins / 2).rev() {
            if bin + 1 < bins / 2 {
                natural[bin] = natural[bin].max(natural[bin + 1]);
            }
            natural[bins - 1 - bin] = -natural[bin];
        }
        // A hard read has one magnitude only, and min-sum does not care which; LLR_LIMIT keeps
        // messages below saturation.
        let scale = LLR_SCALE.min(LLR_LIMIT / natural[0]);
        let llrs = (0..bins)
            .map(|bin| {
                let quantised = libm::round(natural[bin] * scale);
                // A bin on the 0 side must not be quantised to "unknown".
                if bin < bins / 2 { quantised.max(1.0) as i8 } else { quantised.min(-1.0) as i8 }
            })
            .collect();
        Ok(Sensing { rber, delta, probabilities, llrs })
    }

    /// The raw bit error rate of the hard read.
    pub fn rber(&self) -> f64 {
        self.rber
    }

    /// Distance of neighbouring references, in units of half the distance between the states.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// P(bin | bit 0), from the bin that is most surely 0 to the one that is most surely 1.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The quantised LLR of each bin, positive for 0.
    pub fn llrs(&self) -> &[i8] {
        &self.llrs
    }

    /// The LLR of reading a bit whose value is `bit`, drawn by `uniform` in 0..1.
    pub fn read(&self, bit: bool, uniform: f64) -> i8 {
        let mut rest = uniform;
        let last = self.llrs.len() - 1;
        let mut bin = 0;
        while bin < last && rest >= self.probabilities[bin] {
            rest -= self.probabilities[bin];
            bin += 1;
        }
        self.llrs[if bit { last - bin } else { bin }]
    }
}

/// P(N(0, 1) > x).
fn upper_tail(x: f64) -> f64 {
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

fn sigma_of_rber(rber: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if upper_tail(1.0 / middle) < rber { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(bin | state at +1), from the highest bin to the lowest.
fn bin_probabilities(sigma: f64, delta: f64, extra_pairs: usize) -> Vec<f64> {
    let references = (0..=2 * extra_pairs).map(|i| (extra_pairs as f64 - i as f64) * delta);
    let mut above = 0.0;
    let mut probabilities: Vec<f64> = references
        .map(|reference| {
            let tail = upper_tail((reference - 1.0) / sigma);
            let probability = (tail - above).max(f64::MIN_POSITIVE);
            above = tail;
            probability
        })
        .collect();
    // From the other side, because 1 - above loses all digits for good pages.
    probabilities.push(upper_tail((1.0 + extra_pairs as f64 * delta) / sigma).max(f64::MIN_POSITIVE));
    probabilities
}

/// Mutual information of bit and bin, in bits, for equally likely bits.
fn mutual_information(probabilities: &[f64]) -> f64 {
    let mirrored = probabilities.iter().rev();
    probabilities.iter().zip(mirrored).map(|(p, q)| p * libm::log2(2.0 * p / (p + q))).sum()
}

/// Golden-section search for the spacing of the references.
fn best_delta(sigma: f64, extra_pairs: usize) -> f64 {
    if extra_pairs == 0 {
        return 0.0;
    }
    let ratio = 0.5 * (libm::sqrt(5.0) - 1.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        let value = |delta| mutual_information(&bin_probabilities(sigma, delta, extra_pairs));
        if value(a) < value(b) { low = a } else { high = b }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_the_hard_read_has_the_rber() {
        for rber in [1e-5, 1e-3, 0.02] {
            for pairs in 0..=4 {
                let sensing = Sensing::new(rber, pairs).unwrap();
                let sum: f64 = sensing.probabilities().iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                let wrong: f64 = sensing.probabilities()[pairs + 1..].iter().sum();
                assert!((wrong / rber - 1.0).abs() < 1e-6, "{wrong}");
            }
        }
    }

    #[test]
    fn more_references_tell_more_and_llrs_fall_monotonically() {
        let mut before = 0.0;
        for pairs in 0..=5 {
            let sensing = Sensing::new(5e-3, pairs).unwrap();
            let information = mutual_information(sensing.probabilities());
            assert!(information > before);
            before = information;
            assert!(sensing.llrs().is_sorted_by(|a, b| a >= b), "{:?}", sensing.llrs());
            assert_eq!(sensing.llrs().len(), 2 * pairs + 2);
        }
    }

    #[test]
    fn llrs_are_monotonic_and_limited_where_probabilities_underflow() {
        for exponent in 1..=300 {
            for pairs in 0..=15 {
                let sensing = Sensing::new(0.3 * 10f64.powi(-exponent), pairs).unwrap();
                let llrs = sensing.llrs();
                assert!(llrs.is_sorted_by(|a, b| a >= b), "1e-{exponent}, {pairs} pairs: {llrs:?}");
                assert!(f64::from(llrs[0]) <= LLR_LIMIT && llrs[0] > 0);
            }
        }
    }

    #[test]
    fn out_of_range_numbers_are_refused() {
        for rber in [0.0, 0.5, -1.0, f64::NAN] {
            assert!(Sensing::new(rber, 1).is_err());
        }
        assert!(Sensing::new(0.01, 16).is_err());
    }
}
