//! Layered min-sum decoding with 8-bit messages, normalised or offset.
//!
//! J. Chen, A. Dholakia, E. Eleftheriou, M. Fossorier, X.-Y. Hu, "Reduced-complexity decoding of
//! LDPC codes", IEEE Trans. Commun. 53(8), 2005 (the two corrections); D. Hocevar, "A reduced
//! complexity decoder architecture via layered decoding of LDPC codes", SiPS 2004 (one row of
//! blocks after the other, each using the posteriors the last one left).

use super::rows::iterate;
use super::words::{double_blocks, doubled_blocks, row_checks};
use super::workspace::LaneBlock;
use super::{Ldpc, LdpcCorrected, Workspace, with_words};
use crate::ecc_error::{EccError, Uncorrectable};

/// Parameters of the min-sum decoder. The defaults suit both hard and soft input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinSum {
    /// Rounds over all rows before the decoder gives up.
    pub max_iterations: u32,
    /// Normalisation: messages are multiplied by 1 - 2^-`normalisation_bits`; 0 for none, at most
    /// 7.
    pub normalisation_bits: u32,
    /// Offset subtracted from the magnitude of messages after normalisation.
    pub offset: u8,
    /// Magnitude messages are limited to, 1 to 127.
    pub message_limit: u8,
    /// Magnitude of the LLR of a hard decision, 1 to 127.
    pub hard_llr: i8,
}

impl Default for MinSum {
    fn default() -> MinSum {
        MinSum { max_iterations: 30, normalisation_bits: 2, offset: 1, message_limit: 31, hard_llr: 12 }
    }
}

impl MinSum {
    fn check(&self) -> Result<(), EccError> {
        let limits = [
            ("normalisation_bits", f64::from(self.normalisation_bits), 0.0, 7.0, "0 to 7"),
            ("message_limit", f64::from(self.message_limit), 1.0, 127.0, "1 to 127"),
            ("hard_llr", f64::from(self.hard_llr), 1.0, 127.0, "1 to 127"),
        ];
        for (name, value, least, most, expected) in limits {
            if !(least..=most).contains(&value) {
                return Err(EccError::Number { name, value, expected });
            }
        }
        Ok(())
    }
}

impl Ldpc {
    /// Corrects hard decisions in place with min-sum.
    ///
    /// # Errors
    /// [`EccError::Uncorrectable`] when the checks are not satisfied in time, the buffers then
    /// being as before; [`EccError::Length`] and [`EccError::Number`] for misuse.
    pub fn decode_hard(
        &self,
        work: &mut Workspace,
        data: &mut [u8],
        parity: &mut [u8],
        rules: &MinSum,
    ) -> Result<LdpcCorrected, EccError> {
        self.check_lengths(data, parity)?;
        rules.check()?;
        self.check_workspace(work)?;
        self.load_received(work, data, parity);
        if !self.received_violates(work) {
            return Ok(LdpcCorrected { bit_errors: 0, iterations: 0 });
        }
        let magnitude = rules.hard_llr;
        for (i, word) in work.received.iter().enumerate() {
            let lanes = self.posterior_lanes(&mut work.posteriors, i).as_chunks_mut::<8>().0;
            for (llrs, byte) in lanes.iter_mut().zip(word.to_le_bytes()) {
                *llrs = BYTE_SIGNS[byte as usize].map(|sign| sign * magnitude);
            }
        }
        self.run_min_sum(work, data, parity, rules)
    }

    /// Finds the codeword for `llrs` and writes it to `data` and `parity`, whose former content
    /// does not matter. There is one log-likelihood ratio per bit, data then parity, positive for
    /// 0; -128 counts as -127.
    ///
    /// # Errors
    /// As [`Ldpc::decode_hard`].
    pub fn decode_soft(
        &self,
        work: &mut Workspace,
        llrs: &[i8],
        data: &mut [u8],
        parity: &mut [u8],
        rules: &MinSum,
    ) -> Result<LdpcCorrected, EccError> {
        self.check_lengths(data, parity)?;
        rules.check()?;
        self.check_workspace(work)?;
        if llrs.len() != self.codeword_bits() {
            return Err(EccError::Length {
                buffer: "llrs",
                expected: self.codeword_bits(),
                actual: llrs.len(),
            });
        }
        for (i, llrs) in llrs.as_chunks::<64>().0.iter().enumerate() {
            *self.posterior_lanes(&mut work.posteriors, i) = llrs.map(|llr| llr.max(-127));
            work.received[i] = sign_bits(llrs);
        }
        if !self.received_violates(work) {
            self.write_decisions(work, data, parity);
            return Ok(LdpcCorrected { bit_errors: 0, iterations: 0 });
        }
        self.run_min_sum(work, data, parity, rules)
    }

