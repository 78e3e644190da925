//! Frame error rates measured on real bits: random data is encoded, damaged and decoded.

mod bch;
mod channel;
mod ldpc;

pub use bch::measure_bch;
pub use ldpc::{LdpcDecoder, measure_ldpc};

use crate::ecc_error::EccError;
use crate::measure::{Proportion, Watch};
use serde::Serialize;

/// How much to measure, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trials {
    /// Codewords to decode.
    pub frames: u32,
    /// Seed of xoshiro256++, which draws data and errors. The same seed gives the same result on
    /// any machine.
    pub seed: u64,
}

/// The measured frame error rate of one code and decoder at one raw bit error rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrameErrorRate {
    /// The code and decoder in words.
    pub code: String,
    /// User bytes of a codeword.
    pub data_bytes: usize,
    /// Parity bytes of a codeword.
    pub parity_bytes: usize,
    /// Probability that a hard read of a bit is wrong, independent for each bit.
    pub rber: f64,
    /// Counts of the measurement.
    pub trials: Trials,
    /// Frames not decoded to what was encoded, whether refused or decoded to something else.
    pub frame_errors: u32,
    /// Those of them that were decoded to another codeword without notice.
    pub miscorrected: u32,
    /// frame_errors / frames.
    pub frame_error_rate: f64,
    /// Lower end of the 95% confidence interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).
    pub low: f64,
    /// Upper end of the 95% confidence interval.
    pub high: f64,
    /// Bits wrong in the hard read, per frame.
    pub mean_bit_errors: f64,
    /// Rounds of an iterative decoder per frame it decoded; 0 for algebraic ones.
    pub mean_iterations: f64,
}

/// Outcomes of the frames so far.
#[derive(Default)]
struct Tally {
    refused: u32,
    miscorrected: u32,
    bit_errors: u64,
    iterations: u64,
    decoded: u64,
}

impl Tally {
    /// Counts one frame: what the decoder said (rounds used) and whether the frame now holds what
    /// was encoded.
    fn add(&mut self, bit_errors: u64, outcome: Result<u32, EccError>, right: bool) -> Result<(), EccError> {
        self.bit_errors += bit_errors;
        match outcome {
            Ok(iterations) => {
                self.decoded += 1;
                self.iterations += u64::from(iterations);
                self.miscorrected += u32::from(!right);
            }
            Err(error) if error.is_uncorrectable() => self.refused += 1,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn finish(self, code: String, sizes: (usize, usize), rber: f64, trials: Trials) -> FrameErrorRate {
        let frame_errors = self.refused + self.miscorrected;
        let rate = Proportion::new(frame_errors.into(), trials.frames.into());
        let per_frame = |sum: f64| sum / f64::from(trials.frames.max(1));
        FrameErrorRate {
            code,
            data_bytes: sizes.0,
            parity_bytes: sizes.1,
            rber,
            trials,
            frame_errors,
            miscorrected: self.miscorrected,
            frame_error_rate: rate.rate,
            low: rate.low,
            high: rate.high,
            mean_bit_errors: per_frame(self.bit_errors as f64),
            mean_iterations: self.iterations as f64 / self.decoded.max(1) as f64,
        }
    }
}

fn check_rber(rber: f64) -> Result<(), EccError> {
    if rber > 0.0 && rber < 0.5 {
        return Ok(());
    }
    Err(EccError::Number { name: "rber", value: rber, expected: "above 0 and below 0.5" })
}

/// Asks `watch` before frame number `frame`.
fn go_on(watch: &mut Watch<'_>, frame: u32, trials: Trials) -> Result<(), EccError> {
    let done = u64::from(frame);
    if watch(done, trials.frames.into()) { Ok(()) } else { Err(EccError::Interrupted { done }) }
}
