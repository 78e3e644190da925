//! Memory of the decoders, allocated once.

use super::Ldpc;

/// What a decoder needs besides the word: make one per thread with [`Ldpc::workspace`] and use it for any number of pages.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Per column the posterior LLRs twice over, so that every rotation is a contiguous run.
    pub(super) posteriors: Vec<i8>,
    /// Per block of the matrix, row by row, the messages from checks to bits.
    pub(super) messages: Vec<i8>,
    /// Messages from bits to checks of one row.
    pub(super) incoming: Vec<i8>,
    /// Of one row: both minima before and after scaling, and the sign of the product.
    pub(super) extrema: Vec<i8>,
    /// The current hard decisions, a word per 64 bits.
    pub(super) decisions: Vec<u64>,
    /// The hard decisions that were read.
    pub(super) received: Vec<u64>,
    /// Bit-sliced counts of violated checks per bit: weights 1, 2 and 4.
    pub(super) counts: [Vec<u64>; 3],
    /// The parity checks of the current decisions.
    pub(super) checks: Vec<u64>,
}

impl Ldpc {
    /// A workspace for decoders of this code.
    pub fn workspace(&self) -> Workspace {
        let row_weight = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let blocks: usize = self.rows.iter().map(Vec::len).sum();
        let words = self.codeword_bits() / 64;
        Workspace {
            posteriors: vec![0; 2 * self.codeword_bits()],
            messages: vec![0; blocks * self.z],
            incoming: vec![0; row_weight * self.z],
            extrema: vec![0; 4 * self.z],
            decisions: vec![0; words],
            received: vec![0; words],
            counts: std::array::from_fn(|_| vec![0; words]),
            checks: vec![0; self.rows.len() * self.z / 64],
        }
    }

    /// True if `work` was made for a code of this shape.
    pub(super) fn fits(&self, work: &Workspace) -> bool {
        let row_weight = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let blocks: usize = self.rows.iter().map(Vec::len).sum();
        work.posteriors.len() == 2 * self.codeword_bits()
            && work.messages.len() == blocks * self.z
            && work.incoming.len() == row_weight * self.z
            && work.extrema.len() == 4 * self.z
            && work.decisions.len() == self.codeword_bits() / 64
            && work.checks.len() == self.rows.len() * self.z / 64
    }
}
