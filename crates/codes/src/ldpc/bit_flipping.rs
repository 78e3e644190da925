//! Hard-decision decoding by probabilistic gradient-descent bit flipping.
//!
//! Each round flips the bits with the highest count of violated checks, plus 1 if they differ from
//! the read bit. Each flips with a probability below 1, so that the decoder does not run in
//! circles. T. Wadayama et al., "Gradient descent bit flipping algorithms for decoding LDPC codes",
//! IEEE Trans. Commun. 58(6), 2010; O. Rasheed, P. Ivanis, B. Vasic, "Fault-tolerant probabilistic
//! gradient-descent bit flipping decoder", IEEE Commun. Lett. 18(9), 2014. Counts are bit-sliced:
//! 64 bits at a time.

use super::min_sum::changed_bits;
use super::words::{double_blocks, doubled_blocks, rotated, row_checks};
use super::{Ldpc, LdpcCorrected, Workspace, with_words};
use crate::ecc_error::{EccError, Uncorrectable};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// First rounds in which every candidate is flipped: few errors do not interfere with each other.
const CERTAIN_ROUNDS: u32 = 4;

/// Parameters of the bit-flipping decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitFlipping {
    /// Rounds before the decoder gives up.
    pub max_iterations: u32,
    /// Seed of the coin flips (xoshiro256++): the same word is always decoded alike.
    pub seed: u64,
}

impl Default for BitFlipping {
    fn default() -> BitFlipping {
        BitFlipping { max_iterations: 100, seed: 1 }
    }
}

impl Ldpc {
    /// Corrects hard decisions in place by bit flipping: faster than min-sum where errors are few,
    /// and weaker.
    ///
    /// # Errors
    /// As [`Ldpc::decode_hard`].
    pub fn decode_flipping(
        &self,
        work: &mut Workspace,
        data: &mut [u8],
        parity: &mut [u8],
        rules: &BitFlipping,
    ) -> Result<LdpcCorrected, EccError> {
        self.flip_unless_hopeless(work, data, parity, rules, u32::MAX)
    }

    /// As [`Ldpc::decode_flipping`], but gives up at once on a word that violates more than
    /// `hopeless` checks.
    pub(super) fn flip_unless_hopeless(
        &self,
        work: &mut Workspace,
        data: &mut [u8],
        parity: &mut [u8],
        rules: &BitFlipping,
        hopeless: u32,
    ) -> Result<LdpcCorrected, EccError> {
        self.check_lengths(data, parity)?;
        self.check_workspace(work)?;
        self.load_received(work, data, parity);
        work.decisions.copy_from_slice(&work.received);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(rules.seed);
        let mut iterations = 0;
        loop {
            let unsatisfied = with_words!(self.z, update_checks(self, work));
            if unsatisfied == 0 {
                break;
            }
            if iterations == rules.max_iterations || (iterations == 0 && unsatisfied > hopeless) {
                let reason = Uncorrectable::NotConverged { iterations, unsatisfied };
                return Err(EccError::Uncorrectable { reason });
            }
            with_words!(self.z, count_violations(self, work));
            flip_worst(work, iterations < CERTAIN_ROUNDS, &mut rng);
            iterations += 1;
        }
        if iterations > 0 {
            self.write_decisions(work, data, parity);
        }
        Ok(LdpcCorrected { bit_errors: changed_bits(work), iterations })
    }
}

/// Recomputes all checks; returns how many are violated.
fn update_checks<const W: usize>(code: &Ldpc, work: &mut Workspace) -> u32 {
    double_blocks::<W>(&work.decisions, &mut work.doubled);
    let columns = doubled_blocks::<W>(&work.doubled);
    for (row, checks) in work.checks.as_chunks_mut::<W>().0.iter_mut().enumerate() {
        *checks = row_checks(code, row, columns);
    }
    work.checks.iter().map(|word| word.count_ones()).sum()
}

/// Sets `counts` to the violated checks of each bit, plus 1 where the bit was flipped since it was
/// read: 0 to 5.
fn count_violations<const W: usize>(code: &Ldpc, work: &mut Workspace) {
    double_blocks::<W>(&work.checks, &mut work.doubled);
    let checks = doubled_blocks::<W>(&work.doubled);
    let [ones, twos, fours] = &mut work.counts;
    for (column, edges) in code.columns.iter().enumerate() {
        let words = column * W..(column + 1) * W;
        let mut one: [u64; W] =
            std::array::from_fn(|w| work.decisions[words.start + w] ^ work.received[words.start + w]);
        let (mut two, mut four) = ([0u64; W], [0u64; W]);
        for edge in edges {
            let violated = rotated(&checks[edge.block], (code.z - edge.shift) % code.z);
            for w in 0..W {
                let carry = one[w] & violated[w];
                one[w] ^= violated[w];
                four[w] |= two[w] & carry;
                two[w] ^= carry;
            }
        }
        ones[words.clone()].copy_from_slice(&one);
        twos[words.clone()].copy_from_slice(&two);
        fours[words].copy_from_slice(&four);
    }
}

/// Flips the bits with the highest count, all of them if `certain`, else each with probability 3/4.
fn flip_worst(work: &mut Workspace, certain: bool, rng: &mut Xoshiro256PlusPlus) {
    let [ones, twos, fours] = &work.counts;
    let mut present = [0u64; 6];
    for ((one, two), four) in ones.iter().zip(twos).zip(fours) {
        present[1] |= one & !two & !four;
        present[2] |= !one & two & !four;
        present[3] |= one & two;
        present[4] |= !one & four;
        present[5] |= one & four;
    }
    let worst = present.iter().rposition(|&any| any != 0).unwrap_or(0);
    let [want_one, want_two, want_four] =
        [0, 1, 2].map(|plane| if worst >> plane & 1 == 1 { 0 } else { u64::MAX });
    let counts = ones.iter().zip(twos).zip(fours);
    for (decision, ((one, two), four)) in work.decisions.iter_mut().zip(counts) {
        let candidates = (one ^ want_one) & (two ^ want_two) & (four ^ want_four);
        if candidates != 0 {
            *decision ^= if certain { candidates } else { candidates & (rng.next_u64() | rng.next_u64()) };
        }
    }
}
