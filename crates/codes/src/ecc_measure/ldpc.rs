//! The frame error rate of an LDPC code, read hard or soft.

use super::channel::{flip_bits, uniform};
use super::{FrameErrorRate, Tally, Trials, check_rber, go_on};
use crate::ecc_error::EccError;
use crate::ldpc::{Ldpc, MinSum, Sensing};
use crate::measure::Watch;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// How a page is read and decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LdpcDecoder {
    /// One reference, min-sum.
    Hard(MinSum),
    /// 1 + 2 `extra_pairs` references, min-sum on their LLRs.
    Soft {
        /// Pairs of references besides the hard one.
        extra_pairs: usize,
        /// The decoder.
        rules: MinSum,
    },
}

impl LdpcDecoder {
    fn name(&self) -> String {
        match self {
            LdpcDecoder::Hard(_) => "hard min-sum".into(),
            LdpcDecoder::Soft { extra_pairs, .. } => format!("min-sum, {} references", 2 * extra_pairs + 1),
        }
    }
}

/// Measures `code` at `rber`, the rate of the hard read also when the decoder reads soft.
///
/// # Errors
/// [`EccError::Number`] for an `rber` outside 0..0.5 or impossible decoder parameters.
pub fn measure_ldpc(
    code: &Ldpc,
    decoder: &LdpcDecoder,
    rber: f64,
    trials: Trials,
    watch: &mut Watch<'_>,
) -> Result<FrameErrorRate, EccError> {
    check_rber(rber)?;
    let sensing = match decoder {
        LdpcDecoder::Soft { extra_pairs, .. } => Some(Sensing::new(rber, *extra_pairs)?),
        _ => None,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(trials.seed);
    let mut work = code.workspace();
    let sizes = (code.data_bytes(), code.parity_bytes());
    let mut sent = vec![0u8; sizes.0 + sizes.1];
    let mut read = sent.clone();
    let mut llrs = vec![0i8; code.codeword_bits()];
    let mut tally = Tally::default();
    for frame in 0..trials.frames {
        go_on(watch, frame, trials)?;
        let (data, parity) = sent.split_at_mut(sizes.0);
        rng.fill_bytes(data);
        code.encode(data, parity)?;
        let bit_errors = match &sensing {
            Some(sensing) => read_soft(sensing, &sent, &mut llrs, &mut rng),
            None => {
                read.copy_from_slice(&sent);
                flip_bits(&mut read, code.codeword_bits(), rber, &mut rng)
            }
        };
        let (data, parity) = read.split_at_mut(sizes.0);
        let outcome = match decoder {
            LdpcDecoder::Hard(rules) => code.decode_hard(&mut work, data, parity, rules),
            LdpcDecoder::Soft { rules, .. } => code.decode_soft(&mut work, &llrs, data, parity, rules),
        };
        tally.add(bit_errors, outcome.map(|found| found.iterations), read == sent)?;
    }
    let name = format!("LDPC, rate {:.3}, {}", code.rate(), decoder.name());
    Ok(tally.finish(name, sizes, rber, trials))
}

/// Fills `llrs` with a soft read of `sent`; returns the errors that a hard read of it would have
/// had.
fn read_soft(sensing: &Sensing, sent: &[u8], llrs: &mut [i8], rng: &mut Xoshiro256PlusPlus) -> u64 {
    let mut bit_errors = 0;
    for (llrs, &byte) in llrs.as_chunks_mut::<8>().0.iter_mut().zip(sent) {
        for (i, llr) in llrs.iter_mut().enumerate() {
            let bit = byte >> i & 1 == 1;
            *llr = sensing.read(bit, uniform(rng));
            bit_errors += u64::from((*llr < 0) != bit);
        }
    }
    bit_errors
}
