//! Layered min-sum decoding with 8-bit messages, normalised or offset.
//!
//! J. Chen, A. Dholakia, E. Eleftheriou, M. Fossorier, X.-Y. Hu, "Reduced-complexity decoding of
//! LDPC codes", IEEE Trans. Commun. 53(8), 2005 (the two corrections); D. Hocevar, "A reduced
//! complexity decoder architecture via layered decoding of LDPC codes", SiPS 2004 (one row of
//! blocks after the other, each using the posteriors the last one left).

use super::words::row_checks;
use super::{Edge, Ldpc, LdpcCorrected, MAX_CIRCULANT, Workspace, with_words};
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
        for (llrs, word) in work.posteriors.as_chunks_mut::<64>().0.iter_mut().zip(&work.received) {
            *llrs =
                std::array::from_fn(|i| if word >> i & 1 == 1 { -rules.hard_llr } else { rules.hard_llr });
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
        for (posterior, llr) in work.posteriors.iter_mut().zip(llrs) {
            *posterior = (*llr).max(-127);
        }
        take_signs(&work.posteriors, &mut work.received);
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

    fn check_workspace(&self, work: &Workspace) -> Result<(), EccError> {
        if self.fits(work) {
            return Ok(());
        }
        let (expected, actual) = (self.codeword_bits() / 64, work.decisions.len());
        Err(EccError::Length { buffer: "workspace (of another code)", expected, actual })
    }

    fn load_received(&self, work: &mut Workspace, data: &[u8], parity: &[u8]) {
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
        work.messages.fill(0);
        while unsatisfied > 0 && iterations < rules.max_iterations {
            let mut messages = work.messages.as_mut_slice();
            for row in &self.rows {
                let (of_row, rest) = messages.split_at_mut(row.len() * self.z);
                update_row(row, self.z, &mut work.posteriors, of_row, rules);
                messages = rest;
            }
            take_signs(&work.posteriors, &mut work.decisions);
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

    fn write_decisions(&self, work: &Workspace, data: &mut [u8], parity: &mut [u8]) {
        let (data_words, parity_words) = work.decisions.split_at(data.len() / 8);
        for (bytes, words) in [(data, data_words), (parity, parity_words)] {
            for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *chunk = word.to_le_bytes();
            }
        }
    }
}

fn changed_bits(work: &Workspace) -> u32 {
    work.decisions.iter().zip(&work.received).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// What the checks of one row of blocks say, for each of its z checks.
struct Minima {
    /// The least magnitude of a message from a bit.
    least: [u8; MAX_CIRCULANT],
    /// The least one but for that.
    second: [u8; MAX_CIRCULANT],
    /// Negative if an odd number of messages is.
    sign: [i8; MAX_CIRCULANT],
}

/// One row of blocks: takes the `messages` from its checks (z for each block) out of the
/// `posteriors` of their bits, works out the new ones and adds them.
fn update_row(row: &[Edge], z: usize, posteriors: &mut [i8], messages: &mut [i8], rules: &MinSum) {
    let mut minima = Minima {
        least: [u8::MAX; MAX_CIRCULANT],
        second: [u8::MAX; MAX_CIRCULANT],
        sign: [0; MAX_CIRCULANT],
    };
    for (edge, messages) in row.iter().zip(messages.chunks_exact_mut(z)) {
        let (wrapped, straight) = posteriors[edge.block * z..][..z].split_at(edge.shift);
        let (first, last) = messages.split_at_mut(z - edge.shift);
        subtract(straight, first);
        subtract(wrapped, last);
        minima.take(messages);
    }
    let least = minima.least;
    for scaled in minima.least.iter_mut().chain(&mut minima.second) {
        *scaled = scale(*scaled, rules);
    }
    for (edge, messages) in row.iter().zip(messages.chunks_exact_mut(z)) {
        let mut sums = [0i8; MAX_CIRCULANT];
        minima.answer(&least, messages, &mut sums[..z]);
        let posteriors = &mut posteriors[edge.block * z..][..z];
        posteriors.copy_from_slice(&sums[..z]);
        posteriors.rotate_right(edge.shift);
    }
}

/// Replaces messages from the checks by those from the bits.
fn subtract(posteriors: &[i8], messages: &mut [i8]) {
    for (message, posterior) in messages.iter_mut().zip(posteriors) {
        *message = posterior.saturating_sub(*message);
    }
}

/// A magnitude of a message after normalisation, offset and limit.
fn scale(magnitude: u8, rules: &MinSum) -> u8 {
    let limited = magnitude.min(127);
    let correction = if rules.normalisation_bits == 0 { 0 } else { limited >> rules.normalisation_bits };
    (limited - correction).saturating_sub(rules.offset).min(rules.message_limit)
}

impl Minima {
    fn take(&mut self, messages: &[i8]) {
        let minima = self.least.iter_mut().zip(&mut self.second).zip(&mut self.sign);
        for (((least, second), sign), message) in minima.zip(messages) {
            let magnitude = message.unsigned_abs();
            *second = (*second).min((*least).max(magnitude));
            *least = (*least).min(magnitude);
            *sign ^= message;
        }
    }

    /// Replaces messages from the bits of a block by those from its checks, the minima being scaled
    /// already; `least` are those that are not. `sums` become the new posteriors.
    fn answer(&self, least: &[u8; MAX_CIRCULANT], messages: &mut [i8], sums: &mut [i8]) {
        let scaled = self.least.iter().zip(&self.second).zip(&self.sign).zip(least);
        for ((message, sum), (((scaled, second), sign), least)) in messages.iter_mut().zip(sums).zip(scaled) {
            // If two bits share the least magnitude, the second equals it, so comparing magnitudes
            // is enough.
            let magnitude = if message.unsigned_abs() == *least { *second } else { *scaled } as i8;
            let negative = (*sign ^ *message) >> 7;
            let answer = (magnitude ^ negative) - negative;
            *sum = message.saturating_add(answer);
            *message = answer;
        }
    }
}

/// Bit i of a word becomes 1 where LLR i of its 64 is negative.
fn take_signs(llrs: &[i8], words: &mut [u64]) {
    for (word, llrs) in words.iter_mut().zip(llrs.as_chunks::<64>().0) {
        *word = llrs.iter().rev().fold(0, |bits, llr| bits << 1 | u64::from(*llr < 0));
    }
}

/// Violated checks; the count stops at the first row of blocks that has any.
fn first_violations<const W: usize>(code: &Ldpc, work: &Workspace) -> u32 {
    let columns = work.decisions.as_chunks::<W>().0;
    let counts =
        code.rows.iter().map(|row| row_checks(row, columns).iter().map(|word| word.count_ones()).sum());
    counts.into_iter().find(|&count: &u32| count > 0).unwrap_or(0)
}
