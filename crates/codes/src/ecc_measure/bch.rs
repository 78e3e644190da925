//! The frame error rate of a BCH code.

use super::channel::flip_bits;
use super::{FrameErrorRate, Tally, Trials, check_rber, go_on};
use crate::bch::Bch;
use crate::ecc_error::EccError;
use crate::measure::Watch;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Measures `code` at `rber`. Only codes of whole data bytes can be measured.
///
/// # Errors
/// [`EccError::Number`] unless 0 < `rber` < 0.5; [`EccError::UnusedBits`] for a code of a fraction
/// of a byte; [`EccError::Interrupted`] as soon as `watch` says so.
pub fn measure_bch(
    code: &Bch,
    rber: f64,
    trials: Trials,
    watch: &mut Watch<'_>,
) -> Result<FrameErrorRate, EccError> {
    check_rber(rber)?;
    let unused_bits = 8 * code.data_bytes() - code.data_bits();
    if unused_bits > 0 {
        return Err(EccError::UnusedBits { unused_bits });
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(trials.seed);
    let sizes = (code.data_bytes(), code.parity_bytes());
    let mut sent = vec![0u8; sizes.0 + sizes.1];
    let mut read = sent.clone();
    let mut tally = Tally::default();
    for frame in 0..trials.frames {
        go_on(watch, frame, trials)?;
        let (data, parity) = sent.split_at_mut(sizes.0);
        rng.fill_bytes(data);
        code.encode(data, parity)?;
        read.copy_from_slice(&sent);
        let bit_errors = flip_bits(&mut read, code.codeword_bits(), rber, &mut rng);
        let (data, parity) = read.split_at_mut(sizes.0);
        let outcome = code.decode(data, parity, &[]).map(|_| 0);
        tally.add(bit_errors, outcome, read == sent)?;
    }
    Ok(tally.finish(format!("BCH, t = {}", code.t()), sizes, rber, trials))
}