    /// Takes the received word as the first decision; true if it is no codeword.
    fn received_violates(&self, work: &mut Workspace) -> bool {
        work.decisions.copy_from_slice(&work.received);
        with_words!(self.z, first_violations(self, work)) > 0
    }

    /// The posteriors of the codeword's bits 64 `word` to 64 `word` + 63.
    fn posterior_lanes<'a>(&self, posteriors: &'a mut [LaneBlock], word: usize) -> &'a mut [i8; 64] {
        // Each column has one block more than its bits need.
        &mut posteriors[word + word / (self.z / 64)].lanes
    }

    pub(super) fn check_workspace(&self, work: &Workspace) -> Result<(), EccError> {
        if self.fits(work) {
            return Ok(());
        }
        let (expected, actual) = (self.codeword_bits() / 64, work.decisions.len());
        Err(EccError::Length { buffer: "workspace (of another code)", expected, actual })
    }

    pub(super) fn load_received(&self, work: &mut Workspace, data: &[u8], parity: &[u8]) {
        let words = data.as_chunks::<8>().0.iter().chain(parity.as_chunks::<8>().0);
        for (word, bytes) in work.received.iter_mut().zip(words) {
            *word = u64::from_le_bytes(*bytes);
        }
    }

    fn run_min_sum(
        &self,
        work: &mut Workspace,
        data: &mut [u8],
        parity: &mut [u8],
        rules: &MinSum,
    ) -> Result<LdpcCorrected, EccError> {
        let mut iterations = 0;
        let mut unsatisfied = u32::MAX;
        let blocks = self.z / 64;
        for column in work.posteriors.chunks_exact_mut(blocks + 1) {
            column[blocks] = column[0];
        }
        while unsatisfied > 0 && iterations < rules.max_iterations {
            // SAFETY: the callers have checked that the workspace fits this code.
            unsafe { iterate(self, work, rules, iterations == 0) };
            iterations += 1;
            unsatisfied = with_words!(self.z, first_violations(self, work));
        }
        if unsatisfied > 0 {
            let reason = Uncorrectable::NotConverged { iterations, unsatisfied };
            return Err(EccError::Uncorrectable { reason });
        }
        self.write_decisions(work, data, parity);
        Ok(LdpcCorrected { bit_errors: changed_bits(work), iterations })
    }

    pub(super) fn write_decisions(&self, work: &Workspace, data: &mut [u8], parity: &mut [u8]) {
        let (data_words, parity_words) = work.decisions.split_at(data.len() / 8);
        for (bytes, words) in [(data, data_words), (parity, parity_words)] {
            for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *chunk = word.to_le_bytes();
            }
        }
    }
}

pub(super) fn changed_bits(work: &Workspace) -> u32 {
    work.decisions.iter().zip(&work.received).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Bit i set where llrs[i] is negative.
fn sign_bits(llrs: &[i8; 64]) -> u64 {
    let (groups, _) = llrs.as_chunks::<8>();
    groups.iter().enumerate().fold(0, |bits, (i, group)| {
        let signs = u64::from_le_bytes(group.map(|llr| (llr as u8) >> 7));
        // Multiplication moves the lowest bit of byte k to bit 56 + k.
        bits | (signs.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i)
    })
}

/// For each byte the signs of LLRs of its bits, lowest bit first.
const BYTE_SIGNS: [[i8; 8]; 256] = {
    let mut table = [[1i8; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = -1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Violated checks; the count stops at the first row of blocks that has any.
fn first_violations<const W: usize>(code: &Ldpc, work: &mut Workspace) -> u32 {
    double_blocks::<W>(&work.decisions, &mut work.doubled);
    let columns = doubled_blocks::<W>(&work.doubled);
    for row in 0..code.rows.len() {
        let count: u32 = row_checks::<W>(code, row, columns).iter().map(|word| word.count_ones()).sum();
        if count > 0 {
            return count;
        }
    }
    0
}
