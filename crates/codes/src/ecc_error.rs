//! Errors of the error-correcting codes, with their reasons.

use thiserror::Error;

/// A refusal by an error-correcting code: impossible parameters, wrong buffers, or more errors than
/// the code corrects.
///
/// A decoder that returns an error has left its buffers as they were.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EccError {
    /// The code cannot exist, or this implementation does not build it.
    #[error("impossible {code} code: {reason}")]
    Parameters {
        /// The family, `"BCH"` or `"LDPC"`.
        code: &'static str,
        /// The fault, and what would be right.
        reason: String,
    },
    /// A buffer has another size than the code works on.
    #[error("{buffer} has {actual} bytes, this code needs exactly {expected}")]
    Length {
        /// Which argument.
        buffer: &'static str,
        /// The size the code needs, in bytes (in elements for LLRs).
        expected: usize,
        /// The size that was given.
        actual: usize,
    },
    /// The data does not fill whole bytes, and bits of the first byte that the code does not store
    /// are set.
    #[error("the first {unused_bits} bits of data are not part of the code and must be 0")]
    UnusedBits {
        /// How many high bits of the first data byte must be 0.
        unused_bits: usize,
    },
    /// The list of erasures is not a strictly ascending list of bit indices of this codeword.
    #[error("erasure {position} (entry {entry}) must be below {limit} and above the entry before it")]
    Erasure {
        /// The offending bit index.
        position: u32,
        /// Its place in the list.
        entry: usize,
        /// Bits in data and parity buffers together.
        limit: u32,
    },
    /// A probability or another number of a measurement is out of its range.
    #[error("{name} = {value} is out of range: {expected}")]
    Number {
        /// The name of the argument.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The range it must lie in.
        expected: &'static str,
    },
    /// The received word has more errors than the code corrects. Read again with other references,
    /// or recover the page from elsewhere.
    #[error("uncorrectable: {reason}")]
    Uncorrectable {
        /// How the decoder noticed.
        reason: Uncorrectable,
    },
    /// The watch of a measurement ended it.
    #[error("the measurement was interrupted after {done} trials")]
    Interrupted {
        /// Trials done until then.
        done: u64,
    },
}

/// How a decoder noticed that it cannot correct a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Uncorrectable {
    /// BCH: no codeword lies within the correction radius.
    #[error("no codeword within {t} errors")]
    BeyondRadius {
        /// Errors the code corrects.
        t: usize,
    },
    /// BCH: more erasures than any word of designed distance 2t+1 allows.
    #[error("{erasures} erasures, the code fills at most {limit}")]
    TooManyErasures {
        /// Erasures that were reported.
        erasures: usize,
        /// 2t.
        limit: usize,
    },
    /// LDPC: the parity checks were not satisfied within the allowed iterations.
    #[error("{unsatisfied} parity checks unsatisfied after {iterations} iterations")]
    NotConverged {
        /// Iterations used.
        iterations: u32,
        /// Checks that were still unsatisfied.
        unsatisfied: u32,
    },
}

impl EccError {
    /// True for a word with too many errors, false for misuse of the code.
    pub fn is_uncorrectable(&self) -> bool {
        matches!(self, EccError::Uncorrectable { .. })
    }
}
